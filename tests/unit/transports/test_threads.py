"""Calls in daemon threads."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextvars import ContextVar

import pytest

from assay_plugins.transports._threads import Threads


def test_the_answer_of_a_function_arrives() -> None:
    async def go() -> tuple[int, threading.Thread]:
        threads = Threads("tests")
        return await threads.call(lambda: 42), await threads.call(threading.current_thread)

    value, thread = asyncio.run(go())

    assert value == 42
    assert thread is not threading.current_thread()
    assert thread.daemon
    assert thread.name == "tests"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
def test_what_a_function_raises_arrives(error: BaseException) -> None:
    def fail() -> None:
        raise error

    async def go() -> BaseException:
        with pytest.raises(type(error)) as told:
            await Threads("tests").call(fail)
        return told.value

    assert asyncio.run(go()) is error


def test_stop_iteration_arrives_as_a_runtime_error() -> None:
    async def go() -> None:
        await Threads("tests").call(lambda: next(iter(())))

    with pytest.raises(RuntimeError, match="raised StopIteration"):
        asyncio.run(go())


def test_calls_one_after_the_other_share_a_thread() -> None:
    async def go() -> set[threading.Thread]:
        threads = Threads("tests")
        return {await threads.call(threading.current_thread) for _ in range(1000)}

    # A thread that has answered may not be idle yet when the next call comes.
    assert len(asyncio.run(go())) <= 3


def test_calls_at_once_have_a_thread_each() -> None:
    barrier = threading.Barrier(20)

    def meet() -> int:
        barrier.wait()
        return threading.get_ident()

    async def go() -> list[int]:
        threads = Threads("tests")
        return await asyncio.gather(*[threads.call(meet) for _ in range(20)])

    assert len(set(asyncio.run(go()))) == 20


def test_a_cancelled_call_is_abandoned_and_its_thread_used_again() -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hang() -> threading.Thread:
        begun.set()
        may_end.wait()
        return threading.current_thread()

    async def go() -> tuple[threading.Thread, threading.Thread]:
        threads = Threads("tests")
        hung = asyncio.ensure_future(threads.call(hang))
        await asyncio.to_thread(begun.wait)
        hung.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hung
        other = await threads.call(threading.current_thread)
        may_end.set()
        return other, await threads.call(threading.current_thread)

    other, last = asyncio.run(go())

    assert other.name == last.name == "tests"


def test_context_variables_are_those_of_the_caller() -> None:
    variable = ContextVar("variable", default="unset")

    async def go() -> str:
        variable.set("set")
        return await Threads("tests").call(variable.get)

    assert asyncio.run(go()) == "set"


def test_closing_ends_idle_threads_and_busy_ones_when_they_return() -> None:
    begun, may_end = threading.Event(), threading.Event()
    busy: list[threading.Thread] = []

    def work() -> None:
        busy.append(threading.current_thread())
        begun.set()
        may_end.wait()

    async def go() -> threading.Thread:
        threads = Threads("tests")
        working = asyncio.ensure_future(threads.call(work))
        await asyncio.to_thread(begun.wait)
        idle = await threads.call(threading.current_thread)
        threads.close()
        may_end.set()
        await working
        return idle

    idle = asyncio.run(go())
    for thread in (idle, *busy):
        thread.join()

    assert not idle.is_alive()


def test_a_call_that_returns_after_the_loop_is_closed_does_no_harm() -> None:
    begun, may_end = threading.Event(), threading.Event()
    busy: list[threading.Thread] = []
    threads = Threads("tests")

    def work() -> None:
        busy.append(threading.current_thread())
        begun.set()
        may_end.wait()

    async def go() -> None:
        working = asyncio.ensure_future(threads.call(work))
        await asyncio.to_thread(begun.wait)
        working.cancel()

    asyncio.run(go())
    threads.close()
    may_end.set()
    busy[0].join()

    assert not busy[0].is_alive()


def test_a_call_that_hangs_does_not_keep_the_process() -> None:
    program = """
import asyncio, threading
from assay_plugins.transports._threads import Threads

async def go():
    try:
        await asyncio.wait_for(Threads("tests").call(threading.Event().wait), 0.01)
    except TimeoutError:
        print("ended")

asyncio.run(go())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout == "ended\n"


def test_an_idle_thread_ends_and_the_next_call_has_another() -> None:
    async def go() -> tuple[threading.Thread, threading.Thread]:
        threads = Threads("tests", linger=0.01)
        first = await threads.call(threading.current_thread)
        await asyncio.to_thread(first.join, 60)
        return first, await threads.call(threading.current_thread)

    first, second = asyncio.run(go())

    assert not first.is_alive()
    assert second is not first
