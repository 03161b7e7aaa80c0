from __future__ import annotations

import statistics
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import ABSENT, Attempt
from assay.model.result import Status
from assay.stats.stability import (
    can_still_reach,
    case_status,
    reaches,
    stability,
    stability_class,
)


def attempts(*statuses: Status, outputs: tuple[object, ...] = ()) -> list[Attempt]:
    return [
        Attempt(
            number=number,
            status=status,
            duration_ms=100 * number,
            output=outputs[number - 1] if outputs else ABSENT,
        )
        for number, status in enumerate(statuses, 1)
    ]


def test_figures_of_a_case() -> None:
    durations = (234, 210, 257)
    runs = [
        Attempt(number=1, status="passed", duration_ms=durations[0], output="a"),
        Attempt(number=2, status="failed", duration_ms=durations[1], output="b"),
        Attempt(number=3, status="passed", duration_ms=durations[2], output=" a "),
    ]
    figures = stability(runs)
    assert (figures.runs, figures.passed, figures.failed) == (3, 2, 1)
    assert figures.pass_rate == 66.7
    assert figures.pass_rate_interval == (20.8, 93.9)
    assert figures.consistency == 0.67
    assert not figures.stable
    assert figures.stability_class == "unstable"
    assert figures.avg_duration_ms == 234
    assert (figures.min_duration_ms, figures.max_duration_ms) == (210, 257)
    assert figures.std_deviation_ms == 19.2


def test_figures_of_a_single_run() -> None:
    figures = stability(attempts("passed", outputs=("a",)))
    assert (figures.pass_rate, figures.consistency, figures.stable) == (100.0, 1.0, True)
    assert figures.stability_class == "stable"
    assert figures.pass_rate_interval == (20.7, 100.0)
    assert figures.std_deviation_ms == 0.0


def test_errors_and_timeouts_are_runs_that_did_not_pass() -> None:
    figures = stability(attempts("passed", "error", "timeout", "failed"))
    assert (figures.passed, figures.failed, figures.pass_rate) == (1, 3, 25.0)
    assert figures.stability_class == "highly_unstable"
    assert figures.consistency == 0.0


def test_nothing_has_no_figures() -> None:
    with pytest.raises(ValueError, match="at least one"):
        stability([])


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=50))
def test_durations_are_those_of_the_population(durations: list[int]) -> None:
    runs = [
        Attempt(number=number, status="passed", duration_ms=duration)
        for number, duration in enumerate(durations, 1)
    ]
    figures = stability(runs)
    assert abs(Fraction(sum(durations), len(durations)) - figures.avg_duration_ms) <= Fraction(1, 2)
    assert figures.std_deviation_ms == pytest.approx(statistics.pstdev(durations), abs=0.051)
    assert figures.min_duration_ms <= figures.avg_duration_ms <= figures.max_duration_ms


@pytest.mark.parametrize(
    ("passed", "runs", "expected"),
    [
        (1, 1, "stable"),
        (0, 1, "highly_unstable"),
        (2499, 2500, "mostly_stable"),  # 99.96, shown as 100.0
        (4, 5, "mostly_stable"),
        (7999, 10_000, "unstable"),  # 79.99, shown as 80.0
        (1, 2, "unstable"),
        (4999, 10_000, "highly_unstable"),  # 49.99, shown as 50.0
    ],
)
def test_classes_go_by_the_exact_rate(passed: int, runs: int, expected: str) -> None:
    assert stability_class(passed, runs) == expected


@pytest.mark.parametrize(
    ("passed", "runs", "gate", "expected"),
    [
        (3, 3, 100, True),
        (2499, 2500, 100.0, False),
        (4, 5, 80, True),
        (2, 3, 66.6, True),
        (2, 3, 66.7, False),
        (333, 1000, 33.3, True),
        (299, 1000, 29.9, True),
        (298, 1000, 29.9, False),
        (0, 3, 0, True),
        (0, 0, 0, False),
        (0, 0, 100, False),
        (1, 1, 100.5, False),
    ],
)
def test_gates_go_by_the_exact_rate(passed: int, runs: int, gate: float, expected: bool) -> None:
    assert reaches(passed, runs, gate) is expected


@settings(deadline=None)
@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_a_rate_in_tenths_reaches_itself(passed: int, runs: int, tenths: int) -> None:
    gate = tenths / 10
    expected = runs > 0 and Fraction(100 * passed, runs) >= Fraction(tenths, 10)
    assert reaches(passed, runs, gate) is expected


def test_what_can_still_pass() -> None:
    assert can_still_reach(0, 0, 3, 100)
    assert can_still_reach(1, 1, 3, 100)
    assert not can_still_reach(1, 2, 3, 100)
    assert can_still_reach(1, 2, 5, 80)
    assert not can_still_reach(1, 3, 5, 80)
    assert can_still_reach(3, 3, 3, 100)


@settings(deadline=None)
@given(
    st.lists(st.booleans(), max_size=8),
    st.lists(st.booleans(), max_size=8),
    st.integers(0, 1000).map(lambda tenths: tenths / 10),
)
def test_what_can_pass_no_more_never_does(
    finished: list[bool], rest: list[bool], gate: float
) -> None:
    runs = len(finished) + len(rest)
    if not can_still_reach(sum(finished), len(finished), runs, gate):
        assert not reaches(sum(finished) + sum(rest), runs, gate)
    elif runs:
        assert reaches(sum(finished) + len(rest), runs, gate)


@pytest.mark.parametrize(
    ("statuses", "gate", "expected"),
    [
        (("passed", "passed"), 100, "passed"),
        (("passed", "failed"), 100, "failed"),
        (("passed", "failed"), 50, "passed"),
        (("error", "timeout", "failed"), 100, "failed"),
        (("timeout", "error", "passed"), 100, "error"),
        (("timeout", "passed"), 100, "timeout"),
        (("error",), 100, "error"),
        (("failed",), 0, "passed"),
        ((), 100, "skipped"),
        ((), 0, "skipped"),
    ],
)
def test_status_of_a_case(statuses: tuple[Status, ...], gate: float, expected: Status) -> None:
    assert case_status(attempts(*statuses), gate) == expected
