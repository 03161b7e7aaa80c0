"""The figures of a run, as rows of Markdown tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay.duration import format_ms
from assay_plugins.reporters._facts import CLASS_NAMES, agent_phrase, percent, replay_phrase

if TYPE_CHECKING:
    from assay import RunInfo, Stability, SuiteSummary, Summary

SUITE_COLUMNS: Final = ("Suite", "Agent", "Total", "Passed", "Failed", "Skipped", "Pass Rate")
STABILITY_COLUMNS: Final = (
    "Runs", "Passed", "Pass Rate", "95% Interval", "Consistency", "Class", "Average", "Min", "Max",
    "Deviation",
)  # fmt: skip


def metrics(info: RunInfo, summary: Summary) -> Iterator[tuple[str, str]]:
    """Give the names and values of the summary; what is zero and rare is left out."""
    counts = summary.counts
    yield "Agent", "several" if summary.agent_id is None else summary.agent_id
    if info.agent_title is not None:
        yield "Name", info.agent_title
    if summary.connector is not None:
        yield "Connector", summary.connector
    if info.shard is not None:
        yield "Part", info.shard
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
    replayed = replay_phrase(info)
    if replayed is not None:
        yield "Answers", replayed
    if summary.stopped is not None:
        yield "Stopped", summary.stopped


def suite_row(suite: SuiteSummary) -> tuple[str, ...]:
    """Give the cells of a suite, for ``SUITE_COLUMNS``."""
    counts = suite.counts
    figures = (counts.total, counts.passed, counts.failed, counts.skipped)
    agent = agent_phrase(suite.agent_id, suite.connector)
    return (suite.source, agent, *map(str, figures), percent(counts.pass_rate))


def stability_row(figures: Stability, *, replayed: bool = False) -> tuple[str, ...]:
    """Give the cells of a case with several runs, for ``STABILITY_COLUMNS``.

    Args:
        figures: Of the case.
        replayed: Whether its durations are those of a record.
    """
    mark = ", replayed" if replayed else ""
    low, high = figures.pass_rate_interval
    return (
        str(figures.runs),
        str(figures.passed),
        percent(figures.pass_rate),
        f"{low:.1f}–{high:.1f}%",
        f"{figures.consistency:.2f}",
        CLASS_NAMES[figures.stability_class],
        format_ms(figures.avg_duration_ms) + mark,
        format_ms(figures.min_duration_ms),
        format_ms(figures.max_duration_ms),
        f"{figures.std_deviation_ms:.1f}ms",
    )
