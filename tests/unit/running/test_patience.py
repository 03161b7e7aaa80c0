"""An executor that falls silent does not hold a run up for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, ClassVar

from assay.contracts import Done, ExecutorContext, Task
from assay.errors import ExitCode
from assay.model.result import CaseResult
from assay.running.patience import Patience
from assay.running.schedule import Schedule
from assay.running.stop import Stop
from jumping_clock import run

if TYPE_CHECKING:
    from tests.unit.running.conftest import Bench

CASES: list[dict[str, object]] = [{"id": name, "input": "x", "timeout": "1s"} for name in "abc"]


class Silent:
    """Carries out so many attempts, each after a while, and then says nothing any more."""

    name: ClassVar[str] = "silent"

    def __init__(self, context: ExecutorContext, results: int, after: float) -> None:
        self._context = context
        self._results = results
        self._after = after

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        async for task in tasks:
            if self._results == 0:
                await asyncio.Event().wait()
            self._results -= 1
            await asyncio.sleep(self._after)
            yield await self._context.worker.run(task)


async def agent(_: object) -> str:
    return "good"


def carried_out(bench: Bench, *, results: int, after: float) -> tuple[Stop, list[CaseResult]]:
    prepared = bench.prepared(agent, CASES, retries=0, max_wait=0)
    stop, told = Stop(), list[CaseResult]()

    async def main() -> None:
        async with bench.workshop(prepared) as worker:
            context = ExecutorContext(parallel=1, worker=worker, blueprint={})
            await Schedule(
                plan=prepared.plan,
                executor=Silent(context, results, after),
                stop=stop,
                fail_fast=False,
                on_attempt=lambda case, attempt: None,
                on_result=told.append,
                patience=Patience("silent", 1, allowance=60),
            ).run()

    run(main())
    return stop, told


def test_a_silent_executor_stops_the_run_with_a_result_for_every_case(bench: Bench) -> None:
    stop, told = carried_out(bench, results=1, after=0)
    assert stop.reason == (
        "executor 'silent' has given no result for 1m1s; look whether it still runs, and go on"
        " with --resume"
    )
    assert stop.exit_code == ExitCode.RUNTIME
    assert [result.status for result in told] == ["passed", "skipped", "skipped"]


def test_results_that_come_slowly_are_waited_for(bench: Bench) -> None:
    stop, told = carried_out(bench, results=3, after=60)
    assert stop.reason is None
    assert [result.status for result in told] == ["passed"] * 3


def test_pauses_tries_and_rates_of_the_longest_case_are_reckoned_with(bench: Bench) -> None:
    checked: dict[str, object] = {"id": "d", "input": "x", "expected": "good", "timeout": "7s"}
    prepared = bench.prepared(agent, [*CASES, checked], retries=1, max_wait=10, rate="1/m")
    patience = Patience("silent", 2, allowance=0)
    for planned, _, case in prepared.plan.cases():
        patience.see(case, planned.settings)
    # Two requests, to the agent and by a check, twice each, which wait 10 s and for two turns.
    assert patience.seconds == 2 * 2 * (10 + 2 * 60) + 7
