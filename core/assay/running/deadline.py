"""A deadline that stands still while an attempt waits for its turn or for a rate limit."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType


class Deadline:
    """A limit on the time that an attempt works, as an async context manager.

    What it surrounds is cancelled when the time is up, and it then raises ``TimeoutError``,
    also when the cancellation was swallowed within.

    Args:
        seconds: How long the work may take.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._timeout = asyncio.timeout(None)
        self._worked = 0.0
        self._since: float | None = None
        self._replayed_ms: int | None = None
        self._has_asked = False
        self._has_run_out = False

    @property
    def worked_ms(self) -> int:
        """Whole milliseconds of work so far, without the pauses."""
        running = 0.0 if self._since is None else self._loop.time() - self._since
        return round(1000 * (self._worked + running))

    @property
    def duration_ms(self) -> int:
        """Whole milliseconds that the work took: where answers were replayed, when recorded."""
        if self._replayed_ms is None:
            return self.worked_ms
        return self._replayed_ms + (self.worked_ms if self._has_asked else 0)

    @property
    def is_replayed(self) -> bool:
        """Whether an answer was replayed."""
        return self._replayed_ms is not None

    @property
    def expired(self) -> bool:
        """Whether the time was up."""
        return self._has_run_out or self._timeout.expired()

    def count(self, replayed_ms: int | None) -> None:
        """Count what an agent answered, or that it failed.

        Args:
            replayed_ms: How long it took when it was recorded; None: it was asked now.
        """
        if replayed_ms is None:
            self._has_asked = True
        else:
            self._replayed_ms = (self._replayed_ms or 0) + replayed_ms

    def run_out(self) -> None:
        """Let the time be up, as it was when this was recorded.

        Raises:
            TimeoutError: Always.
        """
        self._has_run_out = True
        raise TimeoutError

    async def __aenter__(self) -> Self:
        """Let the clock run."""
        await self._timeout.__aenter__()
        self._run()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the clock."""
        self._stop()
        await self._timeout.__aexit__(kind, error, trace)
        if kind is None or issubclass(kind, Exception):
            self.check()

    def overdue(self, now: float) -> float:
        """Seconds of work beyond the limit; negative as long as there is time. For any thread.

        Args:
            now: By the monotonic clock, which is that of event loops.
        """
        since = self._since
        running = 0.0 if since is None else now - since
        return self._worked + running - self.seconds

    def check(self) -> None:
        """See that the time is not up: code of others may swallow its cancellation and go on.

        Raises:
            TimeoutError: It is.
        """
        if self.expired:
            raise TimeoutError

    @contextmanager
    def paused(self) -> Generator[None]:
        """Let the clock stand still for as long as this surrounds."""
        self._stop()
        self._timeout.reschedule(None)
        try:
            yield
        finally:
            self._run()

    def _run(self) -> None:
        self._since = self._loop.time()
        if not self._timeout.expired():
            self._timeout.reschedule(self._since + self.seconds - self._worked)

    def _stop(self) -> None:
        if self._since is not None:
            self._worked += self._loop.time() - self._since
            self._since = None
