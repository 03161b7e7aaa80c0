from __future__ import annotations

import io
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import evolve, frozen

from assay import ReportContext
from assay.testing import HOSTILE_TEXTS, check_reporter
from assay_plugins.reporters.github import GitHub

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult

LIMIT = 1024 * 1024
"""Bytes of a step summary: a longer one is thrown away."""


@frozen
class Command:
    """A workflow command as the runner reads it."""

    name: str
    properties: dict[str, str]
    text: str


def commands(log: str) -> list[Command]:
    """Read a log as the runner does: every line that it would obey."""
    found: list[Command] = []
    for line in re.split("\r\n|\r|\n", log):
        assert "##[" not in line
        stripped = line.strip()
        if not stripped.startswith("::"):
            continue
        head, end, data = stripped[2:].partition("::")
        assert end, line
        name, _, rest = head.partition(" ")
        pairs = [pair.partition("=") for pair in rest.split(",")] if rest else []
        properties = {key: unescaped(value, {"%3A": ":", "%2C": ","}) for key, _, value in pairs}
        found.append(Command(name, properties, unescaped(data, {})))
    return found


def unescaped(text: str, more: dict[str, str]) -> str:
    for code, character in ({"%0D": "\r", "%0A": "\n"} | more | {"%25": "%"}).items():
        text = text.replace(code, character)
    return text


