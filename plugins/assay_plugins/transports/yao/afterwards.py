"""What a server is asked after a turn: its trace, or to stop when nobody waits any more."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from attrs import define, field

from assay import AgentError, Response, Secret
from assay.jsonvalue import JsonError, loads
from assay_plugins.transports.yao.patience import patiently
from assay_plugins.transports.yao.trace import Trace, read_trace, with_trace

if TYPE_CHECKING:
    from assay_plugins.transports.yao.server import YaoServer

PAUSES: Final = (0.05, 0.15, 0.3, 0.5)
"""Seconds between looks for a trace, which is written while the answer is already here."""
LOOK_SECONDS: Final = 5.0
"""How long one look may take at least: without a trace, what it tells stays unknown."""
INTERRUPT_SECONDS: Final = 2.0


@define
class Traces:
    """Completes answers by their traces, as long as the server keeps any."""

    server: YaoServer
    _none_for: set[Secret] = field(factory=set[Secret], init=False)
    """Tokens whose traces cannot be had: asking again in each case would be of no use."""

    async def complete(self, response: Response, token: Secret) -> Response:
        """Add to an answer what only its trace knows; the same answer where there is none."""
        name = response.ids.get("trace")
        if not name or token in self._none_for:
            return response
        trace = None
        with suppress(TimeoutError):
            trace = await self._find(name, token)
        return response if trace is None else with_trace(response, trace)

    async def _find(self, name: str, token: Secret) -> Trace | None:
        path = f"/trace/traces/{quote(name, safe='')}/events"
        for pause in (*PAUSES, None):
            try:
                answer = await patiently(self.server.ask("GET", path, token), LOOK_SECONDS)
            except AgentError:
                return None
            if answer.status_code == 403 or _is_off(answer.status_code, answer.content):
                self._none_for.add(token)
                return None
            if answer.status_code not in (200, 404):
                return None
            trace = _read(answer.content) if answer.status_code == 200 else None
            if trace is not None or pause is None:
                return trace
            await asyncio.sleep(pause)
        return None


@define
class Interrupts:
    """Interrupts turns that nobody waits for any more."""

    server: YaoServer
    _under_way: set[asyncio.Task[None]] = field(factory=set["asyncio.Task[None]"], init=False)

    async def carry_out(self, context: str, token: Secret) -> None:
        """Interrupt a turn (Yao ``openapi/chat/completions.go``, ``append``).

        It has its time limit, goes on when its caller is cancelled, and its failure is none:
        closing the connection ends a turn as well.
        """
        task = asyncio.create_task(self._interrupt(context, token))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        await asyncio.wait([task])

    async def finish(self) -> None:
        """Wait for those that are under way still."""
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _interrupt(self, context: str, token: Secret) -> None:
        path = f"/chat/completions/{quote(context, safe='')}/append"
        body = {"type": "force", "messages": list[object](), "metadata": dict[str, object]()}
        with suppress(AgentError, TimeoutError):
            async with asyncio.timeout(INTERRUPT_SECONDS):
                await self.server.ask("POST", path, token, body)


def _is_off(status: int, body: bytes) -> bool:
    """Whether a server says that it keeps no traces (Yao ``trace``: ``driver=none``)."""
    return status == 500 and (b"driver=none" in body or b"disabled" in body)


def _read(body: bytes) -> Trace | None:
    try:
        return read_trace(loads(body.decode("utf-8", "replace")))
    except JsonError:
        return None
