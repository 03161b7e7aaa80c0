"""``-r`` with the name of an agent: it is handed the run, and its answer is the report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

REPORTERS = """
    import asyncio
    import json

    def whole(request):
        return json.loads(request.text)

    def fenced(request):
        asked = json.loads(request.text)
        total = asked["report"]["summary"]["total"]
        return f"```{asked['format']}\\n<h1>{total} of {asked['format']}</h1>\\n```\\n"

    def two_fences(request):
        return "```\\na\\n```\\n```\\nb\\n```"

    def raises(request):
        raise RuntimeError("out of ideas")

    def empty(request):
        return ""

    async def slow(request):
        await asyncio.Event().wait()
"""


@pytest.fixture(autouse=True)
def files(cli: Cli) -> None:
    """Case file and reporter agents."""
    cli.write("reporters.py", REPORTERS)
    cli.cases(
        "cases.jsonl",
        {"id": "T1", "input": "hello", "expected": "hello"},
        {"id": "T2", "input": "bye", "expected": "hello"},
        {"id": "T3", "input": "x", "skip": True},
    )


def run(cli: Cli, function: str, *flags: str, code: int) -> str:
    done = cli(
        *("test", "-q", "-i", "cases.jsonl", "-n", "echo:"),
        *("-r", f"python:reporters.py:{function}", *flags),
    )
    assert done.code == code, done
    return done.out if not flags or code != 3 else done.err


def test_the_agent_is_handed_report_format_and_options(cli: Cli) -> None:
    run(cli, "whole", "-o", "report.txt", "-o", "beside.json", code=1)
    asked = json.loads(cli.read("report.txt"))
    assert asked["format"] == "text"
    assert asked["options"] == {"verbose": False, "include_outputs": True}
    assert asked["report"] == cli.json("beside.json")
    assert [result["output"] for result in asked["report"]["results"]] == ["hello", "bye"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("r.html", "html"),
        ("r.HTM", "html"),
        ("r.md", "markdown"),
        ("r.markdown", "markdown"),
        ("r.json", "json"),
        ("r.slack", "text"),
        ("plain", "text"),
    ],
)
def test_the_format_follows_the_suffix_and_a_fence_is_taken_off(
    cli: Cli, name: str, told: str
) -> None:
    run(cli, "fenced", "-o", name, code=1)
    assert cli.read(name) == f"<h1>3 of {told}</h1>\n"
    assert cli.files() == sorted(["cases.jsonl", name, "reporters.py"])


def test_without_a_file_the_report_goes_to_standard_output(cli: Cli) -> None:
    assert run(cli, "fenced", code=1) == "<h1>3 of text</h1>\n"


def test_fences_that_are_part_of_the_text_stay(cli: Cli) -> None:
    assert run(cli, "two_fences", code=1) == "```\na\n```\n```\nb\n```\n"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("raises", "RuntimeError: out of ideas"),
        ("empty", "it answered nothing"),
        ("slow", "no answer after 0.3s"),
    ],
)
def test_when_it_fails_the_raw_lines_are_kept(cli: Cli, function: str, why: str) -> None:
    err = run(cli, function, "-o", "r.html", "--timeout", "300ms", code=3)
    (kept,) = (name for name in cli.files() if name.startswith("output-"))
    assert f"reporter agent 'python:reporters.py:{function}': {why}; {kept} holds" in err
    assert [line["type"] for line in cli.lines(kept)] == ["start", *["result"] * 3, "summary"]
    assert "r.html" not in cli.files()


def test_it_is_found_before_any_case_runs(cli: Cli) -> None:
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:reporters.py:whole"),
        *("-r", "python:reporters.py:missing", "-o", "r.html"),
    )
    assert done.code == 2
    assert "missing" in done.err
    assert cli.files() == ["cases.jsonl", "reporters.py"]
