"""One run in one worker process: a thread with an event loop of its own, and open transports."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import Final

import attrs

import assay
from assay import AssayError, PacedWorker, Task
from assay_dask.messages import Order, Reply, attempt_to_bytes, task_from_bytes
from assay_dask.outbox import Outbox

LEASE: Final = 300.0
"""Seconds after which a session closes itself when the run asks no more: it is gone. Not sooner,
since a run may be held up by a terminal, or sleep with its machine."""
LETTING_GO: Final = 5.0
"""Seconds that attempts have to let go when they are cancelled."""
_TICK: Final = 1.0


class Session:
    """Carries attempts out in its own thread. Its methods are called from dask's.

    Args:
        blueprint: What ``assay.worker`` is told.
        loop: Dask's loop.
    """

    def __init__(self, blueprint: Mapping[str, object], loop: asyncio.AbstractEventLoop) -> None:
        self._blueprint = blueprint
        self._outbox = Outbox(loop)
        self._own = asyncio.new_event_loop()
        self._opened: Future[None] = Future()
        self._ended: Future[None] = Future()
        self._is_closing = asyncio.Event()
        self._heard = self._moved = monotonic()
        self._attempts: set[asyncio.Task[None]] = set()
        self._turns: dict[int, asyncio.Future[float]] = {}
        self._turn = 0
        self._worker: PacedWorker

    async def open(self) -> None:
        """Open the transports.

        Raises:
            ConfigError: Something that the run needs is missing here.
            RunError: An agent cannot be reached from here.
        """
        threading.Thread(target=self._run, name="assay", daemon=True).start()
        await asyncio.shield(asyncio.wrap_future(self._opened))

    @property
    def has_ended(self) -> bool:
        """Whether it has closed, by itself or not."""
        return self._ended.done()

    async def exchange(self, order: Order, seconds: float) -> Reply:
        """Take an order, and give what there is to tell.

        Args:
            order: What is to be done.
            seconds: How long to wait for something to tell.
        """
        self._heard = monotonic()
        if order:
            # A loop that has just been closed takes nothing: the next exchange tells.
            with suppress(RuntimeError):
                self._own.call_soon_threadsafe(self._take, order)
        reply = await self._outbox.take(seconds)
        self._heard = monotonic()
        return attrs.evolve(reply, stuck=self._heard - self._moved)

    async def close(self, seconds: float) -> None:
        """Cancel attempts and close the transports, within a time."""
        with suppress(RuntimeError):
            self._own.call_soon_threadsafe(self._is_closing.set)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await asyncio.shield(asyncio.wrap_future(self._ended))

    async def turn(self, agent: str, interval: float) -> None:
        """Wait for a turn; see ``assay.Pace``."""
        self._turn += 1
        number = self._turn
        coming = self._turns[number] = self._own.create_future()
        try:
            self._outbox.turn(number, agent, interval)
            await asyncio.sleep(await coming)
        finally:
            del self._turns[number]

    def paused(self, agent: str, seconds: float) -> None:
        """Tell of a pause; see ``assay.Pace``."""
        self._outbox.pause(agent, seconds)

    def _run(self) -> None:
        try:
            self._own.run_until_complete(self._live())
        except BaseException as error:  # noqa: BLE001 - whoever opens it is told
            if not self._opened.done():
                self._opened.set_exception(error)
        finally:
            self._let_go()
            self._ended.set_result(None)

    async def _live(self) -> None:
        async with assay.worker(self._blueprint, pace=self) as worker:
            self._worker = worker
            self._opened.set_result(None)
            while not self._is_closing.is_set() and monotonic() - self._heard < LEASE:
                self._moved = monotonic()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_TICK):
                        await self._is_closing.wait()
            for attempt in self._attempts:
                attempt.cancel()
            if self._attempts:
                await asyncio.wait(self._attempts, timeout=LETTING_GO)

    def _let_go(self) -> None:
        """End the loop; unlike ``asyncio.run``, not waiting for what ignores its cancellation."""
        left = asyncio.all_tasks(self._own)
        for task in left:
            task.cancel()
        if left:
            self._own.run_until_complete(asyncio.wait(left, timeout=LETTING_GO))
        self._own.run_until_complete(self._own.shutdown_asyncgens())
        self._own.close()

    def _take(self, order: Order) -> None:
        for agent, seconds in order.pauses:
            self._worker.pause(agent, seconds)
        for number, seconds in order.turns:
            coming = self._turns.get(number)
            if coming is not None and not coming.done():
                coming.set_result(seconds)
        for data in order.tasks:
            attempt = self._own.create_task(self._carry_out(task_from_bytes(data)))
            self._attempts.add(attempt)
            attempt.add_done_callback(self._attempts.discard)

    async def _carry_out(self, task: Task) -> None:
        try:
            done = await self._worker.run(task)
            self._outbox.done(task.index, task.attempt, attempt_to_bytes(done.attempt))
        except AssayError as error:
            self._outbox.fail(int(error.exit_code), str(error))
        except Exception as error:  # noqa: BLE001 - the run is told
            self._outbox.fail(3, f"{type(error).__name__}: {error}")
