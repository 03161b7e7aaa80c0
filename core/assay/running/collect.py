"""From attempts, as they finish in any order, to the results of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.errors import RunError
from assay.model.result import Attempt, CaseResult
from assay.stats.stability import can_still_reach, case_status, stability

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.cases.plan import PlannedSuite
    from assay.model.case import Case


@define
class OpenCase:
    """A case some of whose attempts have not finished."""

    planned: PlannedSuite
    index: int
    case: Case
    attempts: list[Attempt] = field(factory=list[Attempt], init=False)

    @property
    def runs(self) -> int:
        """How many attempts it is to have."""
        return self.planned.settings.runs

    @property
    def is_complete(self) -> bool:
        """Whether all attempts have finished."""
        return len(self.attempts) >= self.runs

    @property
    def is_lost(self) -> bool:
        """Whether it cannot pass any more, however its other attempts end."""
        passed = sum(attempt.status == "passed" for attempt in self.attempts)
        gate = self.planned.settings.min_pass_rate
        return not can_still_reach(passed, len(self.attempts), self.runs, gate)

    def result(self, reason: str | None = None) -> CaseResult:
        """Give the result of the attempts that have finished.

        Args:
            reason: Why there are no more of them, if some are missing.
        """
        attempts = tuple(sorted(self.attempts, key=lambda attempt: attempt.number))
        if not self.is_complete and all(attempt.status == "passed" for attempt in attempts):
            return skipped(self.planned, self.index, self.case, reason or "not run")
        status = case_status(attempts, self.planned.settings.min_pass_rate)
        figures = stability(attempts)
        several = self.runs > 1
        return CaseResult(
            case=self.case,
            index=self.index,
            suite=self.planned.suite.key,
            agent_id=self.planned.agent.name,
            status=status,
            duration_ms=figures.avg_duration_ms if several else attempts[0].duration_ms,
            attempts=attempts,
            stability=figures,
            several=several,
            incomplete=not self.is_complete,
        )

    def so_far(self) -> CaseResult:
        """Give the case and the attempts that have finished, without a judgement."""
        return CaseResult(
            case=self.case,
            index=self.index,
            suite=self.planned.suite.key,
            agent_id=self.planned.agent.name,
            status=self.attempts[-1].status if self.attempts else "skipped",
            attempts=tuple(self.attempts),
            several=self.runs > 1,
        )


def skipped(planned: PlannedSuite, index: int, case: Case, reason: str) -> CaseResult:
    """Give the result of a case that does not run."""
    return CaseResult(
        case=case,
        index=index,
        suite=planned.suite.key,
        agent_id=planned.agent.name,
        status="skipped",
        reason=reason,
        several=planned.settings.runs > 1,
    )


@define
class Collector:
    """The cases under way."""

    _open: dict[int, OpenCase] = field(factory=dict[int, OpenCase], init=False)

    def start(self, planned: PlannedSuite, index: int, case: Case) -> None:
        """A case's attempts begin."""
        self._open[index] = OpenCase(planned, index, case)

    def add(self, index: int, attempt: Attempt) -> OpenCase:
        """An attempt has finished; gives its case, which is forgotten when it is complete.

        Raises:
            RunError: It was not under way.
        """
        found = self._open.get(index)
        if found is None or any(known.number == attempt.number for known in found.attempts):
            raise RunError(
                f"the executor gave attempt {attempt.number} of case {index + 1} back, which was"
                " not under way"
            )
        found.attempts.append(attempt)
        if found.is_complete:
            del self._open[index]
        return found

    def rest(self) -> Iterator[OpenCase]:
        """Take out the cases that were begun and will not be completed."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))
