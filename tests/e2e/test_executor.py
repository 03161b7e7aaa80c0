"""An executor that carries attempts out in another process gives what a local run gives."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

FAR = """
    import asyncio, os, sys
    from contextlib import suppress
    from pathlib import Path
    from typing import ClassVar
    from assay import Done, from_json, hookimpl, to_json
    from assay.jsonvalue import dumps, loads

    PROGRAM = Path(__file__).with_name("far_worker.py")

    class Far:
        name: ClassVar[str] = "far"

        def __init__(self, context, settings):
            self.context = context

        async def run(self, tasks):
            process = await asyncio.create_subprocess_exec(
                sys.executable, str(PROGRAM),
                stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
                limit=10_000_000,
            )
            process.stdin.write(dumps(self.context.blueprint).encode() + b"\\n")
            try:
                free = self.context.parallel
                left = True
                while True:
                    while free and left:
                        task = await anext(tasks, None)
                        if task is None:
                            left = False
                            process.stdin.close()
                        else:
                            process.stdin.write(dumps(to_json(task)).encode() + b"\\n")
                            await process.stdin.drain()
                            free -= 1
                    if free == self.context.parallel:
                        break
                    line = await process.stdout.readline()
                    if not line:
                        await process.wait()
                        raise RuntimeError("the other process has ended")
                    free += 1
                    yield from_json(Done, loads(line.decode()))
            finally:
                # One that has ended must not be signalled: asyncio would complain.
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        process.kill()
                    await process.wait()

    @hookimpl
    def assay_executors():
        return [Far]
"""

WORKER = """
    import asyncio, sys
    import assay
    from assay.jsonvalue import dumps, loads

    async def main():
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=10_000_000)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        blueprint = loads((await reader.readline()).decode())

        async def carry_out(line, worker):
            done = await worker.run(assay.from_json(assay.Task, loads(line.decode())))
            sys.__stdout__.write(dumps(assay.to_json(done)) + "\\n")
            sys.__stdout__.flush()

        async with assay.worker(blueprint) as worker, asyncio.TaskGroup() as group:
            while line := await reader.readline():
                group.create_task(carry_out(line, worker))

    asyncio.run(main())
"""

AGENT = """
    import os
    from collections import Counter

    asked = Counter()

    def reply(request):
        asked[request.text] += 1
        with open("pids", "a") as file:
            file.write(f"{os.getpid()}\\n")
        if request.text == "raises":
            raise ValueError("no good")
        if request.text == "flaky" and asked["flaky"] == 2:
            return "bad"
        return {"said": request.text, "user": request.environment.user_id, "big": 10**25}
