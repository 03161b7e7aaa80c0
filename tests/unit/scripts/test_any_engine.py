"""What holds for scripts of every language: values, hanging, flooding, and the ends of workers."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import CannotCheck
from assay.jsonvalue import equal
from assay.scripts.link import open_standard_link
from assay.scripts.pool import Pool
from assay.scripts.printed import Printed
from assay.scripts.worker import ScriptWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.unit.scripts.conftest import Bench

DEADLINE = 60.0

ECHO = {
    "python": "def check(*arguments):\n    return list(arguments)\n",
    "typescript": "function check(...given: unknown[]): unknown { return given; }",
}

PID = {
    "python": "import os\ndef check(): return os.getpid()",
    "typescript": "function check() { return Deno.pid; }",
}

EXACT = st.integers(-(2**53), 2**53)
"""Numbers that every language holds."""

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | EXACT
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(values=st.lists(st.lists(VALUES), min_size=1, max_size=10))
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_json_values_arrive_and_come_back_as_they_were(
    values: list[list[object]], any_bench: Bench
) -> None:
    any_bench.write(ECHO[any_bench.engine.name])

    async def work(pool: Pool) -> list[object]:
        return [await pool.call(any_bench.found(), arguments) for arguments in values]

    assert equal(any_bench.run(work), values)


def test_lone_surrogates_and_line_ends_survive(any_bench: Bench) -> None:
    hostile = ["\ud800", "a\nb\r\n\u2028", "\0", "😀", '"}\n{"id": 1}', "\ufeff"]
    assert any_bench.call(ECHO[any_bench.engine.name], *hostile) == hostile


def test_large_arguments_and_results(any_bench: Bench) -> None:
    text = "0123456789ä" * 1_000_000
    assert any_bench.call(ECHO[any_bench.engine.name], text) == [text]


@pytest.mark.parametrize("argument", [object(), float("inf"), {"a": {1}}])
def test_arguments_that_are_not_json_are_refused(any_bench: Bench, argument: object) -> None:
    with pytest.raises(CannotCheck, match="its arguments are not JSON"):
        any_bench.call(ECHO[any_bench.engine.name], argument)


def test_a_worker_goes_on_after_an_error(any_bench: Bench) -> None:
    texts = {
        "python": """
            import os
            def check(how):
                if how == "raise":
                    raise ValueError
                return os.getpid()
        """,
        "typescript": """
            function check(how: string) {
                if (how === "raise") throw new Error();
                return Deno.pid;
            }
        """,
    }
    any_bench.write(texts[any_bench.engine.name])

    async def work(pool: Pool) -> list[object]:
        before = await pool.call(any_bench.found(), ["pid"])
        with pytest.raises(CannotCheck):
            await pool.call(any_bench.found(), ["raise"])
        return [before, await pool.call(any_bench.found(), ["pid"])]

    before, after = any_bench.run(work, limit=1)
    assert before == after


def test_an_idle_worker_that_was_killed_is_replaced(
    any_bench: Bench, gone: Callable[[int], bool]
) -> None:
    any_bench.write(PID[any_bench.engine.name])

    async def work(pool: Pool) -> tuple[object, object]:
        first = await pool.call(any_bench.found(), [])
        assert isinstance(first, int)
        os.kill(first, signal.SIGKILL)
        assert await asyncio.to_thread(gone, first)
        return first, await pool.call(any_bench.found(), [])

    first, second = any_bench.run(work, limit=1)
    assert first != second


HANGING: Mapping[str, Mapping[str, str]] = {
    "python": {"a loop": "while True: pass", "a wait": "threading.Event().wait()"},
    "typescript": {
        "a loop": "for (;;);",
        "a loop that catches everything": "for (;;) try { for (;;) f(); } catch { /* again */ }",
        "a regular expression": "/(a+)+$/.test('a'.repeat(64) + 'b');",
        "a promise that nobody keeps": "return new Promise(() => {});",
        "a promise of promises": "return (async () => { for (;;) await null; })();",
        "a wait that holds the thread": (
            "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"
        ),
        "a wait for input that never comes": "return Deno.readTextFileSync('fifo');",
    },
}

WAYS = [(language, how) for language, texts in HANGING.items() for how in texts]
UNLIKE = [
    *(("python", how) for how in HANGING["python"]),
    ("typescript", "a loop"),
    ("typescript", "a promise that nobody keeps"),
]
"""Those that keep a process busy in different ways."""


def hanging(language: str, how: str) -> str:
    if language == "python":
        return (
            "import os, threading\n"
            "def check():\n"
            "    print('busy', os.getpid(), flush=True)\n"
            f"    {HANGING[language][how]}\n"
            "def fine():\n"
            "    return os.getpid()\n"
        )
    return (
        "function f() {}\n"
        "const nobody = new Int32Array(new SharedArrayBuffer(4));\n"
        "function check() {\n"
        "    console.log('busy', Deno.pid);\n"
        f"    {HANGING[language][how]}\n"
        "}\n"
        "function fine() { return Deno.pid; }\n"
    )


@pytest.mark.parametrize(("any_bench", "how"), WAYS, indirect=["any_bench"])
def test_a_call_that_is_cancelled_ends_with_its_process(
    any_bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    any_bench.write(hanging(any_bench.engine.name, how))
    os.mkfifo(any_bench.root / "fifo")

    async def work(pool: Pool) -> None:
        other = await pool.call(any_bench.found("fine"), [])
        call = asyncio.ensure_future(pool.call(any_bench.found(), []))
        pid = int(await any_bench.hear("busy "))
        assert pid == other
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert await asyncio.to_thread(gone, pid)
        assert await pool.call(any_bench.found("fine"), []) != pid

    any_bench.run(work)


def test_only_the_worker_of_the_cancelled_call_is_killed(any_bench: Bench) -> None:
    texts = {
        "python": """
            import signal

            def hang():
                print("hangs", flush=True)
                signal.pause()

            def check(path):
                print("waits", flush=True)
                with open(path) as stream:
                    return stream.read()
        """,
        "typescript": """
            function hang() {
                console.log("hangs");
                for (;;);
            }
            function check(path: string) {
                console.log("waits");
                return Deno.readTextFileSync(path);
            }
        """,
    }
    any_bench.write(texts[any_bench.engine.name])
    fifo = any_bench.root / "fifo"
    os.mkfifo(fifo)

    async def work(pool: Pool) -> object:
        kept = asyncio.ensure_future(pool.call(any_bench.found(), [str(fifo)]))
        await any_bench.hear("waits")
        hanging = asyncio.ensure_future(pool.call(any_bench.found("hang"), []))
        await any_bench.hear("hangs")
        hanging.cancel()
        await asyncio.wait([hanging])
        await asyncio.to_thread(fifo.write_text, "still here")
        return await kept

    assert any_bench.run(work) == "still here"


def test_closing_a_pool_ends_calls_under_way(any_bench: Bench, gone: Callable[[int], bool]) -> None:
    any_bench.write(hanging(any_bench.engine.name, "a loop"))

    async def work() -> int:
        pool = any_bench.pool()
        call = asyncio.ensure_future(pool.call(any_bench.found(), []))
        pid = int(await any_bench.hear("busy "))
        await pool.close()
        with pytest.raises(CannotCheck):
            await call
        with pytest.raises(CannotCheck, match="the run is over"):
            await pool.call(any_bench.found("fine"), [])
        return pid

    assert gone(asyncio.run(work()))


ASSAY = """
import asyncio, sys
from pathlib import Path
from assay.contracts import ScriptTarget
from assay.scripts.find import Found
from assay.scripts.pool import Pool
from assay_plugins.scripts.python import Python
from assay_plugins.scripts.typescript import TypeScript

