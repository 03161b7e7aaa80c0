"""The contract of a wrap."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

import pluggy
from attrs import define, field

from assay.contracts import Identifying, WrapContext
from assay.errors import AgentError, RateLimited, TransportError
from assay.hookspecs import PROJECT
from assay.model.case import AgentRef, Environment
from assay.model.exchange import AgentInfo, Origin, Request, Response
from assay.model.message import Message
from assay.testing.broken import broken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from assay.contracts import Transport

_WHOLE: Final = 60.0
"""Seconds that a whole check may take."""
_LETS_GO: Final = 10.0
"""Seconds that a wrap may take to let go of a request that is cancelled."""
_AGENT: Final = AgentRef(transport="contract", target="", name="agent")
_ENVIRONMENT: Final = Environment(user_id="user")
_TEXTS: Final = ("hello", "agent error", "broken off", "rate limited", "good bye")


def check_wrap(
    plugin: object,
    *,
    settings: Mapping[str, Any] | None = None,
    context: WrapContext | None = None,
) -> None:
    """See that a wrap keeps its contract, around a transport that answers, fails and is slow.

    Args:
        plugin: The module or object with ``assay_wrap_transport``.
        settings: What it is asked with.
        context: What it is told; by default that the working directory is where it is.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    told = context or WrapContext(cwd=Path.cwd())
    asyncio.run(_check(plugin, settings or {}, told))


async def _check(plugin: object, settings: Mapping[str, Any], context: WrapContext) -> None:
    try:
        async with asyncio.timeout(_WHOLE):
            inner = _Inner()
            wrapped = _wrapped(plugin, inner, settings, context)
            if inner.opened:
                raise broken(plugin, "it opens the transport when it is asked; wait for __aenter__")
            async with wrapped as opened:
                if opened is not wrapped:
                    raise broken(plugin, "opened it is another object; __aenter__ must give itself")
                await _check_info(plugin, wrapped)
                _check_identity(plugin, wrapped)
                for number, text in enumerate(_TEXTS):
                    await _check_sent(plugin, wrapped, text, number)
                await asyncio.gather(
                    *(_check_sent(plugin, wrapped, "hello", number) for number in range(10, 14))
                )
                await _check_cancelled(plugin, wrapped, inner)
                await _check_sent(plugin, wrapped, "hello", 20)
            _check_closed(plugin, inner)
            await _check_errors_pass(plugin, settings, context)
            await _check_nothing_left(plugin)
    except TimeoutError as error:
        raise broken(plugin, f"it is not done after {_WHOLE:.0f} s") from error


def _wrapped(
    plugin: object, inner: Transport, settings: Mapping[str, Any], context: WrapContext
) -> Transport:
    from assay import hookspecs

    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    manager.register(plugin)
    manager.check_pending()
    answers = manager.hook.assay_wrap_transport(
        transport=inner, agent=_AGENT, settings=settings, context=context
    )
    if len(answers) != 1:
        raise broken(plugin, "it gives no transport; hand back what it got to stand aside")
    for name in ("__aenter__", "__aexit__", "info", "send"):
        if not callable(getattr(answers[0], name, None)):
            raise broken(plugin, f"what it gives has no {name}")
    return cast("Transport", answers[0])


async def _check_info(plugin: object, wrapped: Transport) -> None:
    info = cast("object", await wrapped.info())
    if info is not None and not isinstance(info, AgentInfo):
        raise broken(plugin, f"info() gives {type(info).__name__}, not an AgentInfo or None")


def _check_identity(plugin: object, wrapped: Transport) -> None:
    if not isinstance(wrapped, Identifying):
        raise broken(plugin, "it does not hand on identify()")
    found = wrapped.identify(_ENVIRONMENT)
    if found.identity != "contract" or found.user_id != _ENVIRONMENT.user_id:
        raise broken(plugin, f"identify() gives {found!r}, which is not what the transport says")


