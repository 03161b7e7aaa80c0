"""Transports of a run: each is opened and closed once, by a task that owns it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Self

from attrs import define, field, frozen

from assay.errors import AgentError, AssayError, ConfigError, RunError
from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from assay.contracts import Transport
    from assay.model.case import AgentRef
    from assay.model.exchange import AgentInfo
    from assay.running.watch import Stage

OPEN_SECONDS = 60.0
"""How long opening and the preflight of a transport may take together."""
CLOSE_SECONDS = 10.0
"""How long closing may take; what is still open then is left to the end of the process."""


@frozen
class Opened:
    """A transport that is open, and what its preflight told."""

    transport: Transport
    info: AgentInfo | None


@define(eq=False)
class _Owner:
    """The task that opens a transport and, when told to, closes it.

    Async context managers may hold cancel scopes that must be left by the task that entered
    them, so no other task does either.
    """

    agent: AgentRef
    transport: Transport
    watch: Watch
    told: Callable[[str], None] | None
    _closing: asyncio.Event = field(factory=asyncio.Event, init=False)
    _ready: asyncio.Future[Opened] = field(init=False)
    _stage: Stage = field(init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    async def open(self) -> Opened:
        """Open it and look at the agent."""
        self._ready = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._own())
        return await self._ready

    async def close(self) -> None:
        """Close it, within bounds."""
        if self._task is None:
            # Whoever was to open it was cancelled before it came to that.
            return
        self._closing.set()
        if not self._is_open():
            self._task.cancel()
        done, _ = await asyncio.wait([self._task], timeout=CLOSE_SECONDS)
        self._task.cancel()
        if not done and self._is_open():
            self._tell(f"not closed after {CLOSE_SECONDS:.0f}s; it is left behind")
            self.watch.leave(self._stage)

    def _is_open(self) -> bool:
        ready = self._ready
        return ready.done() and not ready.cancelled() and ready.exception() is None

    async def _own(self) -> None:
        self._stage = self.watch.enter(f"opening agent {self.agent.name!r}", OPEN_SECONDS)
        try:
            async with asyncio.timeout(OPEN_SECONDS) as limit, self.transport:
                info = await self.transport.info()
                limit.reschedule(None)
                self._ready.set_result(Opened(self.transport, info))
                self.watch.leave(self._stage)
                await self._closing.wait()
                closing = f"closing agent {self.agent.name!r}"
                self._stage = self.watch.enter(closing, CLOSE_SECONDS)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it is told
            if not self._ready.done():
                self._ready.set_exception(self._told(error))
            elif isinstance(error, Exception):
                self._tell(f"closing failed: {type(error).__name__}: {error}")
        finally:
            self.watch.leave(self._stage)

    def _tell(self, what: str) -> None:
        if self.told is not None:
            self.told(f"{self._place}: {what}")

    @property
    def _place(self) -> str:
        return f"agent {self.agent.name!r} over {self.agent.transport!r}"

    def _told(self, error: BaseException) -> BaseException:
        place = self._place
        if isinstance(error, ConfigError) or not isinstance(error, Exception):
            return error
        if isinstance(error, TimeoutError):
            return RunError(f"{place}: not open after {OPEN_SECONDS:.0f}s; is it there?")
        if isinstance(error, AgentError):
            return RunError(f"{place}: {error}")
        if isinstance(error, AssayError):
            return error
        return RunError(f"{place}: {type(error).__name__}: {error}")


@define(eq=False)
class Transports:
    """All transports of a run, as an async context manager.

    Args:
        make: Makes a transport, with its wraps, without opening it.
    """

    make: Callable[[AgentRef, int], Transport]
    watch: Watch = field(factory=Watch)
    """Told of what is under way."""
    told: Callable[[str], None] | None = None
    """Told in one sentence which transport did not close; None: nobody is."""
    _owners: dict[tuple[AgentRef, int], _Owner] = field(
        factory=dict[tuple["AgentRef", int], _Owner], init=False
    )
    _opened: dict[tuple[AgentRef, int], Opened] = field(
        factory=dict[tuple["AgentRef", int], Opened], init=False
    )

    async def open(self, wanted: list[tuple[AgentRef, int]]) -> None:
        """Open transports, all at once, each for an agent with the settings of a suite.

        Raises:
            ConfigError: An agent does not exist, or a setting is wrong.
            RunError: An agent cannot be reached.
        """
        keys = list(dict.fromkeys(key for key in wanted if key not in self._opened))
        # Only what is really being opened is closed again, if one of them cannot even be made.
        self._owners.update({key: self._owner(*key) for key in keys if key not in self._owners})
        results = await asyncio.gather(
            *(self._owners[key].open() for key in keys), return_exceptions=True
        )
        for key, result in zip(keys, results, strict=True):
            if isinstance(result, BaseException):
                raise result
            self._opened[key] = result

    def _owner(self, agent: AgentRef, settings: int) -> _Owner:
        with self.watch.stage(f"making what reaches {agent.name!r}", OPEN_SECONDS, blocks=True):
            transport = self.make(agent, settings)
        return _Owner(agent, transport, self.watch, self.told)

    def opened(self, agent: AgentRef, settings: int) -> Opened:
        """Give an open transport."""
        return self._opened[agent, settings]

    async def __aenter__(self) -> Self:
        """Open nothing yet."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all that is open."""
        await asyncio.gather(*(owner.close() for owner in self._owners.values()))
        self._owners.clear()
        self._opened.clear()
