"""A deadline counts work alone, and holds whatever the code within makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from assay.errors import AgentError
from assay.running.deadline import Deadline
from jumping_clock import now, run

Work = Callable[[Deadline], Awaitable[None]]


def outcome(work: Work, seconds: float = 1.0) -> tuple[str, int, float]:
    """Do work within a deadline; gives how it ended, the work counted, and the time then."""

    async def main() -> tuple[str, int, float]:
        deadline = Deadline(seconds)
        try:
            async with deadline:
                await work(deadline)
        except Exception as error:  # noqa: BLE001 - what it raises is what is looked at
            return type(error).__name__, deadline.worked_ms, now()
        return "done", deadline.worked_ms, now()

    return run(main())


def test_work_within_the_limit() -> None:
    assert outcome(lambda _: asyncio.sleep(0.9)) == ("done", 900, 0.9)


def test_work_beyond_the_limit_is_cancelled() -> None:
    assert outcome(lambda _: asyncio.sleep(60)) == ("TimeoutError", 1000, 1.0)


def test_the_clock_stands_still_while_it_is_paused() -> None:
    async def work(deadline: Deadline) -> None:
        await asyncio.sleep(0.4)
        with deadline.paused():
            await asyncio.sleep(3600)
            assert deadline.worked_ms == 400
        await asyncio.sleep(0.5)
        assert deadline.worked_ms == 900

    assert outcome(work) == ("done", 900, 3600.9)


def test_after_a_pause_the_rest_is_left() -> None:
    async def work(deadline: Deadline) -> None:
        await asyncio.sleep(0.5)
        with deadline.paused():
            await asyncio.sleep(10)
        await asyncio.sleep(60)

    assert outcome(work) == ("TimeoutError", 1000, 11.0)


def test_a_pause_that_ends_in_an_error_ends() -> None:
    async def pause(deadline: Deadline) -> None:
        with deadline.paused():
            await asyncio.sleep(10)
            raise KeyError

    async def work(deadline: Deadline) -> None:
        with pytest.raises(KeyError):
            await pause(deadline)
        await asyncio.sleep(60)

    assert outcome(work) == ("TimeoutError", 1000, 11.0)


async def swallows(_: Deadline) -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return


async def turns_into_an_error(_: Deadline) -> None:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError as error:
        raise AgentError("interrupted") from error


@pytest.mark.parametrize("work", [swallows, turns_into_an_error])
def test_a_swallowed_cancellation_is_a_timeout_all_the_same(work: Work) -> None:
    assert outcome(work) == ("TimeoutError", 1000, 1.0)


def test_code_that_goes_on_can_be_stopped_by_looking() -> None:
    reached: list[int] = []

    async def work(deadline: Deadline) -> None:
        deadline.check()
        reached.append(1)
        await swallows(deadline)
        deadline.check()
        reached.append(2)

    assert outcome(work) == ("TimeoutError", 1000, 1.0)
    assert reached == [1]


def test_errors_within_the_limit_pass() -> None:
    async def work(_: Deadline) -> None:
        raise KeyError

    assert outcome(work) == ("KeyError", 0, 0.0)


def test_a_cancellation_from_outside_is_no_timeout() -> None:
    async def main() -> None:
        async def long() -> None:
            async with Deadline(100.0):
                await asyncio.sleep(60)

        task = asyncio.create_task(long())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
