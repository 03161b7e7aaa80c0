"""A transport that is opened when it is first needed, long after the run has begun."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

from assay import AgentError, TransportError

if TYPE_CHECKING:
    from assay import AgentInfo, Transport

_OPEN: Final = 60.0
"""Seconds that opening may take, with the preflight."""
_CLOSE: Final = 8.0
"""Seconds that closing may take: less than what is around it gives."""


@frozen
class _Opened:
    info: AgentInfo | None


@define
class Late:
    """Opens a transport in a task of its own, which closes it, too.

    Whoever needs it first may be cancelled, and a transport must be closed by the task that
    opened it.
    """

    transport: Transport
    _closing: asyncio.Event = field(factory=asyncio.Event, init=False)
    _ready: asyncio.Future[_Opened] | None = field(default=None, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    async def open(self) -> AgentInfo | None:
        """Open it, unless it stands open; gives what the preflight told.

        Raises:
            Exception: What opening raised, each time.
        """
        if self._ready is None:
            self._ready = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._own(self._ready))
        return (await asyncio.shield(self._ready)).info

    async def reach(self) -> Transport:
        """Open it for a request.

        Raises:
            AgentError: It cannot be opened.
        """
        try:
            await self.open()
        except TimeoutError as error:
            raise TransportError(f"the agent is not open after {_OPEN:.0f}s") from error
        except TransportError as error:
            raise TransportError(f"the agent cannot be reached: {error}") from error
        except Exception as error:
            raise AgentError(f"the agent cannot be opened: {error}") from error
        return self.transport

    async def close(self) -> None:
        """Close it, if it was opened."""
        if self._task is None or self._ready is None:
            return
        self._closing.set()
        if not self._ready.done():
            self._task.cancel()
        await asyncio.wait([self._task], timeout=_CLOSE)
        self._task.cancel()

    async def _own(self, ready: asyncio.Future[_Opened]) -> None:
        try:
            async with asyncio.timeout(_OPEN) as limit, self.transport:
                info = await self.transport.info()
                limit.reschedule(None)
                ready.set_result(_Opened(info))
                await self._closing.wait()
        except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
            if not ready.done():
                ready.set_exception(error)
                # Nobody may wait any more.
                ready.exception()
