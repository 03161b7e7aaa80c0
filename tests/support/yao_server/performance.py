"""Turns the acts of a script into messages, as the server's handlers do (§2.3)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from yao_server import acts as do
from yao_server import gojson
from yao_server.dsl import Speaker
from yao_server.gojson import Object
from yao_server.outcome import Outcome, written

if TYPE_CHECKING:
    from yao_server.traces import Trace

Item: TypeAlias = "Object | bytes"
"""A message, or bytes that the server did not write as one."""


class Failed(Exception):  # noqa: N818 - how a turn ends
    """The turn fails."""


class Vanished(Exception):  # noqa: N818 - how a turn ends
    """The body ends without an end mark."""


class Hung(Exception):  # noqa: N818 - how a turn ends
    """The connection ends in mid-body.

    Args:
        reset: Whether it is reset.
    """

    def __init__(self, *, reset: bool) -> None:
        super().__init__(reset)
        self.reset = reset


class Stage(Protocol):
    """What a performance waits for."""

    async def pause(self, seconds: float) -> None:
        """Wait; an interrupt ends it."""
        ...

    async def hold(self, gate: str) -> None:
        """Wait for a gate; an interrupt ends it."""
        ...


@dataclass
class Performance:
    """One agent at work in a turn."""

    stage: Stage
    speaker: Speaker
    outcome: Outcome
    trace: Trace
    call_ids: Iterator[int]
    """Shared by all agents of a turn."""

    async def play(self, script: Iterable[do.Act]) -> AsyncIterator[Item]:
        """Give the messages of a script, as they come.

        Raises:
            Failed: And the like, where the script says so.
        """
        for act in script:
            match act:
                case do.Pause():
                    await self.stage.pause(act.seconds)
                case do.Hold():
                    await self.stage.hold(act.gate)
                case do.Delegate() | do.Together():
                    async for item in self._others(act):
                        yield item
                case _:
                    for item in self._one(act):
                        yield item

    def _one(self, act: do.Act) -> Iterator[Item]:
        match act:
            case do.Say():
                self.outcome.answering().content += act.text
                yield from self._model("text", act.text, act.pieces)
            case do.Think():
                self.outcome.answering().reasoning += act.text
                yield from self._model("thinking", act.text, act.pieces)
            case do.Call():
                yield from self._call(act)
            case do.Calls():
                yield from self._calls(act)
            case do.Refuse():
                self.outcome.answering().refusal += act.text
                yield self.speaker.start(self.speaker.message_id(), "refusal")
            case do.Send():
                yield self.speaker.sent(act)
            case do.Raw():
                yield act.data
            case do.Next():
                self.outcome.next = {"next": act.data}
            case do.Use():
                self.outcome.prompt_tokens += act.prompt_tokens
                self.outcome.completion_tokens += act.completion_tokens
            case do.Fail():
                if act.told:
                    yield self.speaker.error(act.message)
                raise Failed(act.message)
            case do.Vanish():
                raise Vanished
            case do.Drop():
                raise Hung(reset=act.reset)
            case _:
                raise AssertionError(f"unknown act {act!r}")

    def _model(self, kind: str, text: str, pieces: int) -> Iterator[Object]:
        message_id = self.speaker.message_id()
        yield self.speaker.start(message_id, kind)
        cut = pieces_of(text, pieces)
        for piece in cut:
            yield self.speaker.delta(message_id, kind, {"content": piece})
        yield self.speaker.end(message_id, kind, len(cut), text)

    def _call(self, call: do.Call) -> Iterator[Object]:
        call_id, said = self._asked_for(call)
        message_id = self.speaker.message_id()
        known: Object = {"id": call_id, "type": "function", "index": 0, "name": call.name}
        told = {"id": call_id, "name": call.name, "index": 0}
        yield self.speaker.start(message_id, "tool_call", tool_call=told)
        yield self.speaker.delta(message_id, "tool_call", known, action="merge")
        glued = [_openai(call_id, call.name, "")]
        for piece in pieces_of(said, call.pieces):
            props: Object = {"arguments": piece, "index": 0}
            yield self.speaker.delta(
                message_id, "tool_call", props, path="arguments", action="append"
            )
            glued.append({"index": 0, "function": {"arguments": piece}})
        content = "".join(gojson.dump([part]).decode() for part in glued)
        yield self.speaker.end(message_id, "tool_call", len(glued), content)
        self.outcome.ran(call, call_id)

    def _calls(self, act: do.Calls) -> Iterator[Object]:
        message_id = self.speaker.message_id()
        asked = [(call, *self._asked_for(call)) for call in act.calls]
        calls = [
            {**_openai(call_id, call.name, said), "index": index}
            for index, (call, call_id, said) in enumerate(asked)
        ]
        yield self.speaker.start(message_id, "tool_call")
        yield self.speaker.delta(message_id, "tool_call", {"calls": calls}, action="merge")
        yield self.speaker.end(message_id, "tool_call", 1, gojson.dump(calls).decode())
        for call, call_id, _ in asked:
            self.outcome.ran(call, call_id)

    def _asked_for(self, call: do.Call) -> tuple[str, str]:
        call_id, said = f"call_{next(self.call_ids)}", written(call.arguments)
        self.outcome.calling().tool_calls.append(_openai(call_id, call.name, said))
        return call_id, said

    async def _others(self, act: do.Delegate | do.Together) -> AsyncIterator[Item]:
        asked = act.delegates if isinstance(act, do.Together) else (act,)
        parent = self.outcome.node
        names = [other.agent for other in asked]
        if len(names) == 1:
            nodes = [self.trace.start("agent", names[0], None, parent)]
        else:
            nodes = self.trace.start_together("agent", names, parent)
        works = [self._other(other, node) for other, node in zip(asked, nodes, strict=True)]
        playing = [work.play(other.acts) for work, other in zip(works, asked, strict=True)]
        while playing:
            for items in list(playing):
                try:
                    yield await anext(items)
                except StopAsyncIteration:
                    playing.remove(items)
        for work, other in zip(works, asked, strict=True):
            answer = work.outcome.response({"assistant_id": other.agent})
            node = self.trace.start("agent_completion", other.agent, None, work.outcome.node)
            self.trace.complete(node, answer)
            self.trace.complete(work.outcome.node, None)

    def _other(self, other: do.Delegate, node: str) -> Performance:
        return Performance(
            stage=self.stage,
            speaker=Speaker(self.speaker.trace_id, other.thread_id),
            outcome=Outcome(self.trace, node, self.outcome.model),
            trace=self.trace,
            call_ids=self.call_ids,
        )


def pieces_of(text: str, wanted: int) -> list[str]:
    """Cut text into so many pieces, as evenly as its length allows; empty text gives none."""
    size = max(1, -(-len(text) // max(1, wanted)))
    return [text[place : place + size] for place in range(0, len(text), size)]


def _openai(call_id: str, name: str, arguments: str) -> Object:
    function: Object = {"name": name, "arguments": arguments}
    return {"index": 0, "id": call_id, "type": "function", "function": function}