async def _check_sent(plugin: object, wrapped: Transport, text: str, number: int) -> None:
    """Send a request: what comes back is what the transport within gives."""
    expected: object
    try:
        expected = _outcome(text)
    except AgentError as error:
        expected = error
    try:
        given = cast("object", await wrapped.send(_request(text, number)))
    except AgentError as error:
        given = error
    except Exception as error:
        raise broken(plugin, f"asked, it raises {type(error).__name__}: {error}") from error
    if _told(given) != _told(expected):
        raise broken(plugin, f"for {text!r} it gives {given!r:.200}, not {expected!r:.200}")


def _told(outcome: object) -> tuple[object, ...]:
    """What must get through a wrap."""
    if isinstance(outcome, Response):
        return ("answer", outcome.text, outcome.data, outcome.usage, outcome.unknown)
    return (
        type(outcome),
        str(outcome),
        getattr(outcome, "partial", None),
        getattr(outcome, "retryable", None),
        getattr(outcome, "retry_after", None),
    )


async def _check_cancelled(plugin: object, wrapped: Transport, inner: _Inner) -> None:
    """Cancel a request that is under way: it lets go, unless it was answered at once."""
    sending = asyncio.ensure_future(wrapped.send(_request("slow", 15)))
    reached = asyncio.ensure_future(inner.reached.wait())
    await asyncio.wait([sending, reached], return_when=asyncio.FIRST_COMPLETED)
    reached.cancel()
    if sending.done():
        # It answers without the transport. What it answers is its own affair.
        sending.exception()
        return
    sending.cancel()
    await asyncio.wait([sending], timeout=_LETS_GO)
    if not sending.done():
        raise broken(plugin, f"cancelled, it does not let go within {_LETS_GO:.0f} s")
    if not sending.cancelled():
        raise broken(plugin, "cancelled, it goes on; let CancelledError through")


def _check_closed(plugin: object, inner: _Inner) -> None:
    if len(inner.opened) != len(inner.closed):
        raise broken(
            plugin,
            f"it opens the transport {len(inner.opened)} times, and closes it"
            f" {len(inner.closed)} times",
        )
    if inner.opened != inner.closed:
        raise broken(plugin, "the transport is closed by another task than the one that opened it")


async def _check_errors_pass(
    plugin: object, settings: Mapping[str, Any], context: WrapContext
) -> None:
    class Passing(Exception):  # noqa: N818 - it only passes
        pass

    try:
        async with _wrapped(plugin, _Inner(), settings, context):
            raise Passing
    except Passing:
        return
    except Exception as error:
        raise broken(plugin, f"closing it after an error raises {error!r}") from error
    raise broken(plugin, "closing it swallows the error that ended the run")


async def _check_nothing_left(plugin: object) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, others = await asyncio.wait(others, timeout=1.0)
    for task in others:
        raise broken(plugin, f"closed, it leaves the task {task.get_name()!r} running")


def _request(text: str, number: int) -> Request:
    return Request(
        messages=(Message(content=text),),
        chat_id=f"chat-{number}",
        origin=Origin(suite="contract", case=f"case-{number}", index=number),
    )


def _outcome(text: str) -> Response:
    if text == "agent error":
        raise AgentError("it failed", partial="half")
    if text == "broken off":
        raise TransportError("it broke off", retryable=True, partial="a part")
    if text == "rate limited":
        raise RateLimited("slower", retry_after=2.5)
    return Response(text=text, data={"said": text}, unknown=frozenset({"usage"}))


@define(eq=False)
class _Inner:
    """What is wrapped."""

    opened: list[object] = field(factory=list[object])
    """The task of each opening."""
    closed: list[object] = field(factory=list[object])
    reached: asyncio.Event = field(factory=asyncio.Event)
    """Set when the slow request is under way."""

    async def __aenter__(self) -> Self:
        """Note who opens it."""
        self.opened.append(asyncio.current_task())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Note who closes it."""
        self.closed.append(asyncio.current_task())

    async def info(self) -> AgentInfo | None:
        """Tell a name."""
        return AgentInfo(name="Contract")

    def identify(self, environment: Environment) -> Environment:
        """Say that the contract decides."""
        return Environment(
            user_id=environment.user_id, team_id=environment.team_id, identity="contract"
        )

    async def send(self, request: Request) -> Response:
        """Answer, fail, or take for ever."""
        if request.text == "slow":
            self.reached.set()
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return _outcome(request.text)
