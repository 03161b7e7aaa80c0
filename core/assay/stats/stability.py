"""What several attempts say of a case: its figures, its class, its status."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from assay.model.result import Stability
from assay.stats.consistency import consistency
from assay.stats.interval import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.model.result import Attempt, StabilityClass, Status


def stability(attempts: Sequence[Attempt]) -> Stability:
    """Give the figures of a case.

    Args:
        attempts: Those that finished, at least one.
    """
    runs = len(attempts)
    if not runs:
        raise ValueError("figures need at least one finished attempt")
    passed = _passed(attempts)
    low, high = wilson(passed, runs)
    durations = [attempt.duration_ms for attempt in attempts]
    total = sum(durations)
    # In whole numbers, so that nothing is lost where durations are long and alike.
    spread = runs * sum(duration * duration for duration in durations) - total * total
    return Stability(
        runs=runs,
        passed=passed,
        failed=runs - passed,
        pass_rate=round(100 * passed / runs, 1),
        pass_rate_interval=(round(100 * low, 1), round(100 * high, 1)),
        consistency=round(consistency(attempt.output for attempt in attempts), 2),
        stable=passed == runs,
        stability_class=stability_class(passed, runs),
        avg_duration_ms=(2 * total + runs) // (2 * runs),
        min_duration_ms=min(durations),
        max_duration_ms=max(durations),
        std_deviation_ms=round(sqrt(spread) / runs, 1),
    )


def stability_class(passed: int, runs: int) -> StabilityClass:
    """Say in a word how stable a case is, by its exact pass rate: 100, from 80, from 50, below."""
    if passed == runs:
        return "stable"
    if 100 * passed >= 80 * runs:
        return "mostly_stable"
    return "unstable" if 100 * passed >= 50 * runs else "highly_unstable"


def reaches(passed: int, runs: int, min_pass_rate: float) -> bool:
    """Whether a pass rate is high enough, by the exact rate; never when nothing ran.

    Args:
        passed: Runs that passed.
        runs: All runs.
        min_pass_rate: In percent. It counts as the decimal number that a user wrote: 29 of
            100 reach 29, and 2 of 3 do not reach 66.7.
    """
    if runs == 0:
        return False
    if min_pass_rate == int(min_pass_rate):
        return 100 * passed >= int(min_pass_rate) * runs
    from fractions import Fraction

    return 100 * passed >= Fraction(repr(min_pass_rate)) * runs


def can_still_reach(passed: int, finished: int, runs: int, min_pass_rate: float) -> bool:
    """Whether a case can still pass when all attempts that have not finished pass.

    Args:
        passed: Finished attempts that passed.
        finished: All finished attempts.
        runs: How many attempts there will be.
        min_pass_rate: In percent.
    """
    return reaches(passed + runs - finished, runs, min_pass_rate)


def case_status(attempts: Sequence[Attempt], min_pass_rate: float = 100.0) -> Status:
    """Give the status of a case.

    Args:
        attempts: Those that finished.
        min_pass_rate: In percent: how many of them must pass.

    Returns:
        ``passed`` when enough passed, else ``failed`` if any failed, else ``error`` if there
        was any, else ``timeout``; ``skipped`` without attempts.
    """
    if not attempts:
        return "skipped"
    if reaches(_passed(attempts), len(attempts), min_pass_rate):
        return "passed"
    statuses = {attempt.status for attempt in attempts}
    if "failed" in statuses:
        return "failed"
    return "error" if "error" in statuses else "timeout"


def _passed(attempts: Sequence[Attempt]) -> int:
    return sum(attempt.status == "passed" for attempt in attempts)
