"""A run ends, whatever hangs in it, with all that was computed, and says what it was."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")

HASTE = ("--timeout", "1s", "--grace", "1s")

AGENT = """
    import threading

    async def reply(request):
        if request.text == "hang":
            print("hanging", flush=True)
            threading.Event().wait()
        return "good"
"""

CASES = (
    {"id": "a", "input": "x", "expected": "good"},
    {"id": "b", "input": "x", "expected": "other"},
    {"id": "c", "input": "hang", "expected": "good"},
    {"id": "d", "input": "x", "expected": "good"},
)


def blocked(cli: Cli) -> tuple[str, ...]:
    """Write an agent that blocks the event loop in its third case; gives the flags."""
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)
    return ("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--parallel", "1", *HASTE)


def test_an_agent_that_blocks_the_loop_is_named_and_the_reports_are_written(cli: Cli) -> None:
    done = cli(*blocked(cli), "-o", "run.jsonl", "-o", "report.json", "-o", "report.md")
    assert done.code == 3
    told = "case 'c', attempt 1, asking the agent (for 0ms; it may take 0ms) does not end"
    assert told in done.seen
    assert "agent.py:7 in reply" in done.err
    assert "Report  report.md" in done.err
    lines = cli.lines("run.jsonl")
    assert [line["type"] for line in lines] == ["start", "result", "result", "summary"]
    summary = lines[-1]
    assert (summary["passed"], summary["failed"], summary["exit_code"]) == (1, 1, 3)
    assert summary["stopped"].startswith("case 'c', attempt 1, asking the agent")
    assert summary["stopped"].endswith("; 2 of 4 cases have a result")
    assert [result["id"] for result in cli.json("report.json")["results"]] == ["a", "b"]
    assert "case 'c', attempt 1" in cli.read("report.md")
    assert cli.files() == sorted(
        ["agent.py", "cases.jsonl", "report.json", "report.md", "run.jsonl"]
    )


def test_a_run_that_was_ended_goes_on_with_resume(cli: Cli) -> None:
    flags = blocked(cli)
    assert cli(*flags, "-o", "run.jsonl").code == 3
    cli.write("agent.py", AGENT.replace("threading.Event().wait()", "pass"))
    done = cli(*flags, "--resume", "run.jsonl")
    assert done.code == 1, done.err
    summary = cli.lines("run.jsonl")[-1]
    assert (summary["passed"], summary["failed"], summary.get("stopped")) == (3, 1, None)


def test_pages_alone_leave_no_journal(cli: Cli) -> None:
    done = cli(*blocked(cli), "-o", "report.json")
    assert done.code == 3
    assert cli.files() == ["agent.py", "cases.jsonl", "report.json"]


def test_a_signal_that_a_blocked_loop_cannot_hear_ends_the_run(cli: Cli) -> None:
    flags = [*blocked(cli)[: -len(HASTE)], "-o", "report.json"]
    running = cli.start(*flags)
    running.wait_for("hanging", "err")
    running.signal(signal.SIGTERM)
    done = running.end()
    assert done.code == 143
    assert "interrupted, and case 'c', attempt 1, asking the agent (for " in done.err
    assert "does not let go; it is at " in done.err
    assert [result["id"] for result in cli.json("report.json")["results"]] == ["a", "b"]


PAGE = """
    import threading
    from assay import hookimpl

    class Endless:
        name = "endless"
        suffixes = (".endless",)

        def __init__(self, settings=None):
            pass

        def write(self, report, out):
            print("hanging", flush=True)
            threading.Event().wait()

    @hookimpl
    def assay_reporters():
        return [Endless]
"""


def test_a_page_that_is_never_done_is_named_and_the_others_are_written(cli: Cli) -> None:
    cli.install("pages", reporter__endless=PAGE)
    cli.cases("cases.jsonl", *CASES)
    running = cli.start(
        *("test", "-i", "cases.jsonl", "-n", "echo:"),
        *("-o", "first.endless", "-o", "report.json"),
    )
    running.wait_for("hanging", "err")
    running.signal(signal.SIGINT)
    done = running.end()
    assert done.code == 130
    assert "interrupted, and writing report first.endless with 'endless' (for " in done.err
    (journal,) = [name for name in cli.files() if name.endswith(".journal")]
    assert f"not all reports could be written; {journal} holds the results" in done.err
    assert len(cli.json("report.json")["results"]) == len(CASES)


STREAM = """
    import threading
    from assay import hookimpl

    class Deaf:
        name = "deaf"

        @classmethod
        def wanted(cls, environ):
            return True

        def __init__(self, context, settings=None):
            pass

        def start(self, info):
            pass

        def attempt(self, result, attempt):
            pass

        def result(self, result):
            threading.Event().wait()

        def finish(self, summary):
            raise AssertionError("it hangs, and is told nothing more")

        def written(self, paths):
            raise AssertionError("it hangs, and is told nothing more")

    @hookimpl
    def assay_reporters():
        return [Deaf]
"""


def test_a_reporter_that_hangs_is_blamed_and_not_the_cases_that_wait(cli: Cli) -> None:
    cli.install("streams", reporter__deaf=STREAM)
    cli.write(
        "agent.py",
        """
        import asyncio

        async def reply(request):
            if request.text == "hang":
                await asyncio.Event().wait()
            return "good"
        """,
    )
    cli.cases("cases.jsonl", *CASES)
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--parallel", "4"),
        *(*HASTE, "-o", "run.jsonl", "-o", "report.json"),
    )
    assert done.code == 3
    assert "telling reporter 'deaf' (for " in done.err
    assert "streams_reporter__deaf.py:22 in result" in done.err
    assert "AssertionError" not in done.err
    results = cli.json("report.json")["results"]
    assert [line["id"] for line in results] == ["a"]
    assert cli.lines("run.jsonl")[-1]["type"] == "summary"
    assert "case 'c'" not in done.err


def test_cases_that_never_come_are_broken_off(cli: Cli) -> None:
    process = subprocess.Popen(
        cli.command("test", "-i", "-", "-n", "echo:", "--json"),
        cwd=cli.root,
        env=cli.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    # More than a pipe takes: once it is written, the run is reading.
    process.stdin.write('{"id": "%s", "input": "x"}\n' % ("x" * 200_000))
    process.stdin.flush()
    process.send_signal(signal.SIGTERM)
    # Whoever writes the cases goes on: its end is not what ends the run.
    assert process.wait(60) == 143
    out, err = process.communicate()
    assert (out, err) == ("", "Error: terminated by a signal, before any case ran\n")
    assert cli.files() == []
