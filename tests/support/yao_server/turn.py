"""One turn: from the request that the server could read to the end of its stream (§2.6)."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yao_server import gojson
from yao_server.agents import Heard
from yao_server.cui import Cui
from yao_server.dsl import Speaker, now_ms
from yao_server.outcome import Outcome
from yao_server.performance import Failed, Hung, Performance, Vanished
from yao_server.refusals import Reply, server_error
from yao_server.standard import Standard
from yao_server.stream import HEADERS, EventStream
from yao_server.traces import COMPLETION, Trace

if TYPE_CHECKING:
    from yao_server.agents import Agent, Broken
    from yao_server.gojson import Object
    from yao_server.wire.answer import Answer


class _Interrupted(Exception):  # noqa: N818 - what somebody wanted
    """The turn is cut short."""


@dataclass
class Turn:
    """A turn under way. Made and run on the server's loop.

    Args:
        agent: Who answers.
        heard: What it is asked.
        answer: Where the stream goes.
        connector: The one in use.
        gates: Of ``Hold``, by name.
    """

    agent: Agent
    heard: Heard
    answer: Answer
    connector: str
    gates: dict[str, asyncio.Event]
    context_id: str = field(default_factory=lambda: f"ctx-{secrets.token_hex(8)}", init=False)
    trace_id: str = field(init=False)
    trace: Trace = field(init=False)
    has_failed: bool = field(default=False, init=False)
    _cut: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _started: int = field(default_factory=now_ms, init=False)

    def __post_init__(self) -> None:
        self.trace_id = f"20260101{secrets.randbelow(10**12):012d}"
        account = self.heard.account
        self.trace = Trace(
            id=self.trace_id,
            user_id=account.user_id,
            team_id=account.team_id,
            lag=self.agent.trace_lag,
        )
        self.answer.headers |= HEADERS
        self.answer.proxy = self.agent.way(self.heard)

    def interrupt(self) -> None:
        """Cut the turn short: it then ends as completed, which is no error."""
        self._cut.set()

    async def pause(self, seconds: float) -> None:
        """Be silent for some seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self._cut.wait()
        except TimeoutError:
            return
        raise _Interrupted

    async def hold(self, gate: str) -> None:
        """Be silent until a gate opens."""
        opened = self.gates.setdefault(gate, asyncio.Event()) if gate else asyncio.Event()
        waits = [asyncio.ensure_future(event.wait()) for event in (opened, self._cut)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if self._cut.is_set():
            raise _Interrupted

    async def run(self) -> None:
        """Write the stream, up to what the end of the body is made of.

        Raises:
            Dropped: The connection was to be dropped.
        """
        asked = self.heard.asked
        form = Cui() if asked.is_cui else Standard(asked.locale, self.agent.reasons)
        stream = EventStream(self.answer, form, is_silent=asked.skip.get("output", False))
        root = self.trace.start("agent", self.agent.title, list(self.heard.messages))
        speaker = Speaker(self.trace_id)
        outcome = Outcome(self.trace, root, self.connector.rpartition(".")[2])
        if self.agent.broken is not None:
            await self._break(self.agent.broken, stream, speaker, root)
            return
        work = Performance(
            stage=self,
            speaker=speaker,
            outcome=outcome,
            trace=self.trace,
            call_ids=itertools.count(1),
        )
        try:
            await self._perform(work, stream)
        except Failed as failed:
            await self._fail(str(failed), stream, work, root)
        except Vanished:
            await stream.flush(last=True)
        except Hung as hung:
            await stream.flush()
            raise self.answer.drop(reset=hung.reset) from None
        else:
            await self._complete(stream, work)

    async def _perform(self, work: Performance, stream: EventStream) -> None:
        await stream.message(self._start(work.speaker))
        playing = work.play(self.agent.acts(self.heard))
        try:
            async for item in playing:
                if self._cut.is_set():
                    break
                if isinstance(item, bytes):
                    await stream.bare(item)
                else:
                    await stream.message(item)
        except _Interrupted:
            return
        finally:
            await playing.aclose()  # type: ignore[attr-defined]

    async def _complete(self, stream: EventStream, work: Performance) -> None:
        self._close_trace(work)
        await stream.message(self._end(work.speaker, "completed", usage=work.outcome.usage()))
        await stream.finish()
        await stream.flush(last=not self.agent.after_end)
        if self.agent.after_end:
            await stream.bare(self.agent.after_end)

    async def _fail(self, message: str, stream: EventStream, work: Performance, root: str) -> None:
        self.has_failed = True
        self.trace.fail(root, message)
        self.trace.status = "failed"
        await stream.message(
            self._end(work.speaker, "error", error=message, usage=work.outcome.usage())
        )
        await self._append(message, stream)

    async def _break(
        self, broken: Broken, stream: EventStream, speaker: Speaker, root: str
    ) -> None:
        self.has_failed = True
        self.trace.fail(root, broken.message)
        self.trace.status = "failed"
        end = self._end(speaker, "error", error=broken.message)
        if broken.race:
            self.answer.status = 500
            await stream.bare(_failure(broken.message).data())
            await stream.message(self._start(speaker))
            await stream.message(end)
        else:
            await stream.message(end)
            await self._append(broken.message, stream)

    async def _append(self, message: str, stream: EventStream) -> None:
        """Write the error of the handler: behind the stream, or as a 500 where there is none.

        The header of the stream has been set by then, so a clean 500 bears its content type.
        """
        failure = _failure(message)
        await stream.flush()
        if self.answer.has_begun:
            await stream.bare(failure.data())
        else:
            await self.answer.whole(failure.status, failure.data())

    def _start(self, speaker: Speaker) -> Object:
        agent = self.agent
        assistant: Object = {"assistant_id": agent.id, "type": agent.type, "name": agent.title}
        data: Object = {
            "context_id": self.context_id,
            "request_id": self.context_id,
            "timestamp": now_ms(),
            "chat_id": self.heard.asked.chat_id,
            "trace_id": self.trace_id,
            "assistant": {**assistant, "description": agent.description},
            "metadata": dict(self.heard.asked.metadata),
        }
        return speaker.event("stream_start", "Stream started", data)

    def _end(
        self, speaker: Speaker, status: str, *, error: str = "", usage: Object | None = None
    ) -> Object:
        data: Object = {
            "request_id": self.context_id,
            "context_id": self.context_id,
            "trace_id": self.trace_id,
            "timestamp": now_ms(),
            "duration_ms": now_ms() - self._started,
            "status": status,
        }
        if error:
            data["error"] = error
        if usage:
            data["usage"] = usage
        return speaker.event("stream_end", f"Stream {status}", data)

    def _close_trace(self, work: Performance) -> None:
        response = work.outcome.response(
            {
                "request_id": self.context_id,
                "context_id": self.context_id,
                "trace_id": self.trace_id,
                "chat_id": self.heard.asked.chat_id,
                "assistant_id": self.agent.id,
            }
        )
        done = self.trace.start(COMPLETION, self.agent.title, None, work.outcome.node)
        self.trace.complete(done, gojson.load(gojson.dump(response)))
        self.trace.complete(work.outcome.node, None)
        self.trace.status = "completed"


def _failure(message: str) -> Reply:
    return server_error(f"Failed to stream: {message}")
