"""Calls in daemon threads of our own, awaited by the event loop.

The loop's default executor is not used: its threads are joined when the process ends, so one call
that hangs would keep the process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeAlias, TypeVar

from attrs import define, field

LINGER: Final = 2.0
"""Seconds that an idle thread waits for a call: a run of many agents asks one after the other, and
systems limit how many threads a process may have."""

_T = TypeVar("_T")
_Inbox: TypeAlias = "SimpleQueue[Callable[[], None] | None]"


@define(eq=False)
class _Call(Generic[_T]):
    """One call and who waits for it."""

    function: Callable[[], _T]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[_T]

    def carry_out(self) -> None:
        """Call the function, and hand what came of it to the loop."""
        try:
            deliver = partial(self._return, self.function())
        except BaseException as exc:  # noqa: BLE001 - whatever it is, somebody waits for it
            deliver = partial(self._raise, exc)
        # The loop may be closed by now: then nobody waits.
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(deliver)

    def _return(self, value: _T) -> None:
        if not self.done.done():
            self.done.set_result(value)

    def _raise(self, error: BaseException) -> None:
        if self.done.done():
            return
        if isinstance(error, StopIteration):
            # A future refuses it.
            wrapped = RuntimeError(f"the function raised {type(error).__name__}")
            wrapped.__cause__ = error
            error = wrapped
        self.done.set_exception(error)


@define(eq=False)
class Threads:
    """A set of daemon threads that grows as calls need it; idle threads are used again for a while.

    A call whose awaiter was cancelled is abandoned: its thread goes on until the function
    returns, and is then idle again. One that never returns ends with the process.
    """

    name: str
    """What the threads are called."""
    linger: float = LINGER
    """Seconds after which an idle thread ends."""
    _idle: list[_Inbox] = field(factory=list[_Inbox], init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _closed: bool = field(default=False, init=False)

    async def call(self, function: Callable[[], _T]) -> _T:
        """Call a function in a thread, with the context variables of the caller.

        Raises:
            BaseException: What the function raised.
            RuntimeError: No thread can be started.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()
        call = _Call(partial(copy_context().run, function), loop, done)
        self._inbox().put(call.carry_out)
        return await done

    def close(self) -> None:
        """Let idle threads end now, and the others when their calls have returned."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for inbox in idle:
            inbox.put(None)

    def _inbox(self) -> _Inbox:
        """Give the inbox of an idle thread, or of a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        inbox: _Inbox = SimpleQueue()
        threading.Thread(target=self._serve, args=(inbox,), name=self.name, daemon=True).start()
        return inbox

    def _serve(self, inbox: _Inbox) -> None:
        """Carry calls out, one after the other."""
        while (call := self._next(inbox)) is not None:
            call()
            del call  # it would keep the answer alive until the next call
            with self._lock:
                if self._closed:
                    return
                self._idle.append(inbox)

    def _next(self, inbox: _Inbox) -> Callable[[], None] | None:
        """Wait for a call; None when the thread is to end."""
        with suppress(Empty):
            return inbox.get(timeout=self.linger)
        with self._lock:
            if inbox in self._idle:
                self._idle.remove(inbox)
                return None
        # Somebody has just taken it out, and is about to put a call in.
        return inbox.get()
