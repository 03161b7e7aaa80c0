"""The ``summary`` reporter: a run in a few lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING, ClassVar, Final

from assay import hookimpl
from assay.duration import format_ms
from assay_plugins.reporters._facts import (
    agent_phrase,
    amount,
    counts_phrase,
    flat,
    percent,
    reason,
    replay_phrase,
    verdict,
)

if TYPE_CHECKING:
    from assay import CaseResult, PageReporter, Report, StreamReporter, Summary

_MOST: Final = 20
"""Cases that are named of those that did not pass, and of those that were skipped."""
_WIDTH: Final = 200
"""Characters of a line about a case."""


class BriefSummary:
    """Writes what the run gave, which cases did not pass and why, and which were skipped."""

    name: ClassVar[str] = "summary"
    suffixes: ClassVar[tuple[str, ...]] = (".txt",)

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the summary."""
        for line in _lines(report):
            out.write(line + "\n")


def _lines(report: Report) -> Iterator[str]:
    summary = report.summary
    counts = summary.counts
    yield f"{verdict(summary)}: {flat(agent_phrase(summary.agent_id, summary.connector))[:_WIDTH]}"
    yield f"{amount(counts.total, 'case')}: {counts_phrase(counts)}"
    yield f"Pass rate {percent(counts.pass_rate)}, duration {format_ms(summary.duration_ms)}"
    replayed = replay_phrase(report.info)
    if replayed is not None:
        yield f"Answers {replayed}"[:_WIDTH]
    if report.info.shard is not None:
        yield f"Part {flat(report.info.shard)[:_WIDTH]} of a run"
    yield from _more(summary)
    for suite in summary.suites if len(summary.suites) > 1 else ():
        rate = percent(suite.counts.pass_rate)
        yield f"  {flat(suite.source)[:_WIDTH]}: {rate}, {counts_phrase(suite.counts)}"
    failed = (result for result in report.results if result.status != "passed")
    if counts.failed:
        yield from _named("Not passed:", failed, counts.failed)
    if counts.skipped:
        yield from _named("Skipped:", report.skipped, counts.skipped)


def _more(summary: Summary) -> Iterator[str]:
    counts = summary.counts
    if counts.total_runs > counts.passed + counts.failed:
        yield (
            f"{amount(counts.total_runs, 'run')}: {percent(counts.overall_pass_rate)} passed;"
            f" {counts.stable_cases} stable, {counts.unstable_cases} unstable cases"
        )
    if summary.deselected:
        yield f"{amount(summary.deselected, 'case')} left out by filters"
    if summary.stopped is not None:
        yield f"Stopped: {flat(summary.stopped)[:_WIDTH]}"


def _named(title: str, results: Iterator[CaseResult], total: int) -> Iterator[str]:
    yield ""
    yield title
    for result in islice(results, _MOST):
        name, where = flat(result.case.id[:_WIDTH]), flat(str(result.case.where)[:_WIDTH])
        yield f"  {name}  {where}  {_why(result)}"[:_WIDTH].rstrip()
    if total > _MOST:
        yield f"  … and {total - _MOST} more"


def _why(result: CaseResult) -> str:
    why = flat(reason(result)[:_WIDTH])
    told = result.status in ("failed", "skipped") or why.startswith(result.status)
    return (why or result.status) if told else f"{result.status}: {why}"


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``summary``."""
    return [BriefSummary]
