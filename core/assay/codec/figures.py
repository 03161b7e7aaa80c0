"""The figures of a case over its attempts as JSON and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.absent import ABSENT
from assay.codec.narrow import flag, integer, number, objects, text
from assay.model.result import Stability

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.codec.narrow import Line
    from assay.model.result import Attempt, StabilityClass

_CLASSES: Final[tuple[StabilityClass, ...]] = (
    "stable",
    "mostly_stable",
    "unstable",
    "highly_unstable",
)

# The 95 % Wilson interval of one run that passed, and of one that did not.
_ONE_PASSED: Final = (20.7, 100.0)
_ONE_FAILED: Final = (0.0, 79.3)


def add_stability(line: dict[str, object], figures: Stability, alone: Attempt | None) -> None:
    """Add the figures of a case; those that follow from a single attempt are left out.

    Args:
        line: The line of the case.
        figures: Its figures.
        alone: Its only attempt, where the line is that attempt's too.
    """
    line["runs"] = figures.runs
    line["passed"] = figures.passed
    line["failed"] = figures.failed
    line["pass_rate"] = figures.pass_rate
    line["stable"] = figures.stable
    if alone is not None and figures == _single(figures.passed, alone):
        return
    line["pass_rate_interval"] = list(figures.pass_rate_interval)
    line["consistency"] = figures.consistency
    line["stability_class"] = figures.stability_class
    line["avg_duration_ms"] = figures.avg_duration_ms
    line["min_duration_ms"] = figures.min_duration_ms
    line["max_duration_ms"] = figures.max_duration_ms
    line["std_deviation_ms"] = figures.std_deviation_ms


def _single(passed: int, attempt: Attempt) -> Stability:
    """The figures of a single attempt, which follow from it."""
    has_passed = passed == 1
    return Stability(
        runs=1,
        passed=1 if has_passed else 0,
        failed=0 if has_passed else 1,
        pass_rate=100.0 if has_passed else 0.0,
        pass_rate_interval=_ONE_PASSED if has_passed else _ONE_FAILED,
        consistency=0.0 if attempt.output is ABSENT else 1.0,
        stable=has_passed,
        stability_class="stable" if has_passed else "highly_unstable",
        avg_duration_ms=attempt.duration_ms,
        min_duration_ms=attempt.duration_ms,
        max_duration_ms=attempt.duration_ms,
        std_deviation_ms=0.0,
    )


def stability_from_json(line: Line, attempts: Sequence[Attempt]) -> Stability:
    """Read the figures of a case.

    Raises:
        ValueError: They are not all there.
    """
    if "stability_class" not in line and attempts:
        return _single(integer(line, "passed"), attempts[0])
    interval = objects(line, "pass_rate_interval")
    if len(interval) != 2:
        raise ValueError("pass_rate_interval: expected two numbers")
    low, high = interval
    return Stability(
        runs=integer(line, "runs"),
        passed=integer(line, "passed"),
        failed=integer(line, "failed"),
        pass_rate=number(line, "pass_rate"),
        pass_rate_interval=(number({"low": low}, "low"), number({"high": high}, "high")),
        consistency=number(line, "consistency"),
        stable=flag(line, "stable"),
        stability_class=_class_from_json(line),
        avg_duration_ms=integer(line, "avg_duration_ms"),
        min_duration_ms=integer(line, "min_duration_ms"),
        max_duration_ms=integer(line, "max_duration_ms"),
        std_deviation_ms=number(line, "std_deviation_ms"),
    )


def _class_from_json(line: Line) -> StabilityClass:
    name = text(line, "stability_class")
    for known in _CLASSES:
        if name == known:
            return known
    raise ValueError(f"stability_class: {name!r} is none of {', '.join(_CLASSES)}")
