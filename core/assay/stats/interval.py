"""The Wilson score interval of a pass rate."""

from __future__ import annotations

from math import sqrt
from typing import Final

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution."""


def wilson(passed: int, runs: int, z: float = Z_95) -> tuple[float, float]:
    """Give the interval in which the true pass rate lies, with 95 % confidence by default.

    E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical Inference",
    Journal of the American Statistical Association 22 (1927): unlike the normal approximation it
    is of use for few runs, and for rates of 0 and 1.

    Args:
        passed: Runs that passed.
        runs: All runs; at least 1.
        z: The quantile of the confidence level.

    Returns:
        Lower and upper bound, from 0 to 1.
    """
    rate = passed / runs
    square = z * z
    middle = rate + square / (2 * runs)
    spread = z * sqrt(rate * (1 - rate) / runs + square / (4 * runs * runs))
    scale = 1 + square / runs
    low = 0.0 if passed == 0 else (middle - spread) / scale
    high = 1.0 if passed == runs else (middle + spread) / scale
    return max(0.0, low), min(1.0, high)
