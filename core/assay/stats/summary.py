"""Counts of a run, grown result by result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.absent import ABSENT
from assay.model.result import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model.result import CaseResult


@define(eq=False)
class _Counter:
    """``Counts`` that can grow."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    errors: int = 0
    timeouts: int = 0
    unasserted: int = 0
    total_runs: int = 0
    passed_runs: int = 0
    stable_cases: int = 0
    unstable_cases: int = 0

    def add(self, result: CaseResult) -> None:
        self.total += 1
        self.unasserted += is_unasserted(result)
        if result.status == "skipped":
            # Runs of a case that was stopped before it could be judged do not count either.
            self.skipped += 1
            return
        self.passed += result.status == "passed"
        self.failed += result.status != "passed"
        self.errors += result.status == "error"
        self.timeouts += result.status == "timeout"
        self.total_runs += len(result.attempts)
        self.passed_runs += sum(attempt.status == "passed" for attempt in result.attempts)
        if result.stability is not None:
            self.stable_cases += result.stability.stable
            self.unstable_cases += not result.stability.stable

    def counts(self) -> Counts:
        return Counts(
            total=self.total,
            passed=self.passed,
            failed=self.failed,
            skipped=self.skipped,
            errors=self.errors,
            timeouts=self.timeouts,
            unasserted=self.unasserted,
            total_runs=self.total_runs,
            passed_runs=self.passed_runs,
            stable_cases=self.stable_cases,
            unstable_cases=self.unstable_cases,
        )


@define(eq=False)
class Tally:
    """Counts the cases of a run, and of each of its suites, as they are done.

    Holds numbers only, so that it stays small however many cases there are.
    """

    _all: _Counter = field(factory=_Counter, init=False)
    _suites: dict[str, _Counter] = field(factory=dict[str, _Counter], init=False)

    def add(self, result: CaseResult) -> None:
        """Count a case that is done."""
        self._all.add(result)
        counter = self._suites.get(result.suite)
        if counter is None:
            counter = self._suites[result.suite] = _Counter()
        counter.add(result)

    def counts(self) -> Counts:
        """Give the counts of all cases so far."""
        return self._all.counts()

    def suites(self) -> Mapping[str, Counts]:
        """Give the counts so far by suite, in the order in which suites first had a result."""
        return {key: counter.counts() for key, counter in self._suites.items()}


def is_unasserted(result: CaseResult) -> bool:
    """Whether a case has no check at all, so that it passes when the agent answers.

    Checks of a case that was read back from a report are gone: what it says of them, and the
    case as written, tell as well.
    """
    case = result.case
    if case.checks or case.expected is not ABSENT or "assert" in case.raw:
        return False
    return not any(attempt.verdicts for attempt in result.attempts)
