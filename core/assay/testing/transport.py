"""The contract of a transport."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from assay.absent import ABSENT
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.errors import AgentError
from assay.jsonvalue import is_json
from assay.model.case import AgentRef
from assay.model.exchange import AgentInfo, Request, Response
from assay.model.message import Message
from assay.testing.broken import broken
from assay.testing.given import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.contracts import Transport, TransportType

HELLO: Final = Request(messages=(Message(content="hello"),), chat_id="assay-contract")
"""What is asked where nothing else is given."""

_LETS_GO: Final = 10.0
"""Seconds that a transport may take to let go of a request that is cancelled."""
_WHOLE: Final = 120.0
_STEPS: Final = (0, 1, 2, 5, 20)
"""After how many turns of the event loop a request is cancelled."""


def check_transport(
    cls: TransportType,
    target: str = "",
    *,
    settings: object = None,
    base: Path | None = None,
    request: Request = HELLO,
    failing: Sequence[Request] = (),
    slow: Request | None = None,
) -> None:
    """See that a transport keeps its contract, with an agent that answers.

    Args:
        cls: The class.
        target: Of an agent that is there.
        settings: What it is made with; its defaults when None.
        base: What the target is relative to.
        request: The agent answers this, each time it is asked.
        failing: The agent fails at each of these.
        slow: The agent takes longer than a second for this.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    kind = cast("type", cls)
    try:
        word = word_of("transport", cls)
        judge("transport", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    agent = AgentRef(transport=word, target=target, name="agent", base=base or Path.cwd())
    given = settings_of(kind, settings)
    before = set(threading.enumerate())
    asyncio.run(_check(kind, lambda: cls(agent, given), request, failing, slow))
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        if not thread.daemon:
            raise broken(cls, f"it leaves the thread {thread.name!r}, which holds the process up")


async def _check(
    cls: type,
    make: Callable[[], Transport],
    request: Request,
    failing: Sequence[Request],
    slow: Request | None,
) -> None:
    try:
        async with asyncio.timeout(_WHOLE):
            for _ in range(2):
                await _check_answers(cls, make(), request)
            async with make() as transport:
                for each in failing:
                    await _check_failure(cls, transport, each)
                for steps in _STEPS:
                    await _check_cancelled(cls, transport, request, steps=steps)
                if slow is not None:
                    await _check_cancelled(cls, transport, slow, seconds=0.5)
                await _answer(cls, transport, request)
            await _check_errors_pass(cls, make())
            await _check_nothing_left(cls)
    except TimeoutError as error:
        raise broken(cls, f"it is not done after {_WHOLE:.0f} s") from error


async def _check_answers(cls: type, transport: Transport, request: Request) -> None:
    """Open, look, ask one after the other and several at once, close."""
    async with transport as opened:
        if opened is not transport:
            raise broken(cls, "opened it is another object; __aenter__ must give itself")
        # What a plugin gives may be anything, whatever the contract says.
        info = cast("object", await transport.info())
        if info is not None and not isinstance(info, AgentInfo):
            raise broken(cls, f"info() gives {type(info).__name__}, not an AgentInfo or None")
        for _ in range(2):
            await _answer(cls, transport, request)
        await asyncio.gather(*(_answer(cls, transport, request) for _ in range(4)))


async def _answer(cls: type, transport: Transport, request: Request) -> Response:
    try:
        response = cast("object", await transport.send(request))
    except Exception as error:
        raise broken(cls, f"asked, it raises {type(error).__name__}: {error}") from error
    if not isinstance(response, Response):
        raise broken(cls, f"it gives {type(response).__name__} instead of a Response")
    if response.data is not ABSENT and not is_json(response.data):
        raise broken(cls, f"the data of its answer is no JSON value: {response.data!r:.80}")
    if response.is_empty and "data" not in response.unknown:
        raise broken(cls, "its answer is empty: no text, no data, no tool call, no refusal")
    return response


async def _check_failure(cls: type, transport: Transport, request: Request) -> None:
    shown = request.text[:60]
    try:
        response = await transport.send(request)
    except AgentError as error:
        if not str(error).strip():
            raise broken(cls, f"it does not say why {shown!r} fails") from error
    except Exception as error:
        raise broken(
            cls, f"for {shown!r} it raises {type(error).__name__}, and not AgentError: {error}"
        ) from error
    else:
        raise broken(cls, f"for {shown!r}, which fails, it gives {response!r:.200}")


async def _check_cancelled(
    cls: type, transport: Transport, request: Request, *, steps: int = 0, seconds: float = 0.0
) -> None:
    """Cancel a request under way: it lets go, and the next one is answered."""
    sending = asyncio.ensure_future(transport.send(request))
    for _ in range(steps):
        await asyncio.sleep(0)
    if seconds:
        await asyncio.wait([sending], timeout=seconds)
        if sending.done():
            raise broken(cls, f"it answers the slow request within {seconds} s")
    if sending.done():
        sending.result()
        return
    sending.cancel()
    await asyncio.wait([sending], timeout=_LETS_GO)
    if not sending.done():
        raise broken(cls, f"cancelled, it does not let go within {_LETS_GO:.0f} s")
    if not sending.cancelled():
        error = sending.exception()
        became = repr(sending.result()) if error is None else f"{type(error).__name__}: {error}"
        raise broken(cls, f"cancelled, it goes on to {became:.200}; let CancelledError through")


async def _check_errors_pass(cls: type, transport: Transport) -> None:
    class Passing(Exception):  # noqa: N818 - it only passes
        pass

    try:
        async with transport:
            raise Passing
    except Passing:
        return
    except Exception as error:
        raise broken(cls, f"closing it after an error raises {error!r}") from error
    raise broken(cls, "closing it swallows the error that ended the run")


async def _check_nothing_left(cls: type) -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        _, others = await asyncio.wait(others, timeout=1.0)
    for task in others:
        raise broken(cls, f"closed, it leaves the task {task.get_name()!r} running")
