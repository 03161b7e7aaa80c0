"""From attempts, as they finish in any order, to the results of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field, frozen

from assay.errors import RunError
from assay.model.result import Attempt, CaseResult
from assay.stats.stability import can_still_reach, case_status, stability

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.cases.plan import PlannedSuite
    from assay.model.case import Case


@frozen(kw_only=True)
class Begun:
    """How far a case has come before its attempts are carried out here."""

    numbers: Sequence[int]
    """The attempts that are still to be carried out."""
    attempts: tuple[Attempt, ...] = ()
    """Those that finished in an earlier run."""
    reason: str | None = None
    """Why further attempts are not carried out, if that is so."""


@define(eq=False)
class OpenCase:
    """A case some of whose attempts have not finished."""

    planned: PlannedSuite
    index: int
    case: Case
    begun: Begun
    attempts: list[Attempt] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.attempts = list(self.begun.attempts)

    @property
    def runs(self) -> int:
        """How many attempts it is to have."""
        return self.planned.settings.runs

    @property
    def is_complete(self) -> bool:
        """Whether all attempts have finished."""
        return len(self.attempts) >= self.runs

    @property
    def is_over(self) -> bool:
        """Whether all attempts have finished that are carried out at all."""
        return len(self.attempts) >= len(self.begun.attempts) + len(self.begun.numbers)

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
            reason = reason or self.begun.reason or "not run"
            return skipped(self.planned, self.index, self.case, reason)
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


@define(eq=False)
class Collector:
    """The cases under way."""

    _open: dict[int, OpenCase] = field(factory=dict[int, OpenCase], init=False)

    def start(self, begun: OpenCase) -> None:
        """A case's attempts begin."""
        self._open[begun.index] = begun

    def add(self, index: int, attempt: Attempt) -> OpenCase:
        """An attempt has finished; gives its case, which is forgotten when it is over.

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
        if found.is_over:
            del self._open[index]
        return found

    def rest(self) -> Iterator[OpenCase]:
        """Take out the cases that were begun and will not be completed."""
        while self._open:
            yield self._open.pop(next(iter(self._open)))