@pytest.fixture
def show(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[Command]]:
    """Shows a run in a checkout with a case file; gives what the runner obeys of the log."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "inputs.jsonl").touch()

    def run(
        results: Sequence[CaseResult],
        *,
        paths: Sequence[str] = ("report.json",),
        workspace: Path = tmp_path,
        written: bool = True,
    ) -> list[Command]:
        stderr = io.StringIO()
        environ = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        }
        info = make.info([make.suite(cases=len(results))])
        reporter = GitHub(ReportContext(info=info, stderr=stderr, environ=environ), None)
        reporter.start(info)
        for result in results:
            for attempt in result.attempts if result.several else ():
                reporter.attempt(result, attempt)
            reporter.result(result)
        reporter.finish(make.summary(results, info))
        assert stderr.getvalue() == ""
        if written:
            reporter.written(paths)
        reporter.close()
        found = commands(stderr.getvalue())
        assert len(found) == stderr.getvalue().count("\n")
        return found

    return run


def failing(make: Make, count: int) -> list[CaseResult]:
    bad = make.check(message="they differ", expected="green", actual="blue")
    attempt = make.attempt("failed", output="blue", checks=[bad])
    return [make.result(f"T{index:03}", attempts=[attempt], index=index) for index in range(count)]


def test_a_case_that_did_not_pass_is_an_error_at_its_place(
    make: Make, show: Callable[..., list[Command]]
) -> None:
    (found,) = show([make.result(), *[evolve(one, index=1) for one in failing(make, 1)]])
    assert found == Command(
        "error",
        {"file": "tests/inputs.jsonl", "line": "1", "title": "T000 failed"},
        "equals: they differ\n  - expected, + actual\n  - green\n  + blue\nOutput:\n  blue",
    )


def test_files_are_named_from_the_root_of_the_checkout(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path
) -> None:
    found = show(failing(make, 1), workspace=tmp_path.parent)
    assert found[0].properties["file"] == f"{tmp_path.name}/tests/inputs.jsonl"


def test_what_is_no_file_is_not_named(make: Make, show: Callable[..., list[Command]]) -> None:
    result = failing(make, 1)[0]
    elsewhere = evolve(result, case=evolve(result.case, where=type(result.case.where)("stdin", 3)))
    assert show([elsewhere])[0].properties == {"title": "T000 failed"}


def test_at_most_ten_errors_and_the_rest_is_counted(
    make: Make, show: Callable[..., list[Command]]
) -> None:
    results = failing(make, 25)
    random.Random(1).shuffle(results)
    found = show(results)
    assert [one.name for one in found] == ["error"] * 10 + ["notice"]
    assert [one.properties["title"] for one in found[:10]] == [
        f"T{index:03} failed" for index in range(10)
    ]
    assert found[10].text == "15 more cases did not pass, all in the report"


def test_ten_are_not_counted_further(make: Make, show: Callable[..., list[Command]]) -> None:
    assert len(show(failing(make, 10))) == 10


def test_several_runs_are_told(make: Make, show: Callable[..., list[Command]]) -> None:
    found = show(make.several_runs())
    assert [one.properties["title"] for one in found] == [
        "wavering failed (2 of 3 runs passed)",
        "failing failed (0 of 3 runs passed)",
    ]


def test_the_summary_is_the_page_of_the_run(
    make: Make,
    show: Callable[..., list[Command]],
    tmp_path: Path,
    same_as: Callable[[str, str], None],
) -> None:
    show(make.several_kinds(), paths=["report.json", "tests/@me `x`.html"])
    same_as("github.md", (tmp_path / "summary.md").read_text("utf-8"))


def test_a_run_that_passed_has_a_summary_too(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path
) -> None:
    assert show([make.result()], paths=[]) == []
    assert "✅ **PASSED**: 1 passed" in (tmp_path / "summary.md").read_text("utf-8")


def test_what_the_step_has_written_before_stays(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path
) -> None:
    (tmp_path / "summary.md").write_text("# Mine", encoding="utf-8")
    show([make.result()])
    text = (tmp_path / "summary.md").read_text("utf-8")
    assert text.startswith("# Mine\n\n# Agent Test Report\n")


@pytest.mark.parametrize("taken", [0, 400_000, LIMIT - 33_000, LIMIT - 31_000])
def test_the_summary_stays_within_what_github_takes(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path, taken: int
) -> None:
    file = tmp_path / "summary.md"
    file.write_text("x" * taken, encoding="utf-8")
    text = "漢" * 10_000
    bad = make.check(message=text, expected=text, actual=text + "x")
    attempt = make.attempt("failed", output=text, checks=[bad] * 20)
    results = [
        make.result(f"T{index} {text}", attempts=[attempt], index=index) for index in range(500)
    ]
    found = show(results)
    size = file.stat().st_size
    assert size <= LIMIT
    if taken == LIMIT - 31_000:
        assert size == taken
        assert "is full" in found[-1].text
    else:
        assert "Agent Test Report" in file.read_text("utf-8")


def test_nothing_that_an_agent_says_is_a_command(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path
) -> None:
    for text in (
        *HOSTILE_TEXTS.values(),
        "a,file=x::owned%0A::error::x\n::warning::y",
        "x" * 10**7,
    ):
        bad = make.check(text[:50] or "equals", message=text, expected=text, actual=text + "x")
        attempt = make.attempt("failed", output=text, error=text, checks=[bad])
        result = make.result(text or "x", attempts=[attempt], suite=text)
        (found,) = show([evolve(result, status="failed")])
        assert found.name == "error"
        assert set(found.properties) == {"title"}
        assert len(found.text) <= 700
        found.text.encode()
    (tmp_path / "summary.md").read_text("utf-8")


def test_a_run_without_reports_is_published_all_the_same(
    make: Make, show: Callable[..., list[Command]], tmp_path: Path
) -> None:
    assert len(show(failing(make, 2), written=False)) == 2
    assert "2 failed" in (tmp_path / "summary.md").read_text("utf-8")


def test_it_is_on_where_a_workflow_runs() -> None:
    assert GitHub.wanted({"GITHUB_ACTIONS": "true"})
    assert not GitHub.wanted({})
    assert not GitHub.wanted({"GITHUB_ACTIONS": ""})


def test_without_a_summary_file_there_are_annotations_alone(make: Make) -> None:
    stderr = io.StringIO()
    results = failing(make, 1)
    info = make.info()
    reporter = GitHub(ReportContext(info=info, stderr=stderr), None)
    reporter.start(info)
    reporter.result(results[0])
    reporter.finish(make.summary(results, info))
    reporter.written(())
    assert len(commands(stderr.getvalue())) == 1


def test_the_contract() -> None:
    check_reporter(GitHub)


def test_memory_does_not_grow_with_the_run(make: Make) -> None:
    import tracemalloc

    info = make.info([make.suite(cases=20_000)])
    reporter = GitHub(ReportContext(info=info, stderr=io.StringIO()), None)
    reporter.start(info)
    bad = [make.attempt("failed", output="x" * 1_000, checks=[make.check(message="m" * 1_000)])]

    def run(first: int) -> None:
        for index in range(first, first + 2_000):
            reporter.result(make.result(f"T{index}" * 20, attempts=bad, index=index))
            reporter.result(make.result(f"S{index}", "skipped", index=index, reason=f"no {index}"))

    run(0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    run(2_000)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 50_000
