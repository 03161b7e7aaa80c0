"""How fast an agent may be asked: a fixed ceiling, pauses that it asks for, fewer at a time.

One agent has one of these in each worker, and every request to it passes here first.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import nullcontext
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractContextManager

FIRST_PAUSE = 1.0
"""Seconds that requests pause when an agent says that there are too many, but not how long to
wait; each further pause in a row is twice as long, with jitter."""
LONGEST_PAUSE = 60.0
"""Seconds; such pauses stop growing here."""


@define(eq=False)
class Limits:
    """The limits of one agent. They belong to one event loop.

    Args:
        parallel: How many requests may be under way at most.
        interval: Seconds between two requests at least; None: no ceiling.
        turn: Waits until the next request may be made, where several workers keep the ceiling
            together; None: it is kept here.
        told: Is told when requests must pause, and for how many seconds.
    """

    parallel: int
    interval: float | None = None
    turn: Callable[[], Awaitable[None]] | None = None
    told: Callable[[float], None] | None = None
    _allowed: float = field(init=False)
    """How many may be under way now: halved by a pause, and grown again by answers."""
    _under_way: int = field(default=0, init=False)
    _waiting: deque[asyncio.Future[None]] = field(factory=deque[asyncio.Future[None]], init=False)
    _resume_at: float = field(default=0.0, init=False)
    _paused_at: float = field(default=float("-inf"), init=False)
    _next_at: float = field(default=0.0, init=False)
    _gate: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    """Passed one by one, where requests must be spaced."""
    _pauses: int = field(default=0, init=False)
    _random: random.Random = field(factory=random.Random, init=False)

    def __attrs_post_init__(self) -> None:
        self._allowed = float(self.parallel)

    @property
    def allowed(self) -> int:
        """How many requests may be under way now."""
        return max(1, int(self._allowed))

    async def enter(
        self, waiting: Callable[[], AbstractContextManager[object]] = nullcontext
    ) -> float:
        """Wait for a turn to ask.

        Args:
            waiting: Surrounds the waiting, so that a deadline can stand still.

        Returns:
            The time of the loop at which the turn came, for ``pause`` and ``answered``.
        """
        loop = asyncio.get_running_loop()
        if self._is_free(loop.time()) and self.interval is None:
            self._under_way += 1
            return loop.time()
        with waiting():
            await self._wait_for_place()
            try:
                await self._wait_for_time(loop)
            except BaseException:
                # Who is cancelled while it waits must give its turn back.
                self.leave()
                raise
        return loop.time()

    def leave(self) -> None:
        """Give the turn back."""
        self._under_way -= 1
        self._wake()

    def pause(self, entered: float, seconds: float | None) -> float:
        """Let new requests wait, because the agent said that there are too many.

        Args:
            entered: When the turn came in which it said so.
            seconds: How long it asks to wait; None: it did not say.

        Returns:
            The seconds until requests go on.
        """
        now = asyncio.get_running_loop().time()
        # Requests that were under way when the pause began tell nothing new.
        is_news = entered > self._paused_at
        if is_news:
            if seconds is None:
                longest = growing(FIRST_PAUSE, self._pauses, LONGEST_PAUSE)
                seconds = longest * self._random.uniform(0.5, 1.0)
            self._begin_pause(now)
        resume_at = max(self._resume_at, now + (seconds or 0.0))
        if self.told is not None and (is_news or resume_at > self._resume_at):
            self.told(resume_at - now)
        self._resume_at = resume_at
        return self._resume_at - now

    def obey(self, seconds: float) -> None:
        """Let new requests wait, because the agent said to another worker that there are too many.

        Args:
            seconds: How long they wait from now.
        """
        now = asyncio.get_running_loop().time()
        if now >= self._resume_at:
            # Else it was said here, too, and fewer are let through already.
            self._begin_pause(now)
        self._resume_at = max(self._resume_at, now + seconds)

    def answered(self, entered: float) -> None:
        """Note an answer: after a pause, more requests are let through again, slowly."""
        if self._pauses and entered > self._paused_at:
            self._pauses = 0
        if self._allowed < self.parallel:
            self._allowed = min(float(self.parallel), self._allowed + 1 / self._allowed)
            self._wake()

    def _begin_pause(self, now: float) -> None:
        self._paused_at = now
        self._allowed = max(1.0, min(self._allowed, self._under_way) / 2)
        self._pauses += 1

    def _is_free(self, now: float) -> bool:
        return not self._waiting and self._under_way < self.allowed and now >= self._resume_at

    async def _wait_for_place(self) -> None:
        if not self._waiting and self._under_way < self.allowed:
            self._under_way += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except BaseException:
            # Who is cancelled must not stay in the queue.
            if place.done() and not place.cancelled():
                # The place was handed over in the moment of the cancellation.
                self.leave()
            else:
                self._waiting.remove(place)
            raise

    async def _wait_for_time(self, loop: asyncio.AbstractEventLoop) -> None:
        if self.interval is None:
            await self._wait_until(loop, lambda: self._resume_at)
            return
        if self.turn is not None:
            await self._wait_until(loop, lambda: self._resume_at)
            await self.turn()
            while loop.time() < self._resume_at:
                # A turn that came during a pause is over: all of them at once would be a burst.
                await self._wait_until(loop, lambda: self._resume_at)
                await self.turn()
            return
        async with self._gate:
            await self._wait_until(loop, lambda: max(self._resume_at, self._next_at))
            self._next_at = loop.time() + self.interval

    async def _wait_until(self, loop: asyncio.AbstractEventLoop, when: Callable[[], float]) -> None:
        # In a loop, since another pause may be asked for meanwhile.
        while (rest := when() - loop.time()) > 0:  # noqa: ASYNC110 - a time, no event
            await asyncio.sleep(rest)

    def _wake(self) -> None:
        while self._waiting and self._under_way < self.allowed:
            place = self._waiting.popleft()
            if not place.done():
                self._under_way += 1
                place.set_result(None)


def growing(first: float, count: int, longest: float) -> float:
    """Give a pause that doubles with each of its kind before it, up to a longest one."""
    # The exponent is bounded, too: a number of thousands of bits fits into no float.
    return min(longest, first * 2.0 ** min(count, 60))
