"""A run that is stopped from outside says truly what is known; one that is killed loses nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli, Running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")

AGENT = """
    import asyncio, threading
    from pathlib import Path

    async def reply(request):
        if request.text == "hang":
            print("hanging", flush=True)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                Path("cancelled").touch()
                raise
        return "good"

    def thread(request):
        if request.text == "hang":
            print("hanging", flush=True)
            threading.Event().wait()
        return "good"

    async def blocking(request):
        if request.text == "hang":
            print("hanging", flush=True)
            threading.Event().wait()
        return "good"
"""

CASES = (
    {"id": "a", "input": "x", "expected": "good"},
    {"id": "b", "input": "x", "expected": "other"},
    {"id": "c", "input": "hang", "expected": "good"},
    {"id": "d", "input": "x"},
    {"id": "e", "input": "x", "skip": True},
)


def started(cli: Cli, *flags: str, function: str = "reply") -> Running:
    """Start a run whose third case hangs, and wait until it does."""
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)
    running = cli.start(
        *("test", "-i", "cases.jsonl", "-n", f"python:agent.py:{function}", "--json"), *flags
    )
    running.wait_for("hanging", "err")
    return running


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [
        (signal.SIGINT, 130, "interrupted by Ctrl-C"),
        (signal.SIGTERM, 143, "terminated by a signal"),
    ],
)
@pytest.mark.parametrize("function", ["reply", "thread"])
def test_a_signal_ends_the_run_with_a_true_report(
    cli: Cli, number: int, code: int, reason: str, function: str
) -> None:
    running = started(cli, "-o", "report.json", "-o", "report.md", function=function)
    running.signal(number)
    done = running.end()
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    start, *results, summary = done.lines
    assert start["total_cases"] == 5
    told = [(line["id"], line["status"], line.get("reason")) for line in results]
    assert told == [
        ("a", "passed", None),
        ("b", "failed", None),
        ("c", "skipped", reason),
        ("d", "skipped", reason),
        ("e", "skipped", "skip is set in the case"),
    ]
    assert summary["stopped"] == reason
    counts = {key: summary[key] for key in ("total", "passed", "failed", "skipped", "exit_code")}
    assert counts == {"total": 5, "passed": 1, "failed": 1, "skipped": 3, "exit_code": code}
    report = cli.json("report.json")
    assert [result["id"] for result in report["results"]] == ["a", "b"]
    assert [skipped["id"] for skipped in report["skipped"]] == ["c", "d", "e"]
    assert reason in cli.read("report.md")
    assert cli.files() == sorted(
        ["agent.py", "cases.jsonl", "report.json", "report.md"]
        + (["cancelled"] if function == "reply" else [])
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_before_any_case_runs(cli: Cli, number: int, code: int) -> None:
    cli.write(
        "agent.py",
        """
        import threading
        print("importing", flush=True)
        threading.Event().wait()
        """,
    )
    cli.cases("cases.jsonl", *CASES)
    running = cli.start("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json")
    running.wait_for("importing", "err")
    running.signal(number)
    done = running.end()
    assert (done.code, done.out) == (code, "")
    assert done.err.splitlines()[-1].endswith(", before any case ran")
    assert cli.files() == ["agent.py", "cases.jsonl"]


def test_several_runs_that_are_interrupted_keep_what_is_finished(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        import asyncio
        from collections import Counter
        asked = Counter()

        async def reply(request):
            asked[request.text] += 1
            if asked[request.text] == 3:
                print("hanging", flush=True)
                await asyncio.Event().wait()
            return "bad" if asked["x"] == 2 else "good"
        """,
    )
    cli.cases("cases.jsonl", {"id": "a", "input": "x", "expected": "good"})
    running = cli.start(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "--runs", "5")
    )
    running.wait_for("hanging", "err")
    running.signal(signal.SIGINT)
    done = running.end()
    assert done.code == 130
    assert [line["type"] for line in done.lines] == [
        "start",
        "attempt",
        "attempt",
        "result",
        "summary",
    ]
    case = done.lines[3]
    assert (case["status"], case["incomplete"]) == ("failed", True)
    assert (case["runs"], case["passed"], case["pass_rate"]) == (2, 1, 50.0)