"""


def prepared(cli: Cli) -> None:
    cli.install("x-far", executor__far=FAR)
    cli.write("site/far_worker.py", WORKER)
    cli.write("kind/agent.py", AGENT)
    cli.write("kind/scripts/near.py", "def check(output, input, expected): return expected\n")
    cli.write(
        "kind/assay.toml",
        '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n\n[test]\nuser = "file"\n',
    )
    script = {"type": "script", "script": "scripts.near.check", "value": True}
    cli.cases(
        "kind/tests/cases.jsonl",
        {
            "id": "é 🎉",
            "input": "plain",
            "assert": [script, {"type": "contains", "value": "plain"}],
        },
        {
            "id": "flaky",
            "input": "flaky",
            "user": "case",
            "assert": {"type": "type", "value": "object"},
        },
        {"id": "raises", "input": "raises", "expected": {"a": 1.0}},
        {"id": "skipped", "input": "x", "skip": True},
        {"id": "fails", "input": "x", "expected": {"said": "x", "user": "file", "big": 1}},
    )


def report(cli: Cli, *flags: str) -> dict[str, Any]:
    done = cli("test", "-i", "kind/tests/cases.jsonl", "-q", "-o", "r.json", "--runs", "3", *flags)
    assert done.code == 1, done.err
    return cli.json("r.json")


@pytest.mark.parametrize("parallel", ["1", "4"])
def test_the_result_is_that_of_a_local_run(cli: Cli, steadily: Any, parallel: str) -> None:
    prepared(cli)
    local = report(cli, "--parallel", "1")
    here = set(cli.read("pids").split())
    far = report(cli, "--parallel", parallel, "--executor", "far")
    elsewhere = set(cli.read("pids").split()) - here
    assert len(here) == len(elsewhere) == 1
    for each in (local, far):
        del each["metadata"]
    if parallel == "1":
        assert steadily(far) == steadily(local)
    assert steadily(far["summary"]) == steadily(local["summary"])
    statuses = [(result["id"], result["status"]) for result in far["results"]]
    assert statuses == [
        ("é 🎉", "passed"),
        ("flaky", "failed"),
        ("raises", "error"),
        ("fails", "failed"),
    ]
    assert [skipped["id"] for skipped in far["skipped"]] == ["skipped"]


def test_an_executor_that_fails_ends_the_run_with_what_is_known(cli: Cli) -> None:
    prepared(cli)
    cli.write("site/far_worker.py", "raise SystemExit(3)\n")
    done = cli("test", "-i", "kind/tests/cases.jsonl", "-q", "-o", "r.jsonl", "--executor", "far")
    assert done.code == 3
    assert done.err == (
        "Error: executor far of x-far 1.0 failed: RuntimeError: the other process has ended\n"
    )
    assert cli.lines("r.jsonl")[0]["type"] == "start"


LOSES = """
    from typing import ClassVar
    from assay import hookimpl

    class Loses:
        name: ClassVar[str] = "loses"

        def __init__(self, context, settings):
            self.worker = context.worker

        async def run(self, tasks):
            async for task in tasks:
                done = await self.worker.run(task)
                yield done
                EXTRA

    @hookimpl
    def assay_executors():
        return [Loses]
"""


@pytest.mark.parametrize(
    ("extra", "problem"),
    [
        ("return", "the executor ended before it had carried out all attempts of 2 cases"),
        ("yield done", "the executor gave attempt 1 of case 1 back, which was not under way"),
    ],
)
def test_no_case_is_lost_or_made_up(cli: Cli, extra: str, problem: str) -> None:
    cli.install("x-one", executor__loses=LOSES.replace("EXTRA", extra))
    cli.cases("cases.jsonl", *({"id": str(number), "input": "x"} for number in range(3)))
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "--executor", "loses")
    assert (done.code, done.err) == (3, f"Error: {problem}\n")


def test_an_executor_that_forgot_to_yield_is_told_so(cli: Cli) -> None:
    source = LOSES.replace("EXTRA", "pass").replace("yield done", "pass")
    cli.install("x-one", executor__loses=source)
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "--executor", "loses")
    assert (done.code, done.err) == (
        3,
        "Error: executor loses of x-one 1.0 failed: TypeError: its run gives no iterator; let it"
        " yield each result\n",
    )


def test_fail_fast_ends_what_is_under_way_elsewhere(cli: Cli) -> None:
    prepared(cli)
    cli.cases(
        "kind/tests/cases.jsonl",
        {"id": "a", "input": "raises"},
        *({"id": str(number), "input": "x"} for number in range(5)),
    )
    done = cli(
        *("test", "-i", "kind/tests/cases.jsonl", "-q", "--json", "--executor", "far"),
        "--fail-fast",
    )
    assert done.code == 1, done.err
    statuses = [line["status"] for line in done.lines if line["type"] == "result"]
    assert statuses == ["error", *["skipped"] * 5]


def test_a_function_of_this_process_cannot_go_elsewhere(cli: Cli) -> None:
    prepared(cli)
    cli.write(
        "program.py",
        """
        import assay

        try:
            assay.run([{"id": "a", "input": "x"}], agent=lambda request: "", executor="far")
        except assay.ConfigError as error:
            print(error)
        """,
    )
    done = subprocess.run(
        [cli.python, "program.py"],
        cwd=cli.root,
        env=cli.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("name it as python:FILE.py:FUNCTION\n"), done.stderr
