from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats.interval import wilson


# Figures of R's prop.test(passed, runs, correct = FALSE), and of Brown, Cai and DasGupta.
@pytest.mark.parametrize(
    ("passed", "runs", "low", "high"),
    [
        (8, 10, 0.4901625, 0.9433178),
        (3, 3, 0.4385030, 1.0),
        (0, 5, 0.0, 0.4344825),
        (1, 2, 0.0945312, 0.9054688),
        (50, 100, 0.4038315, 0.5961685),
        (999, 1000, 0.9943572, 0.9998235),
    ],
)
def test_known_figures(passed: int, runs: int, low: float, high: float) -> None:
    assert wilson(passed, runs) == pytest.approx((low, high), abs=1e-6)


def test_nothing_is_known_of_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)


@settings(deadline=None)
@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_rate_lies_within_its_interval(figures: tuple[int, int]) -> None:
    passed, runs = figures
    low, high = wilson(passed, runs)
    assert 0 <= low <= passed / runs <= high <= 1
    assert (low == 0) == (passed == 0)
    assert (high == 1) == (passed == runs)
    mirrored_low, mirrored_high = wilson(runs - passed, runs)
    assert (1 - mirrored_high, 1 - mirrored_low) == pytest.approx((low, high))


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(1, 50))
def test_more_runs_of_one_rate_are_surer(passed: int, failed: int) -> None:
    low, high = wilson(passed, passed + failed)
    more_low, more_high = wilson(2 * passed, 2 * (passed + failed))
    assert more_high - more_low < high - low
