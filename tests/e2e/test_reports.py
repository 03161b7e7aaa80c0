"""Reports of recorded runs: the same as the run wrote, short ones, and cases file by file."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

AGENT = """
    import json
    from collections import Counter

    from assay import AgentError, TransportError

    asked = Counter()


    def reply(request):
        text = request.text
        asked[text] += 1
        if text == "wavering" and asked[text] == 2:
            return "no"
        if text == "tried" and asked[text] == 1:
            raise TransportError("busy @octocat", retryable=True)
        if text == "broken":
            raise AgentError("</failure><b>broken</b> ::error::x")
        if text == "slow":
            import time

            time.sleep(60)
        if text == "hostile":
            return HOSTILE
        return json.loads(text) if text.startswith("{") else text


    HOSTILE = (
        "\\x1b[31m=cmd|' /C calc'!A0 ]]> <script>alert(1)</script> @octocat #1\\n"
        "::error file=x::owned\\n##[add-mask]owned\\n```\\n# owned\\n\\u202e \\ud800 \\x00"
    )
"""

FIRST = (
    {"id": "fine", "input": "fine", "expected": "fine", "tags": ["smoke", "=1+1"]},
    {"id": "wrong", "input": '{"a": [1, 2]}', "expected": {"a": [1, 3]}},
    {"id": "wavering", "input": "wavering", "expected": "wavering"},
    {"id": "tried", "input": "tried", "expected": "tried"},
    {"id": "a/b: c", "input": "hostile", "assert": {"type": "contains", "value": "nowhere"}},
)
SECOND = (
    {"id": "fine", "input": "fine"},
    {"id": "FINE", "input": "fine", "expected": "fine"},
    {"id": "broken", "input": "broken", "expected": "x"},
    {"id": "slow", "input": "slow", "expected": "x", "timeout": "100ms"},
    {"id": "later", "input": "x", "skip": True},
)
SUFFIXES = ("json", "md", "txt", "xml", "csv", "html", "jsonl")


def recorded(cli: Cli, *flags: str, runs: int = 1) -> str:
    """Run two suites, and give the name of the recorded lines."""
    cli.write("agent.py", AGENT)
    cli.cases("one/cases.jsonl", *FIRST)
    cli.cases("two/cases.jsonl", *SECOND)
    sources = ("-i", "one/cases.jsonl", "-i", "two/cases.jsonl")
    done = cli(
        *("test", *sources, "-n", "python:agent.py:reply", "-q"),
        *("--runs", str(runs), "--min-pass-rate", "60", "-o", "run.jsonl", *flags),
    )
    assert done.code == 1, done.err
    return "run.jsonl"


@pytest.mark.parametrize("runs", [1, 3])
def test_reports_of_a_recorded_run_are_those_that_the_run_wrote(cli: Cli, runs: int) -> None:
    names = [f"run.{suffix}" for suffix in SUFFIXES if suffix != "jsonl"]
    recorded(cli, *(flag for name in names for flag in ("-o", name)), runs=runs)
    later = [f"later.{suffix}" for suffix in SUFFIXES]
    done = cli("report", "run.jsonl", *(flag for name in later for flag in ("-o", name)))
    assert (done.code, done.out) == (0, ""), done.err
    assert done.err == "".join(f"report: {name}\n" for name in later)
    for name in names:
        suffix = name.partition(".")[2]
        assert (cli.root / name).read_bytes() == (cli.root / f"later.{suffix}").read_bytes(), name
    # The lines come in case order then; what they say is the same.
    before = sorted(map(json.dumps, cli.lines("run.jsonl")))
    assert sorted(map(json.dumps, cli.lines("later.jsonl"))) == before


def test_reports_of_reports_are_the_same(cli: Cli) -> None:
    cli("report", recorded(cli), "-o", "a.jsonl", "-o", "a.json", "-o", "a.xml")
    cli("report", "a.jsonl", "-o", "b.jsonl", "-o", "b.json", "-o", "b.xml")
    for suffix in ("jsonl", "json", "xml"):
        assert cli.read(f"a.{suffix}") == cli.read(f"b.{suffix}")


def test_what_tools_read_of_a_run(cli: Cli) -> None:
    cli("report", recorded(cli, runs=3), "-o", "r.xml", "-o", "r.csv")
    root = ElementTree.parse(cli.root / "r.xml").getroot()
    assert root.attrib | {"time": ""} == {
        "name": "assay",
        "tests": "10",
        "failures": "2",
        "errors": "2",
        "time": "",
    }
    assert [suite.attrib["name"] for suite in root] == ["one/cases.jsonl", "two/cases.jsonl"]
    cases = {
        (case.attrib["classname"], case.attrib["name"]): [
            (each.tag, each.attrib.get("type")) for each in case
        ]
        for case in root.iter("testcase")
    }
    assert cases == {
        ("one/cases.jsonl", "fine"): [],
        ("one/cases.jsonl", "wrong"): [("failure", "equals")],
        ("one/cases.jsonl", "wavering"): [("flakyFailure", "equals")],
        ("one/cases.jsonl", "tried"): [("flakyFailure", "try")],
        ("one/cases.jsonl", "a/b: c"): [("failure", "contains")],
        ("two/cases.jsonl", "fine"): [],
        ("two/cases.jsonl", "FINE"): [],
        ("two/cases.jsonl", "broken"): [("error", "agent_error")],
        ("two/cases.jsonl", "slow"): [("error", "timeout")],
        ("two/cases.jsonl", "later"): [("skipped", None)],
    }
    text = (cli.root / "r.csv").read_bytes().decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["id"], row["status"]) for row in rows] == [
        ("fine", "passed"),
        ("wrong", "failed"),
        ("wavering", "passed"),
        ("tried", "passed"),
        ("a/b: c", "failed"),
        ("fine", "passed"),
        ("FINE", "passed"),
        ("broken", "error"),
        ("slow", "timeout"),
        ("later", "skipped"),
    ]
    assert rows[0]["tags"] == "smoke =1+1"
    assert rows[4]["output"].startswith("\\x1b[31m=cmd|")


def test_a_summary_fits_into_a_comment_and_says_so(cli: Cli) -> None:
    cli.cases(
        "cases.jsonl",
        *({"id": f"T{n:04}", "input": f"{n} " * 500, "expected": "x"} for n in range(500)),
    )
    cli("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "-o", "run.jsonl")
    done = cli("report", "run.jsonl", "--summary-only")
    assert done.code == 0, done.err
    assert len(done.out) <= 65_536
    assert done.out.startswith("# Agent Test Report\n\n❌ **FAILED**: 0 passed, 500 failed in ")
    assert re.search(r"\*Cut here: \d+ more cases that did not pass", done.out)
    cli("report", "run.jsonl", "--summary-only", "-o", "short.md", "-o", "whole.json")
    assert cli.read("short.md") == done.out
    assert len(cli.json("whole.json")["results"]) == 500
    cli.write("assay.toml", "[reporter.markdown]\nsummary_only = true\n")
    cli("report", "run.jsonl", "-o", "set.md")
    assert cli.read("set.md") == done.out


@pytest.mark.parametrize(
    "flags", [("-o", "r.json"), ("-r", "summary"), ("-r", "json", "-o", "r.md")]
)
def test_a_summary_is_one_of_markdown(cli: Cli, flags: tuple[str, ...]) -> None:
    done = cli("report", recorded(cli), "--summary-only", *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: --summary-only: it is about Markdown")


def test_cases_in_files_of_their_own(cli: Cli) -> None:
    done = cli("extract", recorded(cli))
    assert (done.code, done.out, done.err) == (0, "", "10 files in run\n")
    names = cli.files("run")
    assert len(names) == 10
    assert len({name.casefold() for name in names}) == 10
    folders = sorted({name.partition("/")[0] for name in names})
    assert [folder[:9] for folder in folders] == ["one_cases", "two_cases"]
    first = {name.partition("/")[2]: name for name in names if name.startswith("one")}
    assert {"fine.md", "tried.md", "wavering.md", "wrong.md"} < set(first)
    text = cli.read(f"run/{first['wrong.md']}")
    assert text.startswith("# ❌ wrong - Failed (")
    assert "```diff\n" in text


def test_cases_as_json_where_they_are_wanted(cli: Cli) -> None:
    cli.cases("cases.jsonl", *FIRST[:2])
    cli("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "-o", "run.jsonl", "-o", "run.json")
    done = cli("extract", "run.jsonl", "-o", "review/now", "--format", "json")
    assert (done.code, done.err) == (0, "2 files in review/now\n")
    assert cli.files("review/now") == ["fine.json", "wrong.json"]
    for result in cli.json("run.json")["results"]:
        assert cli.json(f"review/now/{result['id']}.json") == result


@pytest.mark.parametrize(
    ("flags", "code", "problem"),
    [
        (("gone.jsonl",), 2, "gone.jsonl: it cannot be read"),
        (("one/cases.jsonl",), 2, "one/cases.jsonl: it holds no run"),
        (("run.jsonl", "--format", "jsn"), 2, "--format jsn: no such reporter writes single cases"),
        (("run.jsonl", "-o", "agent.py"), 3, "agent.py/"),
    ],
)
def test_what_cannot_be_extracted(
    cli: Cli, flags: tuple[str, ...], code: int, problem: str
) -> None:
    recorded(cli)
    before = cli.files()
    done = cli("extract", *flags)
    assert (done.code, done.out) == (code, "")
    assert problem in done.err
    assert "Traceback" not in done.err
    assert cli.files() == before


def test_of_a_damaged_file_what_stands_is_reported(cli: Cli) -> None:
    text = cli.read(recorded(cli))
    lines = text.splitlines(keepends=True)
    cli.write("torn.jsonl", "".join(lines[:3]) + lines[3][:40])
    done = cli("extract", "torn.jsonl")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    assert done.err.endswith("2 files in torn\n")
    done = cli("report", "torn.jsonl", "-o", "t.xml", "-o", "t.csv", "-o", "t.md")
    assert done.code == 0
    assert done.err.startswith("warning: ")
    root = ElementTree.parse(cli.root / "t.xml").getroot()
    assert root.attrib["tests"] == "2"
