"""What waits in a worker to be fetched: filled by the thread of attempts, emptied by dask's."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

from assay_dask.messages import Reply


class Outbox:
    """Collects what a worker has to tell.

    Args:
        loop: The loop in which ``take`` waits.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._lock = threading.Lock()
        self._is_filled = asyncio.Event()
        self._done: list[tuple[int, int, bytes]] = []
        self._turns: list[tuple[int, str, float]] = []
        self._pauses: list[tuple[str, float]] = []
        self._failed: tuple[int, str] | None = None

    def done(self, index: int, number: int, attempt: bytes) -> None:
        """An attempt is done."""
        with self._lock:
            self._done.append((index, number, attempt))
        self._ring()

    def turn(self, number: int, agent: str, interval: float) -> None:
        """A request waits for its turn."""
        with self._lock:
            self._turns.append((number, agent, interval))
        self._ring()

    def pause(self, agent: str, seconds: float) -> None:
        """An agent asks for a pause."""
        with self._lock:
            self._pauses.append((agent, seconds))
        self._ring()

    def fail(self, code: int, message: str) -> None:
        """The run cannot go on; the first reason counts."""
        with self._lock:
            self._failed = self._failed or (code, message)
        self._ring()

    async def take(self, seconds: float) -> Reply:
        """Give what there is, as soon as there is something; nothing when the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_filled.wait()
        with self._lock:
            self._is_filled.clear()
            reply = Reply(
                done=tuple(self._done),
                turns=tuple(self._turns),
                pauses=tuple(self._pauses),
                failed=self._failed,
            )
            for each in (self._done, self._turns, self._pauses):
                each.clear()
        return reply

    def _ring(self) -> None:
        # The loop is closed when the process ends: nobody will fetch anything then.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._is_filled.set)
