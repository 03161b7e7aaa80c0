"""The summary of a run that never wrote its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.model.report import Summary
from assay.model.result import Counts, SuiteSummary
from assay.stats.summary import Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.model.report import RunInfo
    from assay.model.result import CaseResult


def summarise(info: RunInfo, results: Iterable[CaseResult]) -> Summary:
    """Count the results that a run got to; ``stopped`` says that it broke off.

    How long the run took is not known: ``duration_ms`` is 0.
    """
    tally = Tally()
    for result in results:
        tally.add(result)
    counts = tally.counts()
    by_suite = tally.suites()
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
                counts=by_suite.get(suite.source, Counts()),
            )
            for suite in info.suites
        ),
    )
