from __future__ import annotations

import statistics
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import ABSENT, Attempt
from assay.model.result import Status
from assay.stats.consistency import consistency
from assay.stats.interval import wilson
from assay.stats.stability import (
    can_still_reach,
    case_status,
    reaches,
    stability,
    stability_class,
)


def attempts(*statuses: Status, output: object = "x", ms: int = 10) -> list[Attempt]:
    return [
        Attempt(number=number, status=status, duration_ms=ms, output=output)
        for number, status in enumerate(statuses, 1)
    ]


@pytest.mark.parametrize(
    ("passed", "runs", "low", "high"),
    [
        # Published values: Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_the_published_values(passed: int, runs: int, low: float, high: float) -> None:
    assert wilson(passed, runs) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 1000).flatmap(lambda runs: st.tuples(st.integers(0, runs), st.just(runs))))
def test_wilson_holds_the_rate_and_is_symmetric(counts: tuple[int, int]) -> None:
    passed, runs = counts
    low, high = wilson(passed, runs)
    assert 0 <= low <= passed / runs <= high <= 1
    assert wilson(runs - passed, runs) == pytest.approx((1 - high, 1 - low))


def test_consistency_is_the_share_of_the_most_frequent_output() -> None:
    assert consistency(["a", "a ", "b"]) == pytest.approx(2 / 3)
    assert consistency([{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]) == 1
    assert consistency([1, True]) == 0.5
    assert consistency(["1", 1]) == 0.5


def test_an_attempt_without_output_agrees_with_nothing() -> None:
    assert consistency([ABSENT, ABSENT]) == 0
    assert consistency([ABSENT, "a", ABSENT]) == pytest.approx(1 / 3)
    assert consistency([None, None]) == 1


@pytest.mark.parametrize(
    ("passed", "runs", "expected"),
    [
        (3, 3, "stable"),
        (999, 1000, "mostly_stable"),
        (9999, 10000, "mostly_stable"),
        (4, 5, "mostly_stable"),
        (799, 1000, "unstable"),
        (79_999, 100_000, "unstable"),
        (1, 2, "unstable"),
        (499, 1000, "highly_unstable"),
        (0, 1, "highly_unstable"),
    ],
)
def test_the_class_has_no_gaps_and_goes_by_the_exact_rate(
    passed: int, runs: int, expected: str
) -> None:
    assert stability_class(passed, runs) == expected


def test_the_gate_goes_by_the_exact_rate() -> None:
    assert reaches(2, 3, 66.6)
    assert not reaches(2, 3, 66.7)
    assert reaches(1, 3, 33.3)
    assert not reaches(999, 1000, 100)


@given(
    runs=st.integers(1, 60),
    data=st.data(),
    rate=st.decimals(0, 100, places=1).map(float),
)
def test_a_gate_that_can_be_reached_is_reached_when_the_rest_passes(
    runs: int, data: st.DataObject, rate: float
) -> None:
    finished = data.draw(st.integers(0, runs))
    passed = data.draw(st.integers(0, finished))
    best = Fraction(100 * (passed + runs - finished), runs)
    assert can_still_reach(passed, finished, runs, rate) == (best >= Fraction(str(rate)))


@pytest.mark.parametrize(
    ("statuses", "gate", "expected"),
    [
        (["passed"], 100, "passed"),
        (["passed", "failed"], 50, "passed"),
        (["passed", "failed", "error"], 50, "failed"),
        (["error", "timeout"], 50, "error"),
        (["timeout", "passed"], 100, "timeout"),
        (["timeout", "timeout"], 0, "passed"),
    ],
)
def test_the_status_of_a_case(statuses: list[Status], gate: float, expected: Status) -> None:
    assert case_status(attempts(*statuses), gate) == expected


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=40))
def test_durations_are_as_the_statistics_module_has_them(durations: list[int]) -> None:
    figures = stability(
        [Attempt(number=1, status="passed", duration_ms=duration) for duration in durations]
    )
    assert figures.min_duration_ms == min(durations)
    assert figures.max_duration_ms == max(durations)
    assert abs(figures.avg_duration_ms - statistics.fmean(durations)) <= 0.5 + 1e-6
    assert figures.std_deviation_ms == pytest.approx(statistics.pstdev(durations), abs=0.051)


def test_the_figures_of_the_original_design() -> None:
    figures = stability(attempts("passed", "failed", "passed"))
    assert (figures.runs, figures.passed, figures.failed) == (3, 2, 1)
    assert figures.pass_rate == 66.7
    assert figures.stable is False
    assert figures.stability_class == "unstable"
    assert figures.pass_rate_interval == (20.8, 93.9)
