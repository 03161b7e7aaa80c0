"""What became of a case: its attempts, its status, its figures over several runs."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from attrs import field, frozen

from assay.absent import ABSENT
from assay.model.case import Case
from assay.model.exchange import Exchange, Try
from assay.model.outcome import CheckResult

Status: TypeAlias = Literal["passed", "failed", "error", "timeout", "skipped"]

STATUSES: Final[tuple[Status, ...]] = ("passed", "failed", "error", "timeout", "skipped")

StabilityClass: TypeAlias = Literal["stable", "mostly_stable", "unstable", "highly_unstable"]


@frozen(kw_only=True)
class Attempt:
    """One run of one case."""

    number: int
    """From 1."""
    status: Status
    duration_ms: int
    """From asking to the last verdict, without waiting for a turn or a rate limit. Of one that is
    ``replayed``: how long the agent took when its answers were recorded."""
    output: object = ABSENT
    """ABSENT when the agent gave none."""
    error: str | None = None
    """Why it did not pass, in one line per reason."""
    verdicts: tuple[CheckResult, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    tries: tuple[Try, ...] = ()
    """Tries at asking that gave no answer, in order."""
    unreached: bool = False
    """Whether the error came from the way to the agent, not from the agent."""
    replayed: bool = False
    """Whether an answer in it comes from a record, and its duration with it."""


@frozen(kw_only=True)
class Stability:
    """Figures of a case over its finished attempts."""

    runs: int
    passed: int
    failed: int
    """All that did not pass."""
    pass_rate: float
    """Percent, one decimal."""
    pass_rate_interval: tuple[float, float]
    """The 95 % Wilson interval of the pass rate, in percent, one decimal."""
    consistency: float
    """Share of the most frequent output among all runs, 0 to 1, two decimals."""
    stable: bool
    stability_class: StabilityClass
    avg_duration_ms: int
    min_duration_ms: int
    max_duration_ms: int
    std_deviation_ms: float
    """Population deviation, one decimal."""


@frozen(kw_only=True)
class CaseResult:
    """A case with what became of it."""

    case: Case
    index: int
    """Place of the case in the run, from 0 over all suites."""
    suite: str
    agent_id: str
    status: Status
    duration_ms: int = 0
    """Of the attempt that is shown; with several runs the average."""
    reason: str | None = None
    """Why it was skipped."""
    attempts: tuple[Attempt, ...] = ()
    stability: Stability | None = None
    """None for a skipped case."""
    several: bool = False
    """Whether the case was to run more than once."""
    incomplete: bool = False
    """Whether the run was stopped before all attempts had finished."""

    @property
    def replayed(self) -> bool:
        """Whether an answer in it comes from a record, and its duration with it."""
        return any(attempt.replayed for attempt in self.attempts)

    @property
    def shown(self) -> Attempt | None:
        """The attempt that stands for the case: the first that has the case's status."""
        for attempt in self.attempts:
            if attempt.status == self.status:
                return attempt
        return self.attempts[0] if self.attempts else None


@frozen(kw_only=True)
class Counts:
    """How many cases ended how."""

    total: int = 0
    passed: int = 0
    failed: int = 0
    """All that ran and did not pass: ``errors`` and ``timeouts`` are among them."""
    skipped: int = 0
    errors: int = 0
    timeouts: int = 0
    unasserted: int = 0
    """Cases without any check, whatever their status."""
    total_runs: int = 0
    """Finished attempts."""
    passed_runs: int = 0
    stable_cases: int = 0
    unstable_cases: int = 0

    @property
    def pass_rate(self) -> float:
        """Passed of the cases that ran, in percent, one decimal; 0 when none ran."""
        ran = self.passed + self.failed
        return round(100 * self.passed / ran, 1) if ran else 0.0

    @property
    def overall_pass_rate(self) -> float:
        """Passed attempts of all finished attempts, in percent, one decimal; 0 when none."""
        return round(100 * self.passed_runs / self.total_runs, 1) if self.total_runs else 0.0


@frozen(kw_only=True)
class SuiteSummary:
    """A suite and how its cases ended."""

    source: str
    agent_id: str
    connector: str | None = None
    counts: Counts = field(factory=Counts)
