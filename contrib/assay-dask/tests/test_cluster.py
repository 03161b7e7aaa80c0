"""A run on a real cluster is like a local one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Cli, Dask, Result

AGENT = """
    import asyncio, os
    from pathlib import Path

    here = Path(__file__).parent

    with open(here / "imported", "a") as file:
        file.write(f"{os.getpid()}\\n")

    async def reply(request):
        with open(here / "asked", "a") as file:
            file.write(f"{os.getpid()} {request.text}\\n")
        if request.text == "raises":
            raise ValueError("no good \\ud800")
        if request.text == "hangs":
            try:
                await asyncio.Event().wait()
            finally:
                (here / "cancelled").touch()
        if request.text == "deep":
            value = []
            for _ in range(5000):
                value = [value]
            return value
        return {"said": request.text, "user": request.environment.user_id, "big": 10**25}
"""

SCRIPT = "def check(output, input, expected): return expected\n"

UNIQUE = re.compile(
    r'"(\w*duration_ms|timestamp|started_at|completed_at|chat_id|std_deviation_ms|command)":'
    r' ?("(?:[^"\\]|\\.)*"|[\d.]+)'
)


def prepared(cli: Cli) -> None:
    cli.write("agent.py", AGENT)
    cli.write("assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n')
    cli.write("scripts/near.py", SCRIPT)
    script = {"type": "script", "script": "scripts.near.check", "value": True}
    cli.cases(
        {"id": "é 🎉", "input": "plain", "assert": [script, {"type": "contains", "value": "pl"}]},
        {"id": "raises", "input": "raises", "expected": {"a": 1.0}},
        {"id": "skipped", "input": "x", "skip": True},
        {"id": "fails", "input": "x", "expected": {"said": "x", "user": "file", "big": 1}},
        {"id": "hangs", "input": "hangs", "timeout": "100ms"},
        {"id": "deep", "input": "deep"},
        *({"id": f"more {number}", "input": "x", "user": "case"} for number in range(20)),
    )


TIMES = re.compile(r"\b\d+(?:\.\d+)?m?s\b")


def seen(done: Result) -> tuple[int, str]:
    """Give the exit code, and what was shown without times."""
    return done.code, TIMES.sub("0ms", done.err)


def same(text: str) -> list[str]:
    """Give the lines of a run in the order of cases, without what differs from run to run."""
    return sorted(UNIQUE.sub(r'"\1":0', text).splitlines())


def asked(cli: Cli) -> list[list[str]]:
    return [line.split() for line in cli.read("asked").splitlines()]


@pytest.mark.parametrize("parallel", ["1", "4"])
def test_the_report_is_that_of_a_local_run(cli: Cli, shared: Dask, parallel: str) -> None:
    prepared(cli)
    outputs = ("r.jsonl", "r.json", "r.html", "r.md")
    flags = [flag for name in outputs for flag in ("-o", name)]
    run = ("-i", "cases.jsonl", "-q", "--runs", "2", "--parallel", parallel, *flags)
    here = cli(*run)
    local = {name: cli.read(name) for name in outputs}
    here_pids = {pid for pid, _ in asked(cli)}
    (cli.root / "asked").unlink()
    far = cli(*run, *shared.flags)
    assert seen(far) == seen(here)
    assert far.code == 1
    assert same(cli.read("r.jsonl")) == same(local["r.jsonl"])
    if parallel == "1":
        assert same(cli.read("r.json")) == same(local["r.json"])
    pids = {int(pid) for pid, _ in asked(cli)}
    assert len(here_pids) == 1
    assert pids <= shared.pids
    assert len(pids) == (1 if parallel == "1" else 2)
    # A page is what its lines say; that these are the same was seen above.
    html, markdown = cli.read("r.html"), cli.read("r.md")
    again = cli_report(cli, "r.jsonl", "r.html", "r.md")
    assert (again["r.html"], again["r.md"]) == (html, markdown)


def cli_report(cli: Cli, lines: str, *outputs: str) -> dict[str, str]:
    """Make reports of the lines of a run."""
    import subprocess
    import sys

    flags = [flag for name in outputs for flag in ("-o", name)]
    command = [sys.executable, "-m", "assay", "report", lines, *flags]
    subprocess.run(command, cwd=cli.root, env=cli.env, check=True, capture_output=True)
    return {name: cli.read(name) for name in outputs}


def test_transports_are_opened_once_in_each_worker(cli: Cli, shared: Dask) -> None:
    prepared(cli)
    done = cli("-i", "cases.jsonl", "-q", "--parallel", "4", *shared.flags)
    assert done.code == 1, done.err
    imported = [int(pid) for pid in cli.read("imported").split()]
    assert sorted(pid for pid in imported if pid in shared.pids) == sorted(shared.pids)
    # The run itself has opened them for its preflight.
    assert len(imported) == 3


def statuses(done: Result) -> dict[str, str]:
    return {line["id"]: line["status"] for line in done.lines if line["type"] == "result"}


def test_fail_fast_begins_nothing_more(cli: Cli, shared: Dask) -> None:
    prepared(cli)
    cli.cases({"id": "a", "input": "raises"}, *({"id": str(n), "input": "x"} for n in range(5)))
    done = cli("-i", "cases.jsonl", "-q", "--json", "--fail-fast", "--parallel", "1", *shared.flags)
    assert done.code == 1, done.err
    assert list(statuses(done).values()) == ["error", *["skipped"] * 5]
    assert len(asked(cli)) == 1


def test_fail_fast_cancels_what_is_under_way(cli: Cli, shared: Dask) -> None:
    prepared(cli)
    cli.cases(
        {"id": "hangs", "input": "hangs"},
        {"id": "waits", "input": "x"},
        {"id": "raises", "input": "raises"},
    )
    done = cli("-i", "cases.jsonl", "-q", "--json", "--fail-fast", "--parallel", "2", *shared.flags)
    assert done.code == 1, done.err
    assert statuses(done) == {"waits": "passed", "raises": "error", "hangs": "skipped"}
    assert (cli.root / "cancelled").exists()
    assert done.lines[-1]["stopped"] == "stopped by --fail-fast after raises"


def test_ctrl_c_gives_a_true_summary_and_leaves_the_cluster_as_it_was(
    cli: Cli, shared: Dask, interrupt: int
) -> None:
    prepared(cli)
    cases: list[Any] = [{"id": "hangs", "input": "hangs"}, {"id": "a", "input": "x"}]
    cli.cases(*cases, {"id": "hangs, too", "input": "hangs"}, {"id": "b", "input": "x"})
    run = ("-i", "cases.jsonl", "-q", "--json", "--parallel", "2", *shared.flags)
    running = cli.start(*run)
    # What is done is told at once, though the other attempts of its batch are not.
    running.wait_for('"id": "a"')
    running.process.send_signal(interrupt)
    done = running.end()
    assert done.code == 130
    reason = "interrupted by Ctrl-C"
    assert done.err.splitlines()[0].split(maxsplit=1) == ["Stopped", reason]
    assert len(done.err.splitlines()) == 2, done.err
    assert statuses(done) == {
        "a": "passed",
        "hangs": "skipped",
        "hangs, too": "skipped",
        "b": "skipped",
    }
    assert done.lines[-1]["stopped"] == reason
    assert (cli.root / "cancelled").exists()
    cli.cases({"id": "again", "input": "x"})
    assert statuses(cli(*run)) == {"again": "passed"}


STUBBORN = """
    import asyncio

    async def reply(request):
        print("stubborn", flush=True)
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                print("cancelled", flush=True)
"""


def test_a_second_ctrl_c_stops_at_once(cli: Cli, dask: Dask, interrupt: int) -> None:
    dask.add()
    cli.write("agent.py", STUBBORN)
    cli.cases({"id": "a", "input": "x"})
    running = cli.start("-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q", *dask.flags)
    dask.workers[0].wait_for("stubborn")
    running.process.send_signal(interrupt)
    dask.workers[0].wait_for("cancelled")
    running.process.send_signal(interrupt)
    done = running.end()
    assert done.code == 130
    assert "Traceback" not in done.err


def test_nothing_of_the_cluster_is_heard(cli: Cli, dask: Dask) -> None:
    dask.add()
    prepared(cli)
    cli.cases({"id": "a", "input": "x"})
    done = cli("-i", "cases.jsonl", "-q", *dask.flags)
    assert (seen(done), done.out) == ((0, "PASSED   1 passed, 1 unasserted in 0ms\n"), "")
    dask.workers[0].process.terminate()
    told = dask.workers[0].end()
    # One line of dask's for the run, and none for each exchange.
    assert told.err.count("out-of-band") <= 1
    assert "Traceback" not in told.err


def test_a_function_of_this_process_is_refused(cli: Cli, shared: Dask) -> None:
    import subprocess
    import sys

    cli.write(
        "program.py",
        f"""
        import assay

        try:
            assay.run(
                [{{"id": "a", "input": "x"}}],
                agent=lambda request: "",
                executor="dask",
                sets=("executor.dask.scheduler={shared.address}",),
            )
        except assay.ConfigError as error:
            print(error)
        """,
    )
    command = [sys.executable, "program.py"]
    told = subprocess.run(command, cwd=cli.root, env=cli.env, capture_output=True, check=True)
    assert b"name it as python:FILE.py:FUNCTION" in told.stdout


def test_a_run_from_a_program_needs_no_guard(cli: Cli, shared: Dask) -> None:
    import subprocess
    import sys

    prepared(cli)
    cli.write(
        "program.py",
        """
        import assay

        report = assay.run("cases.jsonl", executor="dask", sets=("executor.dask.workers=2",))
        print(report.summary.counts.total)
        """,
    )
    command = [sys.executable, "program.py"]
    told = subprocess.run(command, cwd=cli.root, env=cli.env, capture_output=True, check=True)
    assert told.stdout == b"26\n", told.stderr
