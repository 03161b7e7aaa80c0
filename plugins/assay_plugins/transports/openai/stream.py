"""A chat completion that comes in pieces."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from attrs import define, field

from assay import AgentError, TransportError
from assay.jsonvalue import JsonError, is_array, is_object, loads
from assay_plugins.transports._failures import brief, error_message
from assay_plugins.transports._sse import Stray
from assay_plugins.transports.openai.answer import Answer, Call, check_error, error_of, function_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay import Response
    from assay_plugins.transports._sse import Item


@define
class Stream:
    """Puts the events of a stream together.

    Args:
        place: The address, for messages.
    """

    place: str
    answer: Answer = field(factory=Answer, init=False)
    is_done: bool = field(default=False, init=False)
    """Whether ``[DONE]`` has come."""
    _stray: list[str] = field(factory=list[str], init=False)
    _open: dict[int, Call] = field(factory=dict[int, Call], init=False)
    """The call that each index of the stream means now."""

    @property
    def is_finished(self) -> bool:
        """Whether an end mark has come: ``[DONE]`` or a ``finish_reason``."""
        return self.is_done or self.answer.finish_reason is not None

    def take(self, items: Sequence[Item]) -> None:
        """Take events.

        Raises:
            AgentError: One is an error.
            TransportError: One is no JSON.
        """
        for item in items:
            if isinstance(item, Stray):
                self._stray.append(item.text)
            elif item.data == "[DONE]":
                self.is_done = True
            else:
                self._take(item.data, is_error=item.name == "error")

    def end(self) -> Response:
        """Give what the stream came to, when it is at its end.

        Raises:
            AgentError: An error stands in it.
            TransportError: It has no end mark, or lines that are no events.
        """
        partial = self.answer.partial
        if self._stray:
            text = "\n".join(self._stray)
            with suppress(JsonError):
                check_error(loads(text), self.place, partial)
            raise TransportError(
                f"{self.place}: the stream holds what is no event: {brief(text)}", partial=partial
            )
        if not self.is_finished:
            raise TransportError(
                f"{self.place}: the stream stopped without its end mark; the server, or a proxy"
                " before it, cut it off",
                partial=partial,
            )
        return self.answer.response()

    def broken(self, error: AgentError) -> Response:
        """Give what the stream came to, when the connection broke.

        Raises:
            AgentError: The answer was not whole. ``[DONE]`` alone does not make it so: servers
                that are interrupted write it, too.
        """
        if self.answer.finish_reason is None:
            raise TransportError(str(error), partial=self.answer.partial) from error
        return self.end()

    def _take(self, data: str, *, is_error: bool) -> None:
        try:
            chunk = loads(data)
        except JsonError as error:
            if is_error:
                raise AgentError(
                    f"{self.place}: {brief(data)}", partial=self.answer.partial
                ) from None
            raise TransportError(
                f"{self.place}: an event of the stream is not JSON ({error}): {brief(data)}",
                partial=self.answer.partial,
            ) from error
        if is_error:
            said = error_message(chunk) or data
            raise AgentError(f"{self.place}: {brief(said)}", partial=self.answer.partial)
        wrong = error_of(chunk)
        if wrong is not None:
            raise AgentError(f"{self.place}: {wrong}", partial=self.answer.partial)
        if is_object(chunk):
            self._take_chunk(chunk)

    def _take_chunk(self, chunk: Mapping[str, object]) -> None:
        answer = self.answer
        answer.take_head(chunk)
        choices = chunk.get("choices")
        for choice in choices if is_array(choices) else ():
            if not is_object(choice):
                continue
            index = choice.get("index") or 0
            if isinstance(index, int):
                answer.choices = max(answer.choices, index + 1)
            if index:
                continue
            delta = choice.get("delta")
            if is_object(delta):
                answer.take_message(delta)
                self._take_calls(delta)
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                answer.finish_reason = reason

    def _take_calls(self, delta: Mapping[str, object]) -> None:
        calls = delta.get("tool_calls")
        for call in calls if is_array(calls) else ():
            if is_object(call):
                self._take_call(call)
        old = delta.get("function_call")
        if is_object(old):
            self._take_call({"index": 0, "function": old})

    def _take_call(self, call: Mapping[str, object]) -> None:
        index, own_id, function = call.get("index"), call.get("id"), function_of(call)
        if not isinstance(index, int):
            # Some servers number no calls: an id begins one, and what has none belongs to the last.
            index = len(self._open) if own_id or not self._open else len(self._open) - 1
        known = self._open.get(index)
        # Others give every call the same index, and an id of its own.
        if known is None or (own_id and known.id and own_id != known.id):
            known = self._open[index] = Call()
            self.answer.calls.append(known)
        if isinstance(own_id, str) and own_id:
            known.id = own_id
        name = function.get("name")
        if isinstance(name, str) and name != known.name:
            known.name += name
        piece = function.get("arguments", function.get("input"))
        if isinstance(piece, str) and isinstance(known.arguments, str):
            known.arguments += piece
        elif piece is not None:
            known.arguments = piece
