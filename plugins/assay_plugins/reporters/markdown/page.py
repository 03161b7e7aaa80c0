"""The pages of the ``markdown`` reporter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay_plugins.reporters._brief import Brief
from assay_plugins.reporters._markdown import aligned_table, heading, inline, lines, table
from assay_plugins.reporters._sections import SectionView
from assay_plugins.reporters._totals import (
    STABILITY_COLUMNS,
    SUITE_COLUMNS,
    metrics,
    stability_row,
    suite_row,
)

if TYPE_CHECKING:
    from assay import CaseResult, Environment, Report, RunInfo, SuiteInfo, Summary

_COMMENT: Final = 64_000
"""Bytes of the page with ``summary_only``: GitHub takes 65,536 characters of a comment, and
whoever posts it may add a line."""


_ALONE: Final = SectionView(
    level=1, checks=1_000, value=100_000, text=1_000_000, folds=False, passed_checks=True
)
"""How a case is shown on a page of its own: as whole as an editor takes it."""


def page(report: Report) -> Iterator[str]:
    """Give the lines of the whole page, case by case."""
    yield from heading(1, "Agent Test Report")
    yield from heading(2, "Summary")
    yield from aligned_table(("Metric", "Value"), metrics(report.info, report.summary))
    yield from _suites(report.summary)
    yield from _environment(report.info, report.summary)
    yield from _stability(report)
    yield from _results(report)
    yield from _skipped(report)


def brief_page(report: Report) -> str:
    """Give the figures, and as much of what did not pass as a comment holds."""
    brief = Brief(report.info, _COMMENT)
    for result in report.cases:
        brief.add(result)
    return brief.page(report.summary)


def page_of_case(result: CaseResult) -> str:
    """Give the page of a single case."""
    return "\n".join(_ALONE.lines(result)).rstrip("\n") + "\n"


def _suites(summary: Summary) -> Iterator[str]:
    if len(summary.suites) < 2:
        return
    yield from heading(2, "Suites")
    yield from table(SUITE_COLUMNS, map(suite_row, summary.suites))


def _environment(info: RunInfo, summary: Summary) -> Iterator[str]:
    yield from heading(2, "Environment")
    groups: dict[Environment, list[SuiteInfo]] = {}
    for suite in info.suites:
        groups.setdefault(suite.environment, []).append(suite)
    for environment, suites in groups.items():
        if len(groups) > 1:
            names = ", ".join(inline(suite.source) for suite in suites[:20])
            yield from (names + (", …" if len(suites) > 20 else "") + ":", "")
        yield from aligned_table(("Setting", "Value"), _settings(environment))
    yield from aligned_table(("Run", "Value"), _run(info, summary))
    for suite in info.suites:
        for note in suite.info.notes if suite.info is not None else ():
            yield from (f"*Note on {inline(suite.agent.name)}:* {lines(note)}", "")


def _settings(environment: Environment) -> Iterator[tuple[str, str]]:
    yield "User", environment.user_id
    yield "Team", environment.team_id
    yield "Locale", environment.locale
    yield "Client", f"{environment.client_type} ({environment.client_ip})"
    yield "Referer", environment.referer
    yield "Accept", environment.accept
    if environment.identity is not None:
        yield "Identity", f"decided by the {environment.identity}"


def _run(info: RunInfo, summary: Summary) -> Iterator[tuple[str, str]]:
    yield "Started", info.started_at
    if summary.completed_at:
        yield "Completed", summary.completed_at
    if info.command is not None:
        yield "Command", info.command
    yield "Version", f"assay {info.version}"


def _stability(report: Report) -> Iterator[str]:
    if all(suite.runs_per_case == 1 for suite in report.info.suites):
        return
    yield from heading(2, "Stability")
    several = len(report.info.suites) > 1
    yield from table(
        (*(("Suite",) if several else ()), "Case", *STABILITY_COLUMNS),
        (
            (
                *((result.suite,) if several else ()),
                result.case.id,
                *stability_row(figures, replayed=result.replayed),
            )
            for result in report.results
            if (figures := result.stability) is not None
        ),
    )


def _results(report: Report) -> Iterator[str]:
    several = len(report.info.suites) > 1
    suite: str | None = None if several else ""
    if not several:
        yield from heading(2, "Results")
    view = SectionView()
    for result in report.results:
        if several and result.suite != suite:
            suite = result.suite
            yield from heading(2, f"Results of {inline(suite)}")
        yield from view.lines(result)


def _skipped(report: Report) -> Iterator[str]:
    if not report.summary.counts.skipped:
        return
    yield from heading(2, "Skipped")
    several = len(report.info.suites) > 1
    yield from table(
        ("Suite", "Case", "Reason") if several else ("Case", "Reason"),
        (
            (*((result.suite,) if several else ()), result.case.id, result.reason or "")
            for result in report.skipped
        ),
    )
