"""Which attempt comes next: order, bounds, fail-fast, gates, stops."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.contracts import Done, ExecutorContext, Task
from assay.errors import ConfigError, ExitCode, RunError
from assay.model.exchange import Request
from assay.model.result import Attempt, CaseResult
from assay.running.local import Local
from assay.running.schedule import Schedule
from assay.running.stop import Stop

if TYPE_CHECKING:
    from tests.unit.running.conftest import Bench


def carried_out(
    bench: Bench,
    agent: Callable[[Request], object],
    *suites: list[dict[str, object]],
    stop: Stop | None = None,
    executor: Callable[[ExecutorContext], Any] = Local,
    **settings: object,
) -> tuple[list[CaseResult], list[tuple[str, int]]]:
    """Run suites; gives the results and the attempts that were told, as they came."""
    prepared = bench.prepared(agent, *suites, **settings)
    results: list[CaseResult] = []
    attempts: list[tuple[str, int]] = []

    async def main() -> None:
        async with bench.workshop(prepared) as worker:
            context = ExecutorContext(
                parallel=prepared.settings.parallel, worker=worker, blueprint={}
            )
            await Schedule(
                plan=prepared.plan,
                executor=executor(context),
                stop=stop or Stop(),
                fail_fast=prepared.settings.fail_fast,
                on_attempt=lambda case, attempt: attempts.append((case.case.id, attempt.number)),
                on_result=results.append,
            ).run()

    asyncio.run(asyncio.wait_for(main(), 60))
    return results, attempts


def cases(*words: str, **fields: object) -> list[dict[str, object]]:
    return [
        {"id": f"{number} {word}", "input": word, "expected": "good", **fields}
        for number, word in enumerate(words)
    ]


def echo(request: Request) -> str:
    return request.text


def statuses(results: list[CaseResult]) -> list[str]:
    return [result.status for result in sorted(results, key=lambda result: result.index)]


def test_cases_times_runs_in_the_order_of_the_files(bench: Bench) -> None:
    asked: list[str] = []

    def agent(request: Request) -> str:
        asked.append(f"{request.origin.suite} {request.origin.case} {request.origin.attempt}")
        return "good"

    results, attempts = carried_out(bench, agent, cases("x", "y"), cases("z"), runs=2)
    assert asked == [
        "cases-1 0 x 1",
        "cases-1 0 x 2",
        "cases-1 1 y 1",
        "cases-1 1 y 2",
        "cases-2 0 z 1",
        "cases-2 0 z 2",
    ]
    assert attempts == [("0 x", 1), ("0 x", 2), ("1 y", 1), ("1 y", 2), ("0 z", 1), ("0 z", 2)]
    assert [(result.index, result.suite) for result in results] == [
        (0, "cases-1"),
        (1, "cases-1"),
        (2, "cases-2"),
    ]
    assert all(result.several and not result.incomplete for result in results)


def test_a_single_run_has_no_attempts_to_tell_of(bench: Bench) -> None:
    results, attempts = carried_out(bench, echo, cases("good", "bad"))
    assert (statuses(results), attempts) == (["passed", "failed"], [])


def test_cases_that_say_skip_keep_their_place(bench: Bench) -> None:
    suite: list[dict[str, object]] = [
        *cases("good"),
        {"id": "s", "input": "x", "skip": True},
        {"id": "z", "input": "x"},
    ]
    results, _ = carried_out(bench, echo, suite)
    assert [result.case.id for result in results] == ["0 good", "s", "z"]
    assert results[1].reason == "skip is set in the case"


@given(
    words=st.lists(st.sampled_from(["good", "bad", "skip"]), min_size=1, max_size=8),
    runs=st.integers(1, 3),
    parallel=st.integers(1, 5),
    fail_fast=st.booleans(),
)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_case_gets_one_result_whatever_happens(
    bench: Bench, words: list[str], runs: int, parallel: int, fail_fast: bool
) -> None:
    suite = [
        {"id": str(number), "input": word, "expected": "good", "skip": word == "skip"}
        for number, word in enumerate(["good", *words])
    ]
    under_way = most = 0
    asked: Counter[str] = Counter()

    async def agent(request: Request) -> str:
        nonlocal under_way, most
        asked[request.origin.case] += 1
        under_way += 1
        most = max(most, under_way)
        try:
            await asyncio.sleep(0)
        finally:
            under_way -= 1
        return request.text

    results, _ = carried_out(bench, agent, suite, runs=runs, parallel=parallel, fail_fast=fail_fast)
    assert sorted(result.index for result in results) == list(range(len(suite)))
    assert most <= parallel
    assert under_way == 0
    assert set(asked.values()) <= set(range(1, runs + 1))
    for result in results:
        word = result.case.input
        if result.status == "skipped":
            assert result.reason
            assert not result.attempts
            assert word == "skip" or (fail_fast and "bad" in words)
        else:
            assert result.status == {"good": "passed", "bad": "failed"}[str(word)]
            assert len(result.attempts) <= runs
            assert result.incomplete == (len(result.attempts) < runs)
    if not (fail_fast and "bad" in words):
        assert asked.total() == runs * sum(word != "skip" for word in ["good", *words])


@pytest.mark.parametrize(
    ("gate", "expected", "asked"),
    [
        (100, ["failed", "skipped"], 2),
        (75, ["passed", "failed"], 4 + 2),
        (50, ["passed", "failed"], 4 + 3),
        (0, ["passed", "passed"], 4 + 4),
    ],
)
def test_fail_fast_waits_until_the_gate_cannot_be_reached(
    bench: Bench, gate: int, expected: list[str], asked: int
) -> None:
    count = 0

    def agent(request: Request) -> str:
        nonlocal count
        count += 1
        # Of the first case, the second run is bad; of the second, all are.
        bad = request.text == "worse" or request.origin.attempt == 2
        return "bad" if bad else "good"

    results, _ = carried_out(
        bench, agent, cases("x", "worse"), runs=4, min_pass_rate=gate, fail_fast=True
    )
    assert statuses(results) == expected
    assert count == asked


def test_a_stop_from_outside_cancels_what_is_under_way(bench: Bench) -> None:
    stop = Stop()
    cancelled: list[str] = []

    async def agent(request: Request) -> str:
        if request.text == "good":
            return "good"
        stop.ask("interrupted by Ctrl-C", ExitCode.INTERRUPTED)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(request.text)
            raise
        return ""

    results, _ = carried_out(bench, agent, cases("good", "hang", "good"), stop=stop)
    assert statuses(results) == ["passed", "skipped", "skipped"]
    assert {result.reason for result in results[1:]} == {"interrupted by Ctrl-C"}
    assert cancelled == ["hang"]
    assert stop.exit_code == ExitCode.INTERRUPTED


def test_the_first_reason_to_stop_stays(bench: Bench) -> None:
    stop = Stop()
    stop.ask("first")
    stop.ask("second", ExitCode.TERMINATED)
    results, _ = carried_out(bench, echo, cases("good"), stop=stop)
    assert [result.reason for result in results] == ["first"]
    assert stop.exit_code is None


def test_a_source_that_changes_in_between(bench: Bench) -> None:
    path = bench.folder / "cases.jsonl"
    path.write_text('{"id": "a", "input": "x"}\n{"id": "b", "input": "x"}\n')

    def agent(request: Request) -> str:
        return "x"

    prepared = bench.prepared(agent, inputs=("cases.jsonl",))
    path.write_text('{"id": "a", "input": "x"}\n')
    results: list[CaseResult] = []

    async def main() -> None:
        async with bench.workshop(prepared) as worker:
            context = ExecutorContext(parallel=1, worker=worker, blueprint={})
            await Schedule(
                plan=prepared.plan,
                executor=Local(context),
                stop=Stop(),
                fail_fast=False,
                on_attempt=lambda case, attempt: None,
                on_result=results.append,
            ).run()

    with pytest.raises(ConfigError, match=r"cases\.jsonl: it changed while it was being run"):
        asyncio.run(main())
    assert [result.case.id for result in results] == ["a"]


class Odd:
    """An executor that breaks its contract as a test says."""

    name: ClassVar[str] = "odd"

    def __init__(self, context: ExecutorContext, how: str) -> None:
        self.worker = context.worker
        self.how = how

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        async for task in tasks:
            done = await self.worker.run(task)
            if self.how == "drops":
                continue
            yield done
            if self.how == "repeats":
                yield done
            if self.how == "stops":
                return


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("drops", "ended before it had carried out all attempts of 3 cases"),
        ("stops", "ended before it had carried out all attempts of 3 cases"),
        ("repeats", "gave attempt 1 of case 1 back, which was not under way"),
    ],
)
def test_an_executor_that_loses_or_repeats_attempts(bench: Bench, how: str, problem: str) -> None:
    with pytest.raises(RunError, match=problem):
        carried_out(
            bench,
            echo,
            cases("good", "good", "good"),
            executor=lambda context: Odd(context, how),
            runs=2,
        )


def test_fail_fast_waits_until_the_executor_has_let_go(bench: Bench) -> None:
    class Slow(Odd):
        has_let_go = False

        async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
            try:
                async for task in tasks:
                    yield await self.worker.run(task)
            finally:
                for _ in range(9):
                    await asyncio.sleep(0)
                self.has_let_go = True

    made: list[Slow] = []

    def make(context: ExecutorContext) -> Slow:
        made.append(Slow(context, "slow"))
        return made[-1]

    results, _ = carried_out(bench, echo, cases("bad", "good"), executor=make, fail_fast=True)

    assert [result.status for result in results] == ["failed", "skipped"]
    assert made[0].has_let_go


def test_attempts_may_finish_in_any_order(bench: Bench) -> None:
    class Backwards(Odd):
        async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
            taken = [task async for task in tasks]
            for task in reversed(taken):
                yield await self.worker.run(task)

    results, attempts = carried_out(
        bench,
        echo,
        cases("good", "bad"),
        executor=lambda context: Backwards(context, ""),
        runs=2,
    )
    assert attempts == [("1 bad", 2), ("1 bad", 1), ("0 good", 2), ("0 good", 1)]
    assert statuses(results) == ["passed", "failed"]
    for result in results:
        assert [attempt.number for attempt in result.attempts] == [1, 2]
        assert isinstance(result.attempts[0], Attempt)
