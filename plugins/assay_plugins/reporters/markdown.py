"""The ``markdown`` reporter: a run as a page of Markdown, for people and pull requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, ClassVar

from assay import hookimpl
from assay.duration import format_ms
from assay_plugins.reporters._facts import CLASS_NAMES, agent_phrase, percent
from assay_plugins.reporters._markdown import aligned_table, heading, inline, lines, table
from assay_plugins.reporters._sections import section

if TYPE_CHECKING:
    from assay import (
        Counts,
        Environment,
        PageReporter,
        Report,
        RunInfo,
        Stability,
        StreamReporter,
        SuiteInfo,
        Summary,
    )


class Markdown:
    """Writes summary, environment, stability, every case with what failed, and what was skipped.

    Nothing in an id, an answer or a message can end its heading, cell or block. Long texts are
    cut, which is said; the JSON reports hold them whole.
    """

    name: ClassVar[str] = "markdown"
    suffixes: ClassVar[tuple[str, ...]] = (".md", ".markdown")

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the page, case by case."""
        for line in _page(report):
            out.write(line + "\n")


def _page(report: Report) -> Iterator[str]:
    yield from heading(1, "Agent Test Report")
    yield from _summary(report.info, report.summary)
    yield from _suites(report.summary)
    yield from _environment(report.info, report.summary)
    yield from _stability(report)
    yield from _results(report)
    yield from _skipped(report)


def _summary(info: RunInfo, summary: Summary) -> Iterator[str]:
    yield from heading(2, "Summary")
    yield from aligned_table(("Metric", "Value"), _metrics(info, summary))


def _metrics(info: RunInfo, summary: Summary) -> Iterator[tuple[str, str]]:
    counts = summary.counts
    yield "Agent", "several" if summary.agent_id is None else summary.agent_id
    if info.agent_title is not None:
        yield "Name", info.agent_title
    if summary.connector is not None:
        yield "Connector", summary.connector
    yield "Total", str(counts.total)
    yield "Passed", str(counts.passed)
    yield "Failed", str(counts.failed)
    for label, count in (
        ("Errors", counts.errors),
        ("Timeouts", counts.timeouts),
        ("Skipped", counts.skipped),
        ("Unasserted", counts.unasserted),
        ("Left out by filters", summary.deselected),
    ):
        if count:
            yield label, str(count)
    yield "Pass Rate", percent(counts.pass_rate)
    if counts.total_runs > counts.passed + counts.failed:
        if summary.runs_per_case is not None:
            yield "Runs per Case", str(summary.runs_per_case)
        yield "Total Runs", str(counts.total_runs)
        yield "Overall Pass Rate", percent(counts.overall_pass_rate)
        yield "Stable Cases", str(counts.stable_cases)
        yield "Unstable Cases", str(counts.unstable_cases)
    yield "Duration", format_ms(summary.duration_ms)
    if summary.stopped is not None:
        yield "Stopped", summary.stopped


def _suites(summary: Summary) -> Iterator[str]:
    if len(summary.suites) < 2:
        return
    yield from heading(2, "Suites")
    header = ("Suite", "Agent", "Total", "Passed", "Failed", "Skipped", "Pass Rate")
    yield from table(
        header,
        (
            (suite.source, agent_phrase(suite.agent_id, suite.connector), *_figures(suite.counts))
            for suite in summary.suites
        ),
    )


def _figures(counts: Counts) -> tuple[str, ...]:
    figures = (counts.total, counts.passed, counts.failed, counts.skipped)
    return (*map(str, figures), percent(counts.pass_rate))


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
    header = (
        *(("Suite",) if several else ()),
        "Case",
        "Runs",
        "Passed",
        "Pass Rate",
        "95% Interval",
        "Consistency",
        "Class",
        "Average",
        "Min",
        "Max",
        "Deviation",
    )
    yield from table(
        header,
        (
            (*((result.suite,) if several else ()), result.case.id, *_row(result.stability))
            for result in report.results
            if result.stability is not None
        ),
    )


def _row(figures: Stability) -> tuple[str, ...]:
    low, high = figures.pass_rate_interval
    return (
        str(figures.runs),
        str(figures.passed),
        percent(figures.pass_rate),
        f"{low:.1f}–{high:.1f}%",
        f"{figures.consistency:.2f}",
        CLASS_NAMES[figures.stability_class],
        format_ms(figures.avg_duration_ms),
        format_ms(figures.min_duration_ms),
        format_ms(figures.max_duration_ms),
        f"{figures.std_deviation_ms:.1f}ms",
    )


def _results(report: Report) -> Iterator[str]:
    several = len(report.info.suites) > 1
    suite: str | None = None if several else ""
    if not several:
        yield from heading(2, "Results")
    for result in report.results:
        if several and result.suite != suite:
            suite = result.suite
            yield from heading(2, f"Results of {inline(suite)}")
        yield from section(result)


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


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``markdown``."""
    return [Markdown]
