"""A run in a workflow of GitHub: what the runner obeys of the log, and the summary of the step."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli, Result

HOSTILE = "Fine.\n  ::error file=x::owned\n::add-mask::Fine\n##[error]owned @octocat"

AGENT = f"""
    def reply(request):
        return {HOSTILE!r} + request.text
"""


def in_actions(cli: Cli, *args: str) -> Result:
    environ = {
        "GITHUB_ACTIONS": "true",
        "CI": "true",
        "GITHUB_WORKSPACE": str(cli.root),
        "GITHUB_STEP_SUMMARY": str(cli.root / "step.md"),
    }
    cli.write("agent.py", AGENT)
    cli.cases(
        "tests/cases.jsonl",
        *({"id": f"T{n:02} ::error::x", "input": str(n), "expected": "x"} for n in range(12)),
        {"id": "fine", "input": "fine", "assert": {"type": "contains", "value": "fine"}},
    )
    return cli(*args, env=environ)


def obeyed(*streams: str) -> list[str]:
    """The lines of a log that the runner takes for commands."""
    lines = [line for text in streams for line in re.split("\r\n|\r|\n", text)]
    return [line for line in lines if line.strip().startswith("::") or "##[" in line]


TEST = ("test", "-i", "tests/cases.jsonl", "-n", "python:agent.py:reply")


@pytest.mark.parametrize(
    "flags", [(), ("-v",), ("-q",), ("--json",), ("-r", "markdown"), ("-r", "junit")]
)
def test_the_log_holds_ten_errors_and_nothing_else_that_is_obeyed(
    cli: Cli, flags: tuple[str, ...]
) -> None:
    done = in_actions(cli, *TEST, *flags)
    assert done.code == 1
    found = obeyed(done.out, done.err)
    assert [line.partition(",title")[0] for line in found] == [
        *(f"::error file=tests/cases.jsonl,line={line}" for line in range(1, 11)),
        "::notice title=assay::2 more cases did not pass, all in the report",
    ]
    assert all("%3A%3Aerror%3A%3Ax failed::equals: " in line for line in found[:10])
    assert "\x1b" not in done.err
    summary = cli.read("step.md")
    assert "❌ **FAILED**: 1 passed, 12 failed in " in summary
    assert len(summary.encode()) <= 1024 * 1024


def test_lines_on_standard_output_are_the_same_json(cli: Cli) -> None:
    done = in_actions(cli, *TEST, "--json", "-o", "run.jsonl")
    assert done.lines == cli.lines("run.jsonl")
    assert done.lines[1]["output"] == HOSTILE + "0"


def test_the_path_of_the_report_comes_last(cli: Cli) -> None:
    done = in_actions(cli, *TEST, "-o", "report.json")
    assert done.err.splitlines()[-1] == "Report  report.json"
    assert cli.read("step.md").endswith("Reports: report.json\n")


def test_it_can_be_taken_out(cli: Cli) -> None:
    done = in_actions(cli, "-p", "no:reporter.github", *TEST)
    assert done.code == 1
    assert obeyed(done.out, done.err) == []
    assert not (cli.root / "step.md").exists()


def test_the_answer_to_a_message_is_no_command(cli: Cli) -> None:
    done = in_actions(cli, "test", "-i", "hello", "-n", "python:agent.py:reply")
    assert done.code == 0, done.err
    assert obeyed(done.out, done.err) == []
    assert "\\u003a:add-mask::Fine\n" in done.out
    assert not (cli.root / "step.md").exists()


def test_reports_of_a_recorded_run_on_standard_output_are_none_either(cli: Cli) -> None:
    in_actions(cli, *TEST, "-q", "-o", "run.jsonl")
    for word in ("markdown", "summary", "junit", "csv", "jsonl"):
        done = in_actions(cli, "report", "run.jsonl", "-r", word)
        assert done.code == 0, done.err
        assert obeyed(done.out, done.err) == [], word
    done = in_actions(cli, "report", "run.jsonl", "-r", "json")
    assert obeyed(done.out) == []
    assert json.loads(done.out)["results"][0]["output"] == HOSTILE + "0"


def test_a_summary_that_cannot_be_written_is_told_and_the_rest_stands(cli: Cli) -> None:
    (cli.root / "step.md").mkdir()
    done = in_actions(cli, *TEST, "-q", "-o", "report.json")
    assert done.code == 1
    assert "reporter github of assay" in done.err
    assert len(obeyed(done.err)) == 11
    assert len(cli.json("report.json")["results"]) == 13


def test_elsewhere_it_is_not_on(cli: Cli) -> None:
    in_actions(cli, "check", "tests/cases.jsonl")
    done = cli(*TEST, "-q")
    assert "::error file" not in done.err
    assert not (cli.root / "step.md").exists()
