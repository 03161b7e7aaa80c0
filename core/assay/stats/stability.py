"""How stable a case is: its figures, its class, and whether it passes the gate."""

from __future__ import annotations

from fractions import Fraction
from math import fsum, sqrt
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
        attempts: Those that have finished; at least one.
    """
    runs = len(attempts)
    passed = sum(attempt.status == "passed" for attempt in attempts)
    durations = [attempt.duration_ms for attempt in attempts]
    low, high = wilson(passed, runs)
    if runs == 1:
        average, deviation = float(durations[0]), 0.0
    else:
        average = fsum(durations) / runs
        deviation = sqrt(fsum((duration - average) ** 2 for duration in durations) / runs)
    return Stability(
        runs=runs,
        passed=passed,
        failed=runs - passed,
        pass_rate=round(100 * passed / runs, 1),
        pass_rate_interval=(round(100 * low, 1), round(100 * high, 1)),
        consistency=round(consistency([attempt.output for attempt in attempts]), 2),
        stable=passed == runs,
        stability_class=stability_class(passed, runs),
        avg_duration_ms=round(average),
        min_duration_ms=min(durations),
        max_duration_ms=max(durations),
        std_deviation_ms=round(deviation, 1),
    )


def stability_class(passed: int, runs: int) -> StabilityClass:
    """Give the class of a pass rate, by the exact rate and not the rounded one."""
    if passed == runs:
        return "stable"
    if 100 * passed >= 80 * runs:
        return "mostly_stable"
    if 100 * passed >= 50 * runs:
        return "unstable"
    return "highly_unstable"


def reaches(passed: int, runs: int, min_pass_rate: float) -> bool:
    """Whether the exact pass rate is at least ``min_pass_rate`` percent."""
    return 100 * passed >= Fraction(str(min_pass_rate)) * runs


def can_still_reach(passed: int, finished: int, runs: int, min_pass_rate: float) -> bool:
    """Whether a case can still pass when all its other attempts do."""
    return reaches(passed + runs - finished, runs, min_pass_rate)


def case_status(attempts: Sequence[Attempt], min_pass_rate: float) -> Status:
    """Give the status of a case by its finished attempts, of which there is at least one."""
    if len(attempts) == 1 and attempts[0].status == "passed":
        return "passed"
    passed = sum(attempt.status == "passed" for attempt in attempts)
    if reaches(passed, len(attempts), min_pass_rate):
        return "passed"
    seen = {attempt.status for attempt in attempts}
    if "failed" in seen:
        return "failed"
    return "error" if "error" in seen else "timeout"
