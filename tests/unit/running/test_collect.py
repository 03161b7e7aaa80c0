"""From attempts to the result of a case: status, gate, what an interruption leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.errors import RunError
from assay.model.result import Attempt, CaseResult, Status
from assay.running.collect import Collector, OpenCase, skipped
from assay.running.schedule import from_the_start

if TYPE_CHECKING:
    from tests.unit.running.conftest import Bench

    from assay.cases.plan import PlannedSuite


@pytest.fixture
def planned(bench: Bench) -> PlannedSuite:
    return planned_for(bench)


def planned_for(bench: Bench, **settings: object) -> PlannedSuite:
    plan = bench.plan(lambda request: "x", [{"id": "a", "input": "x"}], **settings)
    return plan.suites[0]


def attempt(number: int, status: Status, duration_ms: int = 10) -> Attempt:
    return Attempt(number=number, status=status, duration_ms=duration_ms)


def result(planned: PlannedSuite, *statuses: Status, reason: str | None = None) -> CaseResult:
    ((index, case),) = planned.cases()
    collector = Collector()
    collector.start(OpenCase(planned, index, case, from_the_start(index, planned.settings.runs)))
    opened: OpenCase | None = None
    for number, status in enumerate(statuses, 1):
        opened = collector.add(index, attempt(number, status, 10 * number))
    rest = list(collector.rest())
    if rest:
        (opened,) = rest
    assert opened is not None
    return opened.result(reason)


@pytest.mark.parametrize(
    ("statuses", "gate", "status"),
    [
        (("passed", "passed", "passed"), 100, "passed"),
        (("passed", "failed", "passed"), 100, "failed"),
        (("passed", "failed", "passed"), 66.6, "passed"),
        (("passed", "failed", "passed"), 66.7, "failed"),
        (("error", "timeout", "passed"), 100, "error"),
        (("timeout", "passed", "passed"), 100, "timeout"),
        (("timeout", "error", "failed"), 100, "failed"),
        (("failed", "failed", "failed"), 0, "passed"),
    ],
)
def test_the_status_of_a_case_with_several_runs(
    bench: Bench, statuses: tuple[Status, ...], gate: float, status: str
) -> None:
    planned = planned_for(bench, runs=3, min_pass_rate=gate)
    found = result(planned, *statuses)
    assert (found.status, found.several, found.incomplete) == (status, True, False)
    assert found.duration_ms == 20
    assert found.stability is not None
    assert found.stability.passed == statuses.count("passed")


def test_a_single_run(planned: PlannedSuite) -> None:
    found = result(planned, "timeout")
    assert (found.status, found.several, found.duration_ms) == ("timeout", False, 10)
    assert found.stability is not None
    assert found.stability.runs == 1


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ((), "skipped"),
        (("passed",), "skipped"),
        (("passed", "passed"), "skipped"),
        (("failed",), "failed"),
        (("passed", "error"), "error"),
    ],
)
def test_what_an_interruption_leaves(
    bench: Bench, statuses: tuple[Status, ...], status: str
) -> None:
    planned = planned_for(bench, runs=3)
    found = result(planned, *statuses, reason="interrupted")
    assert found.status == status
    if status == "skipped":
        assert (found.reason, found.attempts, found.stability) == ("interrupted", (), None)
    else:
        assert (found.reason, found.incomplete) == (None, True)
        assert len(found.attempts) == len(statuses)


def test_a_case_is_lost_as_soon_as_its_gate_is_out_of_reach(bench: Bench) -> None:
    planned = planned_for(bench, runs=4, min_pass_rate=50)
    ((index, case),) = planned.cases()
    opened = OpenCase(planned, index, case, from_the_start(index, planned.settings.runs))
    lost = []
    statuses: tuple[Status, ...] = ("failed", "passed", "error", "timeout")
    for number, status in enumerate(statuses, 1):
        opened.attempts.append(attempt(number, status))
        lost.append(opened.is_lost)
    assert lost == [False, False, False, True]


def test_attempts_are_sorted_and_seen_as_they_come(bench: Bench) -> None:
    planned = planned_for(bench, runs=2)
    ((index, case),) = planned.cases()
    collector = Collector()
    collector.start(OpenCase(planned, index, case, from_the_start(index, planned.settings.runs)))
    opened = collector.add(index, attempt(2, "failed"))
    assert (opened.so_far().status, opened.so_far().several) == ("failed", True)
    collector.add(index, attempt(1, "passed"))
    assert [each.number for each in opened.so_far().attempts] == [2, 1]
    assert [each.number for each in opened.result().attempts] == [1, 2]
    assert list(collector.rest()) == []


def test_what_is_not_under_way_is_refused(bench: Bench) -> None:
    planned = planned_for(bench, runs=2)
    ((index, case),) = planned.cases()
    collector = Collector()
    with pytest.raises(RunError, match="attempt 1 of case 1"):
        collector.add(index, attempt(1, "passed"))
    collector.start(OpenCase(planned, index, case, from_the_start(index, planned.settings.runs)))
    collector.add(index, attempt(1, "passed"))
    with pytest.raises(RunError, match="attempt 1 of case 1"):
        collector.add(index, attempt(1, "passed"))
    collector.add(index, attempt(2, "passed"))
    with pytest.raises(RunError, match="attempt 2 of case 1"):
        collector.add(index, attempt(2, "passed"))


def test_a_case_that_does_not_run(planned: PlannedSuite) -> None:
    ((index, case),) = planned.cases()
    found = skipped(planned, index, case, "why")
    assert (found.status, found.reason, found.attempts, found.several) == (
        "skipped",
        "why",
        (),
        False,
    )
