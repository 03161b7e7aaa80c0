"""The counts of a run, grown result by result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.model.result import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model.result import CaseResult


@define
class _Tally:
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
        status = result.status
        self.total += 1
        self.unasserted += not result.case.has_checks
        if status == "skipped":
            self.skipped += 1
            return
        if status == "passed":
            self.passed += 1
        else:
            self.failed += 1
            self.errors += status == "error"
            self.timeouts += status == "timeout"
        figures = result.stability
        if figures is not None:
            self.total_runs += figures.runs
            self.passed_runs += figures.passed
            self.stable_cases += figures.stable
            self.unstable_cases += not figures.stable

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


@define
class Tally:
    """Counts the cases of a run, and of each of its suites."""

    _suites: dict[str, _Tally] = field(factory=dict[str, _Tally], init=False)
    _all: _Tally = field(factory=_Tally, init=False)

    def add(self, result: CaseResult) -> None:
        """Count a case that is done."""
        self._all.add(result)
        suite = self._suites.get(result.suite)
        if suite is None:
            suite = self._suites[result.suite] = _Tally()
        suite.add(result)

    def counts(self) -> Counts:
        """The counts of the run."""
        return self._all.counts()

    def suites(self) -> Mapping[str, Counts]:
        """The counts of each suite that any case was counted of, by its key."""
        return {key: tally.counts() for key, tally in self._suites.items()}
