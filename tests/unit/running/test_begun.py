"""Cases that an earlier run began: only what is missing is carried out."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from assay.contracts import ExecutorContext
from assay.model.result import Attempt, CaseResult
from assay.running.collect import Begun
from assay.running.local import Local
from assay.running.schedule import Schedule
from assay.running.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.running.conftest import Bench

    from assay.model.exchange import Request

PASSED = Attempt(number=1, status="passed", duration_ms=7, output="then")
FAILED = Attempt(number=2, status="failed", duration_ms=3_600_000, output="then")


def carried_out(
    bench: Bench,
    begin: Callable[[int, int], Begun | None],
    count: int = 1,
    stop: Stop | None = None,
    **settings: object,
) -> tuple[list[CaseResult], list[str]]:
    """Run cases; gives the results and the attempts that the agent was asked for."""
    asked: list[str] = []

    def agent(request: Request) -> str:
        asked.append(f"{request.origin.case}#{request.origin.attempt}")
        return "good"

    cases: list[dict[str, object]] = [
        {"id": str(number), "input": "x", "expected": "good"} for number in range(count)
    ]
    prepared = bench.prepared(agent, cases, **settings)
    results: list[CaseResult] = []

    async def main() -> None:
        async with bench.workshop(prepared) as worker:
            await Schedule(
                plan=prepared.plan,
                executor=Local(ExecutorContext(parallel=1, worker=worker, blueprint={})),
                stop=stop or Stop(),
                fail_fast=prepared.settings.fail_fast,
                on_attempt=lambda case, attempt: None,
                on_result=results.append,
                begin=begin,
            ).run()

    asyncio.run(asyncio.wait_for(main(), 60))
    return results, asked


def test_only_the_named_attempts_are_carried_out(bench: Bench) -> None:
    begun = Begun(numbers=[3], attempts=(FAILED, PASSED))

    (result,), asked = carried_out(bench, lambda index, runs: begun, runs=3)

    assert asked == ["0#3"]
    assert [each.output for each in result.attempts] == ["then", "then", "good"]
    assert (result.status, result.incomplete) == ("failed", False)
    assert result.stability is not None
    assert (result.stability.passed, result.stability.max_duration_ms) == (2, 3_600_000)


def test_what_has_its_result_gets_no_other(bench: Bench) -> None:
    results, asked = carried_out(
        bench, lambda index, runs: None if index == 1 else Begun(numbers=[1]), count=3
    )

    assert asked == ["0#1", "2#1"]
    assert [result.case.id for result in results] == ["0", "2"]


def test_a_case_whose_attempts_are_all_there_gets_its_result(bench: Bench) -> None:
    begun = Begun(numbers=(), attempts=(PASSED, FAILED))

    (result,), asked = carried_out(bench, lambda index, runs: begun, runs=2)

    assert asked == []
    assert (result.status, len(result.attempts)) == ("failed", 2)


def test_a_case_without_further_attempts_is_skipped_for_the_reason(bench: Bench) -> None:
    begun = Begun(numbers=(), reason="not now")

    (result,), asked = carried_out(bench, lambda index, runs: begun)

    assert asked == []
    assert (result.status, result.reason) == ("skipped", "not now")


def test_a_case_that_failed_already_keeps_that_without_further_attempts(bench: Bench) -> None:
    begun = Begun(numbers=(), attempts=(FAILED,), reason="not now")

    (result,), _ = carried_out(bench, lambda index, runs: begun, runs=2)

    assert (result.status, result.reason, result.incomplete) == ("failed", None, True)


def test_an_earlier_failure_counts_for_the_gate(bench: Bench) -> None:
    begun = Begun(numbers=[1, 3], attempts=(FAILED,))
    stop = Stop()

    (result,), asked = carried_out(
        bench, lambda index, runs: begun, stop=stop, runs=3, fail_fast=True
    )

    assert asked == ["0#1"]
    assert stop.reason == "stopped by --fail-fast after 0"
    assert (result.status, result.incomplete) == ("failed", True)


def test_what_is_stopped_before_keeps_what_it_has(bench: Bench) -> None:
    stop = Stop()
    stop.ask("told to")
    known = {
        0: Begun(numbers=[1, 2, 3]),
        1: Begun(numbers=[1, 3], attempts=(FAILED,)),
        2: None,
        3: Begun(numbers=[2, 3], attempts=(PASSED,)),
    }

    results, asked = carried_out(bench, lambda index, runs: known[index], 4, stop, runs=3)

    assert asked == []
    assert [(each.case.id, each.status, each.reason) for each in results] == [
        ("0", "skipped", "told to"),
        ("1", "failed", None),
        ("3", "skipped", "told to"),
    ]
