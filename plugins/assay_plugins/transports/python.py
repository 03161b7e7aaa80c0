"""The ``python`` transport: a function as agent."""

from __future__ import annotations

import asyncio
import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from assay import AgentError, AgentRef, Response, RunError, TransportError, hookimpl
from assay_plugins.transports._answers import response_of
from assay_plugins.transports._functions import AgentFunction, Target, checked, load_function
from assay_plugins.transports._threads import Threads

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence
    from types import TracebackType

    from assay import AgentInfo, Request, TransportType


LET_GO_SECONDS = 2.0
"""How long an async function may take to end when it is cancelled."""


class Python:
    """Asks a Python function, named by ``file.py:function`` or ``package.module:function``.

    It takes the ``Request`` and gives text, any JSON value (``None`` is null) or a ``Response``.
    A plain function is called in a daemon thread; an async one on the event loop, where it must
    not block. Files are relative to the folder that names the agent, which is on the import path.
    """

    name: ClassVar[str] = "python"

    def __init__(self, agent: AgentRef, settings: None = None) -> None:
        handed = agent.function
        self._target = Target.of(agent.target) if handed is None else None
        self._base = agent.base
        self._function: AgentFunction | None = (
            None if handed is None else checked(handed, f"python:{agent.name}")
        )
        self._threads = Threads(f"agent {agent.name}")

    @classmethod
    def of_function(cls, function: AgentFunction) -> Self:
        """Make a transport of a callable, for programs that have it at hand.

        Raises:
            ConfigError: It cannot be called with one argument.
        """
        name = getattr(function, "__qualname__", type(function).__qualname__)
        return cls(AgentRef(transport=cls.name, target="", name=name, function=function))

    async def __aenter__(self) -> Self:
        """Import the module, in a thread as all code of users.

        Raises:
            ConfigError: There is no such function, or its module cannot be imported.
        """
        if self._target is not None:
            base = self._base or Path.cwd()
            self._function = await self._threads.call(partial(load_function, self._target, base))
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let the threads end; those that hang end with the process."""
        self._threads.close()

    async def info(self) -> AgentInfo | None:
        """Nothing is known beyond what opening has found."""
        return None

    async def send(self, request: Request) -> Response:
        """Call the function.

        Raises:
            AgentError: It raised, or returned what is no answer.
            TransportError: The system gives no more threads; or what the function itself raised.
        """
        if self._function is None:
            raise RunError("the python transport was asked before it was opened")
        if _is_async(self._function):
            answer = await _awaited(self._function(request))
        else:
            try:
                answer = await self._threads.call(partial(_called, self._function, request))
            except RuntimeError as exc:
                what = f"no thread for the agent: {exc}; lower --parallel"
                raise TransportError(what, retryable=True) from exc
            if inspect.isawaitable(answer):
                answer = await _awaited(answer)
        return response_of(answer)


def _is_async(function: AgentFunction) -> bool:
    """Whether calling the function does nothing but make a coroutine."""
    call = getattr(function, "__call__", None)  # noqa: B004 - the method itself is looked at
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _called(function: AgentFunction, request: Request) -> object:
    """Call a plain function, in a thread where nothing but its own errors can end it."""
    try:
        return function(request)
    except AgentError:
        raise
    except BaseException as exc:
        raise AgentError(_told(exc)) from exc


async def _awaited(answer: Awaitable[object]) -> object:
    """Await an async function's answer on the event loop.

    One that ignores its cancellation is left behind after a while, so that the run goes on.
    """
    task = asyncio.ensure_future(_settled(answer))
    try:
        value, error = await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task], timeout=LET_GO_SECONDS)
        raise
    if isinstance(error, AgentError):
        raise error
    if error is not None:
        # A cancellation is here, too: nobody cancelled the attempt, the agent let go of something.
        raise AgentError(_told(error)) from error
    return value


async def _settled(answer: Awaitable[object]) -> tuple[object, BaseException | None]:
    """Await an answer in a task of its own, where nothing but the agent can end it."""
    try:
        return await answer, None
    except KeyboardInterrupt:
        raise
    except BaseException as exc:  # noqa: BLE001 - raised again by whoever waits for it
        return None, exc


def _told(exc: BaseException) -> str:
    """Name an exception of the agent: its type, and its message when there is one."""
    try:
        message = str(exc)
    except Exception:  # noqa: BLE001 - the agent's own code, which may do anything
        message = ""
    kind = type(exc).__name__
    return f"{kind}: {message}" if message else kind


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``python``."""
    return [Python]
