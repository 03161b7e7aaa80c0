"""The summary of a run that never wrote its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from assay.model.report import Summary
from assay.model.result import Counts, SuiteSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.model.report import RunInfo
    from assay.model.result import CaseResult


def summarise(info: RunInfo, results: Iterable[CaseResult]) -> Summary:
    """Count the results that a run got to; ``stopped`` says that it was not all.

    How long the run took is not known: ``duration_ms`` is 0.
    """
    counted: dict[str, Counter[str]] = {suite.source: Counter() for suite in info.suites}
    for result in results:
        counted.setdefault(result.suite, Counter()).update(_marks(result))
    everything = sum(counted.values(), Counter[str]())
    counts = _counts(everything)
    return Summary(
        counts=counts,
        duration_ms=0,
        agent_id=info.agent_id,
        connector=info.connector,
        runs_per_case=info.runs_per_case,
        deselected=info.deselected,
        stopped=(
            f"the run broke off: {counts.total} of its {info.total_cases} cases have a result"
        ),
        suites=tuple(
            SuiteSummary(
                source=suite.source,
                agent_id=suite.agent.name,
                connector=suite.agent.connector,
                counts=_counts(counted[suite.source]),
            )
            for suite in info.suites
        ),
    )


def _marks(result: CaseResult) -> Iterator[str]:
    """Name the counts that a result adds one to."""
    yield "total"
    if result.status in ("passed", "skipped"):
        yield result.status
    else:
        yield "failed"
    if result.status == "error":
        yield "errors"
    if result.status == "timeout":
        yield "timeouts"
    if not result.case.has_checks:
        yield "unasserted"
    for attempt in result.attempts:
        yield "total_runs"
        if attempt.status == "passed":
            yield "passed_runs"
    if result.stability is not None:
        yield "stable_cases" if result.stability.stable else "unstable_cases"


def _counts(counted: Counter[str]) -> Counts:
    return Counts(**counted)