def test_a_second_interrupt_stops_at_once(cli: Cli) -> None:
    # The loop is blocked by the agent: the first interrupt alone cannot end the run.
    running = started(cli, "-o", "results.jsonl", function="blocking")
    running.signal(signal.SIGINT)
    while running.process.poll() is None:
        # Signals of one kind become one while they wait to be delivered.
        running.signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            running.process.wait(0.1)
    done = running.end()
    assert done.code == 130
    assert "Traceback" not in done.err
    assert [line["type"] for line in cli.lines("results.jsonl")] == ["start", "result", "result"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_script_is_left_behind(cli: Cli, number: int) -> None:
    cli.write(
        "checks.py",
        """
        import os
        from pathlib import Path

        def hangs(output, input, expected):
            Path("pid").write_text(str(os.getpid()))
            print("hanging", flush=True)
            while True:
                pass
        """,
    )
    check = {"type": "script", "script": "checks.py:hangs"}
    cli.cases("cases.jsonl", {"id": "a", "input": "x", "assert": check})
    running = cli.start(
        *("test", "-i", "cases.jsonl", "-n", "echo:", "--json", "-v", "-o", "r.jsonl")
    )
    running.wait_for("hanging", "err")
    running.signal(number)
    done = running.end()
    if number == signal.SIGINT:
        assert done.code == 130
        assert done.lines[1]["status"] == "skipped"
    wait_until_gone(int(cli.read("pid")))


def wait_until_gone(process: int) -> None:
    """Wait until a process that is no child of ours has ended; a zombie has."""
    import select

    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 10)[0], f"{process} was left behind"
    finally:
        os.close(descriptor)


def kill_in_mid_run(cli: Cli, *flags: str) -> list[dict[str, Any]]:
    """Kill a run once two results stand on standard output, and give the lines seen there."""
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)
    running = cli.start(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json"), *flags
    )
    running.wait_for("hanging", "err")
    running.signal(signal.SIGKILL)
    done = running.end()
    assert done.code == -signal.SIGKILL
    return done.lines


def test_a_killed_run_leaves_whole_lines_that_reports_are_made_of(cli: Cli) -> None:
    seen = kill_in_mid_run(cli, "-o", "results.jsonl")
    assert [line["type"] for line in seen] == ["start", "result", "result"]
    assert cli.lines("results.jsonl") == seen
    done = cli("report", "results.jsonl", "-o", "report.json", "-o", "report.md")
    assert done.code == 0, done.err
    report = cli.json("report.json")
    assert [(line["id"], line["status"]) for line in report["results"]] == [
        ("a", "passed"),
        ("b", "failed"),
    ]
    stopped = "the run broke off: 2 of its 5 cases have a result"
    summary = report["summary"]
    counts = {key: summary[key] for key in ("total", "passed", "failed", "skipped", "stopped")}
    assert counts == {"total": 2, "passed": 1, "failed": 1, "skipped": 0, "stopped": stopped}
    page = cli.read("report.md")
    assert "### ✅ a" in page
    assert stopped in page


def test_a_line_that_was_cut_is_told_and_left_out(cli: Cli) -> None:
    kill_in_mid_run(cli, "-o", "results.jsonl")
    path = cli.root / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    done = cli("report", "results.jsonl", "-o", "report.json")
    assert done.code == 0, done.err
    assert "results.jsonl:3: the last line is torn; it is left out" in done.err
    assert [line["id"] for line in cli.json("report.json")["results"]] == ["a"]


def test_a_killed_run_whose_reports_are_pages_leaves_its_journal(cli: Cli) -> None:
    kill_in_mid_run(cli, "-o", "report.md")
    (hidden,) = [name for name in cli.files() if name.startswith(".assay-")]
    lines = cli.lines(hidden)
    assert [line.get("id") for line in lines] == [None, "a", "b"]
    done = cli("report", hidden, "-o", "report.md")
    assert done.code == 0, done.err
    assert "### ❌ b" in cli.read("report.md")
