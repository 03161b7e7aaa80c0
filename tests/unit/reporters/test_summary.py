from __future__ import annotations

import io
from typing import TYPE_CHECKING

from assay.testing.hostile import CONTROL
from assay.testing.reporter import check_reporter
from assay.testing.runs import hostile_report
from assay_plugins.reporters.summary import BriefSummary

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.reporters.conftest import Make

    from assay import Report


def write(report: Report) -> str:
    out = io.StringIO(newline="")
    BriefSummary().write(report, out)
    return out.getvalue()


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("summary.txt", write(make.report(make.several_kinds())))


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    stopped = "--fail-fast: failing did not pass"
    same_as("summary-runs.txt", write(make.report(make.several_runs(), stopped=stopped)))


def test_several_suites_have_a_line_each(make: Make) -> None:
    suites = [make.suite("a.jsonl"), make.suite("b.jsonl", agent="search", connector=None)]
    results = [
        make.result("A", suite="a.jsonl"),
        make.result("B", attempts=[make.attempt("failed")], suite="b.jsonl", index=1),
    ]
    info = make.info(suites, deselected=1)
    assert write(make.report(results, info)) == (
        "FAILED: several agents\n"
        "2 cases: 1 passed, 1 failed\n"
        "Pass rate 50.0%, duration 12.3s\n"
        "1 case left out by filters\n"
        "  a.jsonl: 100.0%, 1 passed\n"
        "  b.jsonl: 0.0%, 0 passed, 1 failed\n"
        "\n"
        "Not passed:\n"
        "  B  b.jsonl:2  failed\n"
    )


def test_a_run_without_failures(make: Make) -> None:
    assert write(make.report([make.result()])) == (
        "PASSED: keyword (deepseek.v3)\n1 case: 1 passed\nPass rate 100.0%, duration 12.3s\n"
    )


def test_a_run_that_was_stopped_did_not_pass(make: Make) -> None:
    assert write(make.report([make.result()], stopped="interrupted")).startswith("STOPPED: ")


def test_it_stays_brief(make: Make) -> None:
    bad = [make.attempt("failed", checks=[make.check(message="x" * 10_000_000)])]
    results = [make.result("T" * 10_000, attempts=bad, index=index) for index in range(1_000)]
    text = write(make.report(results))
    assert len(text) < 6_000
    assert "  … and 980 more\n" in text


def test_hostile_content_is_shown_escaped_and_ends_no_line() -> None:
    report = hostile_report()
    text = write(report)
    assert not set(text) & (set(CONTROL) - {"\n"})
    assert len(text.splitlines()) == len(text.split("\n")) - 1 < 60


def test_the_contract() -> None:
    check_reporter(BriefSummary)
