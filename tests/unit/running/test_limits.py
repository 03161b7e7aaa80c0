"""How fast an agent is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.running.limits import FIRST_PAUSE, LONGEST_PAUSE, Limits, growing
from jumping_clock import now, run


async def requests(
    limits: Limits, count: int, took: float = 1.0, then: Callable[[float], None] | None = None
) -> list[tuple[float, float]]:
    """Make requests, all at once; gives when each began and ended."""

    async def one() -> tuple[float, float]:
        entered = await limits.enter()
        try:
            began = now()
            await asyncio.sleep(took)
            (then or limits.answered)(entered)
            return began, now()
        finally:
            limits.leave()

    return await asyncio.gather(*(one() for _ in range(count)))


def most_at_once(spans: list[tuple[float, float]]) -> int:
    return max(sum(a <= began < b for a, b in spans) for began, _ in spans)


@given(parallel=st.integers(1, 5), count=st.integers(1, 20))
def test_never_more_at_once_than_allowed_and_no_turn_is_lost(parallel: int, count: int) -> None:
    spans = run(requests(Limits(parallel=parallel), count))
    assert most_at_once(spans) == min(parallel, count)
    assert max(ended for _, ended in spans) == pytest.approx(-(-count // parallel))


def test_turns_come_in_order() -> None:
    async def go() -> list[int]:
        limits, order = Limits(parallel=1), list[int]()

        async def one(number: int) -> None:
            await limits.enter()
            order.append(number)
            await asyncio.sleep(1)
            limits.leave()

        await asyncio.gather(*(one(number) for number in range(10)))
        return order

    assert run(go()) == list(range(10))


def test_a_ceiling_spaces_requests_evenly() -> None:
    spans = run(requests(Limits(parallel=100, interval=0.5), 10, took=30.0))
    assert [began for began, _ in spans] == pytest.approx([0.5 * n for n in range(10)])


def test_a_ceiling_saves_nothing_up() -> None:
    async def go() -> list[float]:
        limits = Limits(parallel=10, interval=1.0)
        first = await requests(limits, 1)
        await asyncio.sleep(100)
        return [began for began, _ in [*first, *await requests(limits, 3)]]

    assert run(go()) == pytest.approx([0, 101, 102, 103])


def test_a_pause_holds_all_new_requests_and_no_old_ones() -> None:
    async def go() -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
        limits = Limits(parallel=10)
        old = asyncio.create_task(requests(limits, 3, took=5))
        await asyncio.sleep(1)
        assert limits.pause(now(), 60) == 60
        return await old, await requests(limits, 3)

    old, new = run(go())
    assert old == [(0, 5)] * 3
    assert min(began for began, _ in new) == 61


def test_a_ceiling_holds_after_a_pause_too() -> None:
    async def go() -> list[float]:
        limits = Limits(parallel=100, interval=1.0)
        waiting = asyncio.create_task(requests(limits, 10, took=0))
        await asyncio.sleep(2.5)
        limits.pause(now(), 60)
        return [began for began, _ in await waiting]

    began = run(go())
    assert began[:3] == pytest.approx([0, 1, 2])
    assert began[3:] == pytest.approx([62.5 + n for n in range(7)])


def test_a_pause_that_begins_while_others_wait_is_seen_by_them() -> None:
    async def go() -> list[tuple[float, float]]:
        limits = Limits(parallel=2)
        limits.pause(now(), 10)
        waiting = asyncio.create_task(requests(limits, 2))
        await asyncio.sleep(9)
        limits.pause(now(), 10)
        return await waiting

    assert min(began for began, _ in run(go())) == 19


def test_many_that_are_told_at_once_pause_once() -> None:
    async def go() -> int:
        limits = Limits(parallel=64)
        entered = [await limits.enter() for _ in range(64)]
        for at in entered:
            assert 0.5 * FIRST_PAUSE <= limits.pause(at, None) <= FIRST_PAUSE
            limits.leave()
        return limits.allowed

    assert run(go()) == 32


def test_what_an_agent_says_counts_though_a_pause_is_on() -> None:
    async def go() -> None:
        limits = Limits(parallel=2)
        first, second = await limits.enter(), await limits.enter()
        assert limits.pause(first, 5) == 5
        assert limits.pause(second, 7) == 7
        assert limits.pause(second, 3) == 7
        assert limits.pause(second, None) == 7

    run(go())


def test_pauses_grow_and_shrink_what_is_allowed() -> None:
    async def go() -> tuple[list[float], list[int]]:
        limits, pauses, allowed = Limits(parallel=64), list[float](), list[int]()
        for _ in range(10):
            # As many as may be are under way, and all of them are told.
            held = [await limits.enter() for _ in range(limits.allowed)]
            pauses.append(max(limits.pause(entered, None) for entered in held))
            for _ in held:
                limits.leave()
            allowed.append(limits.allowed)
        return pauses, allowed

    pauses, allowed = run(go())
    for number, pause in enumerate(pauses):
        longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**number)
        assert 0.5 * longest <= pause <= longest
    assert allowed == [32, 16, 8, 4, 2, 1, 1, 1, 1, 1]


def test_answers_let_more_through_again_slowly() -> None:
    async def go() -> list[int]:
        limits, allowed = Limits(parallel=4), list[int]()
        held = [await limits.enter() for _ in range(4)]
        limits.pause(held[0], 1)
        for _ in held:
            limits.leave()
        for _ in range(8):
            await requests(limits, 1)
            allowed.append(limits.allowed)
        return allowed

    allowed = run(go())
    assert allowed[0] == 2
    assert allowed == sorted(allowed)
    assert allowed[-1] == 4
    assert allowed.index(3) >= 1


def test_a_place_that_opens_is_taken_by_those_who_wait() -> None:
    async def go() -> list[tuple[float, float]]:
        limits = Limits(parallel=8)
        held = [await limits.enter() for _ in range(8)]
        limits.pause(held[0], 0)
        waiting = asyncio.create_task(requests(limits, 80))
        for _ in held:
            limits.leave()
        return await waiting

    spans = run(go())
    assert 4 <= most_at_once(spans) <= 8
    # Four at a time from the start would take 20 seconds, eight would take ten.
    assert 10 < max(ended for _, ended in spans) < 15


def test_an_answer_ends_the_growth_of_pauses() -> None:
    async def go() -> float:
        limits = Limits(parallel=1)
        for _ in range(5):
            limits.pause(await limits.enter(), None)
            limits.leave()
        await requests(limits, 1)
        entered = await limits.enter()
        pause = limits.pause(entered, None)
        limits.leave()
        return pause

    assert run(go()) <= FIRST_PAUSE


def test_an_answer_from_before_the_pause_ends_nothing() -> None:
    async def go() -> float:
        limits = Limits(parallel=2)
        early, told = await limits.enter(), await limits.enter()
        await asyncio.sleep(1)
        limits.pause(told, None)
        limits.leave()
        limits.answered(early)
        limits.leave()
        entered = await limits.enter()
        return limits.pause(entered, None)

    assert run(go()) > FIRST_PAUSE


@pytest.mark.parametrize("interval", [None, 1.0])
@given(data=st.data())
def test_whoever_gives_up_waiting_takes_no_place(
    interval: float | None, data: st.DataObject
) -> None:
    async def go() -> None:
        limits = Limits(parallel=2, interval=interval)
        tasks = [asyncio.create_task(requests(limits, 1)) for _ in range(8)]
        limits.pause(now(), data.draw(st.sampled_from([0, 1.5])))
        for _ in range(data.draw(st.integers(0, 8))):
            await asyncio.sleep(data.draw(st.sampled_from([0, 0.5, 1])))
            data.draw(st.sampled_from(tasks)).cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # Both places are free again: the next two begin at once, but for what spaces them.
        began = now()
        async with asyncio.timeout(10):
            spans = await requests(limits, 2)
        assert max(start for start, _ in spans) <= began + 2 * (interval or 0) + 1e-6

    run(go())


def test_waiting_is_surrounded_and_nothing_else() -> None:
    waits = list[float]()

    @contextmanager
    def waiting() -> Generator[None]:
        began = now()
        yield
        waits.append(now() - began)

    async def go() -> None:
        limits = Limits(parallel=1)
        await limits.enter(waiting)
        assert not waits
        later = asyncio.create_task(limits.enter(waiting))
        await asyncio.sleep(3)
        limits.leave()
        await later

    run(go())
    assert waits == [3]


class Turns:
    """Turns that several limits share, a second apart."""

    def __init__(self) -> None:
        self.next_at = 0.0

    async def turn(self) -> None:
        at = self.next_at = max(now(), self.next_at)
        self.next_at += 1.0
        await asyncio.sleep(at - now())


def test_a_ceiling_that_is_shared_spaces_the_requests_of_all() -> None:
    async def go() -> list[float]:
        turns = Turns()
        shared = [Limits(parallel=10, interval=1.0, turn=turns.turn) for _ in range(3)]
        spans = await asyncio.gather(*(requests(limits, 3) for limits in shared))
        return sorted(began for some in spans for began, _ in some)

    assert run(go()) == pytest.approx(range(9))


def test_turns_that_come_during_a_pause_are_asked_for_again() -> None:
    async def go() -> list[float]:
        limits = Limits(parallel=100, interval=1.0, turn=Turns().turn)
        waiting = asyncio.create_task(requests(limits, 10, took=0))
        await asyncio.sleep(2.5)
        limits.pause(now(), 60)
        return sorted(began for began, _ in await waiting)

    began = run(go())
    assert began[:3] == pytest.approx([0, 1, 2])
    assert began[3:] == pytest.approx([62.5 + n for n in range(7)])


def test_a_pause_is_told_once_and_again_when_it_grows() -> None:
    async def go() -> list[float]:
        told = list[float]()
        limits = Limits(parallel=2, told=told.append)
        first, second = await limits.enter(), await limits.enter()
        limits.pause(first, 5)
        limits.pause(second, 3)
        limits.pause(second, None)
        limits.pause(second, 7)
        return told

    assert run(go()) == [5, 7]


def test_a_pause_of_another_worker_is_obeyed_as_an_own_one() -> None:
    async def go() -> None:
        limits, other = (Limits(parallel=64) for _ in range(2))
        entered = [[await each.enter() for _ in range(64)] for each in (limits, other)]
        await asyncio.sleep(1)
        limits.obey(60)
        assert limits.allowed == 32
        # What was under way when it began, and what others are told again, is no news.
        assert limits.pause(entered[0][0], 5) == 60
        limits.obey(70)
        assert limits.allowed == 32
        for _ in range(64):
            limits.leave()
        (began, _), *_ = await requests(limits, 1)
        assert began == 71
        assert other.allowed == 64

    run(go())


def test_growing_has_an_end() -> None:
    assert [growing(1, count, 10) for count in range(5)] == [1, 2, 4, 8, 10]
    assert growing(1, 10**6, 10) == 10
