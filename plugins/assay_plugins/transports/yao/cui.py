"""Reads a turn in the format of Yao's own front end (``accept=cui-web``).

It carries more than the other one: tools with their arguments, the status, tokens, ids (Yao
``agent/output/message/types.go``, ``agent/assistant/handlers/stream.go``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import define, field

from assay import ABSENT, ToolCall, Usage
from assay.jsonvalue import is_array, is_object
from assay_plugins.transports.yao.ending import Ending, error_text, shown
from assay_plugins.transports.yao.merge import Message, Messages
from assay_plugins.transports.yao.turn import Told, arguments_of, parse_event, usage_of

_IDS = {"context_id": "context", "chat_id": "chat", "trace_id": "trace"}
"""What the events call an id, and what responses do. The id of the request is the context's."""


@define
class CuiReader:
    """Reads the events of a turn."""

    ending: Ending = field(factory=Ending)
    _messages: Messages = field(factory=Messages, init=False)
    _ids: dict[str, str] = field(factory=dict[str, str], init=False)
    _errors: list[str] = field(factory=list[str], init=False)
    _usage: Usage | None = field(default=None, init=False)
    _is_refusal: bool = field(default=False, init=False)

    @property
    def context_id(self) -> str | None:
        """What the turn is interrupted by, once its start has told it."""
        return self._ids.get("context")

    def event(self, data: str) -> None:
        """Take one event in."""
        if self.ending.is_marked or data == "[DONE]":
            # The mark of the other format is none here: there is no success without ours.
            return
        chunk = parse_event(data, self.ending)
        if chunk is None:
            return
        if chunk.get("type") == "event":
            self._notice(chunk)
        elif "type" not in chunk and "error" in chunk:
            self._errors.append(error_text(chunk) or "an error without a text")
        else:
            try:
                self._messages.apply(chunk)
            except ValueError as error:
                self.ending.is_broken_by(f"a change that cannot be applied ({error})", data)

    def told(self) -> Told:
        """Give what was told so far."""
        messages = list(self._messages)
        text, full_text = _answer(messages)
        thoughts = [_content(message) for message in messages if message.type == "thinking"]
        unknown = {"data", "tool_results"}
        if self._usage is None:
            unknown.add("usage")
        return Told(
            text=text,
            full_text=full_text,
            reasoning="".join(thoughts) or None,
            tool_calls=tuple(call for message in messages for call in _calls(message)),
            usage=self._usage,
            ids=dict(self._ids),
            is_refusal=self._is_refusal,
            unknown=frozenset(unknown),
        )

    def errors(self) -> tuple[str, ...]:
        """Give what was sent as errors so far."""
        sent = (_error(message) for message in self._messages if message.type == "error")
        return (*sent, *self._errors)

    def _notice(self, chunk: Mapping[str, object]) -> None:
        props = chunk.get("props")
        if not is_object(props):
            return
        given = props.get("data")
        data = given if is_object(given) else {}
        kind = props.get("event")
        if kind == "message_start" and data.get("type") == "refusal":
            # Its words are sent nowhere, only this.
            self._is_refusal = True
        elif kind in ("stream_start", "stream_end") and not chunk.get("thread_id"):
            for key, name in _IDS.items():
                value = data.get(key)
                if isinstance(value, str) and value:
                    self._ids.setdefault(name, value)
            if kind == "stream_end":
                self._end(data)

    def _end(self, data: Mapping[str, object]) -> None:
        self._usage = usage_of(data.get("usage"))
        status = data.get("status")
        if status == "completed":
            self.ending.is_complete = True
            return
        said = data.get("error")
        if is_object(said):
            said = said.get("message") or error_text({"error": said})
        if not said and status != "error":
            said = f"the turn ended with the status {status!r}"
        self.ending.failure = shown(str(said)) if said else ""


def _answer(messages: Iterable[Message]) -> tuple[str, str]:
    """Give the answer, and all that was said.

    A turn may ask the model several times, with tools between (Yao ``agent/assistant/agent.go``):
    the answer is what stands after the last one, or all where nothing does. What agents below
    the asked one say counts only where that one says nothing itself.
    """
    threads: dict[str, list[Message]] = {}
    for message in messages:
        if message.type in ("text", "tool_call"):
            threads.setdefault(message.thread, []).append(message)
    own = [_spoken(threads.get("", ()))]
    spoken = own if own[0][1] else [_spoken(part) for part in threads.values()]
    return "".join(last for last, _ in spoken), "".join(whole for _, whole in spoken)


def _spoken(messages: Iterable[Message]) -> tuple[str, str]:
    last: list[str] = []
    whole: list[str] = []
    for message in messages:
        if message.type == "text":
            last.append(_content(message))
            whole.append(last[-1])
        else:
            last.clear()
    return "".join(last) or "".join(whole), "".join(whole)


def _content(message: Message) -> str:
    content = message.prop("content")
    return content if isinstance(content, str) else ""


def _error(message: Message) -> str:
    props = message.props()
    said = str(props.get("message") or "an error without a text")
    code = props.get("code")
    return shown(f"{said} ({code})" if code else said)


def _calls(message: Message) -> list[ToolCall]:
    if message.type == "tool_call":
        props = message.props()
        calls = props.get("calls")
        pieces = [piece for piece in calls if is_object(piece)] if is_array(calls) else []
        return [_call(piece) for piece in (_put_together(pieces) or [props])]
    if message.type == "execute" and message.prop("tool"):
        return [_step(message.props())]
    return []


def _put_together(pieces: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Make whole calls of pieces that say which call they belong to."""
    whole: dict[object, dict[str, object]] = {}
    for place, piece in enumerate(pieces):
        index = piece.get("index", place)
        flat = {**piece, **_table(piece.get("function"))}
        call = whole.setdefault(index if isinstance(index, int) else place, {})
        for key, value in flat.items():
            before = call.get(key)
            is_longer = key == "arguments" and isinstance(before, str) and isinstance(value, str)
            call[key] = f"{before}{value}" if is_longer else value
    return list(whole.values())


def _call(props: Mapping[str, object]) -> ToolCall:
    props = {**props, **_table(props.get("function"))}
    return ToolCall(
        name=str(props.get("name") or ""),
        arguments=arguments_of(props.get("arguments", "")),
        id=_id(props.get("id")),
    )


def _step(props: Mapping[str, object]) -> ToolCall:
    """Read a step of a sandbox, which shows what came of it (``type`` ``execute``)."""
    output = props.get("output", ABSENT)
    failed = bool(props.get("is_error"))
    return ToolCall(
        name=str(props.get("tool") or ""),
        arguments=props.get("input", ABSENT),
        id=_id(props.get("tool_id")),
        result=ABSENT if failed else output,
        error=shown(str(output)) if failed else None,
    )


def _table(value: object) -> dict[str, object]:
    return value if is_object(value) else {}


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