root, name, language = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
engine = {"python": Python, "typescript": TypeScript}[language]()
def found(function):
    target = ScriptTarget(file=root / name, function=function, root=root)
    return Found(target=target, engine=language)

async def main():
    pool = Pool({language: engine}, limit=2, tell=lambda line: print(line, flush=True))
    print("idle", await pool.call(found("fine"), []), flush=True)
    async def other():
        print("other", await pool.call(found("fine"), []), flush=True)
    await asyncio.gather(pool.call(found("check"), []), other())

asyncio.run(main())
"""


@pytest.mark.parametrize(("any_bench", "how"), UNLIKE, indirect=["any_bench"])
def test_nothing_outlives_assay_when_it_is_killed(
    any_bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    language = any_bench.engine.name
    any_bench.write(hanging(language, how))
    os.mkfifo(any_bench.root / "fifo")
    arguments = [str(any_bench.root), any_bench.file, language]
    assay = subprocess.Popen(
        [sys.executable, "-c", ASSAY, *arguments], stdout=subprocess.PIPE, text=True
    )
    assert assay.stdout is not None
    pids: dict[str, int] = {}
    with assay, assay.stdout:
        while len(pids) < 3:
            word, _, pid = assay.stdout.readline().partition(" ")
            pids[word] = int(pid)
        assay.kill()
    assert pids["idle"] == pids["busy"] != pids["other"]
    assert {word: gone(pid) for word, pid in pids.items()} == dict.fromkeys(pids, True)


def test_200_mb_of_prints_cost_no_memory(any_bench: Bench) -> None:
    texts = {
        "python": """
            def check():
                line = "x" * 99 + "\\n"
                for _ in range(200):
                    print(line * 10_000, end="")
                return True
        """,
        "typescript": """
            function check() {
                const line = ("x".repeat(99) + "\\n").repeat(10_000).trimEnd();
                for (let i = 0; i < 200; i++) console.log(line);
                return true;
            }
        """,
    }
    any_bench.write(texts[any_bench.engine.name])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert any_bench.run(lambda pool: pool.call(any_bench.found(), [])) is True
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
    assert sum(len(line) for line in any_bench.lines) < 100_000
    assert any_bench.lines[-1].endswith("(the rest of what this call prints is left out)")


def test_200_mb_of_result_are_refused_within_bounds(any_bench: Bench) -> None:
    texts = {
        "python": "def check(size): return 'x' * size",
        "typescript": "function check(size: number) { return 'x'.repeat(size); }",
    }
    any_bench.write(texts[any_bench.engine.name])

    async def work(pool: Pool) -> object:
        with pytest.raises(CannotCheck, match=r"returned more than 64 MiB of JSON"):
            await pool.call(any_bench.found(), [200_000_000])
        return await pool.call(any_bench.found(), [3])

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert any_bench.run(work) == "xxx"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 250_000


def start_bare(bench: Bench) -> tuple[subprocess.Popen[str], int, int]:
    """Start a worker without anything of ours; gives it, its requests and its answers."""
    their_input, our_output = os.pipe()
    our_input, their_output = os.pipe()
    numbers = {"ASSAY_SCRIPT_IN": str(their_input), "ASSAY_SCRIPT_OUT": str(their_output)}
    worker = subprocess.Popen(
        bench.engine.command(bench.root),
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **numbers},
        pass_fds=(their_input, their_output),
        start_new_session=True,
    )
    os.close(their_input)
    os.close(their_output)
    return worker, our_output, our_input


def request(file: Path, function: str) -> bytes:
    call = {"id": 1, "file": str(file), "function": function, "arguments": ()}
    return json.dumps(call).encode() + b"\n"


@pytest.mark.parametrize(("any_bench", "how"), UNLIKE, indirect=["any_bench"])
def test_a_busy_worker_ends_when_requests_end(
    any_bench: Bench, gone: Callable[[int], bool], how: str
) -> None:
    file = any_bench.write(hanging(any_bench.engine.name, how))
    os.mkfifo(any_bench.root / "fifo")
    worker, requests, answers = start_bare(any_bench)
    with worker, os.fdopen(answers, "rb"):
        os.write(requests, request(file, "check"))
        assert worker.stderr is not None
        pid = int(worker.stderr.readline().split()[1])
        os.close(requests)
        assert gone(pid)
    assert worker.returncode != 0


def test_a_worker_whose_answers_nobody_reads_ends(any_bench: Bench) -> None:
    file = any_bench.write(PID[any_bench.engine.name])
    worker, requests, answers = start_bare(any_bench)
    with worker:
        os.close(answers)
        os.write(requests, request(file, "check"))
        assert worker.wait(DEADLINE) != 0
        os.close(requests)


def test_an_idle_worker_ends_in_peace_when_requests_end(any_bench: Bench) -> None:
    file = any_bench.write(hanging(any_bench.engine.name, "a loop"))
    worker, requests, answers = start_bare(any_bench)
    with worker, os.fdopen(answers, "rb") as replies:
        os.write(requests, request(file, "fine") + b"no request\n")
        assert json.loads(replies.readline()) == {"id": 1, "value": worker.pid}
        answer = json.loads(replies.readline())
        assert answer["id"] is None
        assert answer["error"].startswith("the request cannot be read: ")
        os.write(requests, b"\xff\n[]\n" + request(file, "nowhere")[:20])
        assert all("cannot be read" in json.loads(replies.readline())["error"] for _ in range(2))
        os.close(requests)
        assert worker.wait(DEADLINE) == 0


def test_a_worker_spoken_to_over_its_standard_streams(any_bench: Bench) -> None:
    """Where there are no private descriptors, prints and answers still do not mix."""
    texts = {
        "python": """
            import os, sys

            def check(value):
                print("printed")
                os.write(1, b"written\\n")
                return [value, sys.stdin.read()]
        """,
        "typescript": """
            import process from "node:process";
            import { text } from "node:stream/consumers";

            async function check(value: string) {
                console.log("printed");
                Deno.stdout.writeSync(new TextEncoder().encode("written\\n"));
                process.stdout.write("");
                return [value, await text(process.stdin)];
            }
        """,
    }
    any_bench.write(texts[any_bench.engine.name])
    printed = Printed(any_bench.lines.append)

    async def work() -> object:
        command = any_bench.engine.command(any_bench.root)
        link = await open_standard_link(
            command, cwd=any_bench.root, longest=1_000_000, prints=printed.feed
        )
        worker = ScriptWorker(link, printed)
        try:
            value = [await worker.call(any_bench.found(), ["x" * 100_000]) for _ in range(2)]
            await worker.end()
        finally:
            await worker.close()
        return value

    assert asyncio.run(asyncio.wait_for(work(), DEADLINE)) == [["x" * 100_000, ""]] * 2
    assert any_bench.lines == ["printed", "written"] * 2


def test_a_pool_without_a_listener(any_bench: Bench) -> None:
    any_bench.write(ECHO[any_bench.engine.name])

    async def work() -> object:
        async with Pool({any_bench.engine.name: any_bench.engine}) as pool:
            return await pool.call(any_bench.found(), [1])

    assert asyncio.run(work()) == [1]
