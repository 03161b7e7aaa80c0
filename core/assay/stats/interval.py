"""How sure a pass rate is."""

from __future__ import annotations

from math import sqrt
from typing import Final

_Z: Final = 1.959963984540054
"""Of the standard normal distribution, 95 % lie within this many deviations of the mean."""


def wilson(passed: int, runs: int) -> tuple[float, float]:
    """Give the 95 % Wilson score interval of a pass rate.

    Unlike the interval of plus and minus some deviations, it stays within 0 and 1 and means
    something for few runs: three of three passed gives 0.44 to 1, not 1 to 1.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
    Journal of the American Statistical Association 22 (1927), 209-212; recommended for few
    runs by L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial
    proportion", Statistical Science 16 (2001), 101-133.

    Args:
        passed: Runs that passed.
        runs: All runs.

    Returns:
        Lower and upper bound as fractions; 0 and 1 when nothing ran.
    """
    if runs == 0:
        return 0.0, 1.0
    rate = passed / runs
    share = _Z * _Z / runs
    middle = (rate + share / 2) / (1 + share)
    reach = _Z / (1 + share) * sqrt(rate * (1 - rate) / runs + share / (4 * runs))
    # Where the bound is 0 or 1 by the formula, rounding must not move it.
    low = 0.0 if passed == 0 else max(0.0, middle - reach)
    high = 1.0 if passed == runs else min(1.0, middle + reach)
    return low, high
