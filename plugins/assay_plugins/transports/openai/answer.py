"""A chat completion, or what the pieces of a stream came to, as a ``Response``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay import ABSENT, AgentError, Response, ToolCall, Usage
from assay.jsonvalue import JsonError, is_array, is_object, loads
from assay_plugins.transports._failures import brief, error_message

if TYPE_CHECKING:
    from collections.abc import Mapping

_NOTES: Final = {
    "length": "the answer was cut off at the token limit (finish_reason length)",
    "content_filter": "a content filter stopped the answer (finish_reason content_filter)",
}


@define
class Call:
    """A call of a tool, as far as it has come."""

    id: str | None = None
    name: str = ""
    arguments: object = ""
    """Text; an object from servers that write the arguments as such."""


@define
class Answer:
    """An answer, as far as it has come."""

    text: list[str] = field(factory=list[str])
    reasoning: list[str] = field(factory=list[str])
    refusal: list[str] = field(factory=list[str])
    calls: list[Call] = field(factory=list[Call])
    finish_reason: str | None = None
    usage: Usage | None = None
    model: str | None = None
    id: str | None = None
    choices: int = 1

    @property
    def partial(self) -> str | None:
        """The text so far, for an error; None when there is none."""
        return "".join(self.text) or None

    def take_head(self, chunk: Mapping[str, object]) -> None:
        """Take what stands beside the choices of a completion or chunk."""
        usage = chunk.get("usage")
        if is_object(usage):
            self.usage = _usage(usage)
        model, own_id = chunk.get("model"), chunk.get("id")
        if isinstance(model, str) and model:
            self.model = model
        if isinstance(own_id, str) and own_id:
            self.id = own_id

    def take_message(self, message: Mapping[str, object]) -> None:
        """Take text, reasoning and refusal of a message or delta."""
        self._take_content(message.get("content"))
        refusal = message.get("refusal")
        if isinstance(refusal, str):
            self.refusal.append(refusal)
        for key in ("reasoning_content", "reasoning"):
            thought = message.get(key)
            if isinstance(thought, str) and thought:
                # Servers that write both write the same twice.
                self.reasoning.append(thought)
                break

    def response(self) -> Response:
        """Make the response."""
        text = "".join(self.text)
        refusal = "".join(self.refusal)
        notes = [_NOTES[self.finish_reason]] if self.finish_reason in _NOTES else []
        if self.choices > 1:
            notes.append(f"the server gave {self.choices} answers; this is the first")
        return Response(
            text=text or refusal,
            refusal=bool(refusal),
            tool_calls=tuple(_tool_call(call) for call in self.calls if call.name or call.id),
            reasoning="".join(self.reasoning) or None,
            usage=self.usage,
            model=self.model,
            finish_reason=self.finish_reason,
            ids={"completion": self.id} if self.id else {},
            # Whoever runs the tools keeps their results: a completion never tells them.
            unknown=frozenset(("tool_results",) if self.calls else ()),
            notes=tuple(notes),
        )

    def _take_content(self, content: object) -> None:
        if isinstance(content, str):
            self.text.append(content)
        elif is_array(content):
            for part in content:
                self._take_part(part)

    def _take_part(self, part: object) -> None:
        if isinstance(part, str):
            self.text.append(part)
        if not is_object(part):
            return
        if isinstance(thought := part.get("thinking"), str):
            self.reasoning.append(thought)
        elif is_array(thought):
            texts = (item.get("text") for item in thought if is_object(item))
            self.reasoning += [text for text in texts if isinstance(text, str)]
        if isinstance(refusal := part.get("refusal"), str):
            self.refusal.append(refusal)
        if isinstance(text := part.get("text"), str):
            self.text.append(text)


def whole_answer(value: object, place: str) -> Response:
    """Read a completion that came in one piece.

    Raises:
        AgentError: It is an error, or holds no answer.
    """
    check_error(value, place)
    answer = Answer()
    choices = value.get("choices") if is_object(value) else None
    first = choices[0] if is_array(choices) and choices else None
    message = first.get("message") if is_object(first) else None
    if not is_object(value) or not is_array(choices) or not is_object(message):
        raise AgentError(
            f"{place}: the answer is no chat completion: it has no choices[0].message; does the"
            " server speak OpenAI's chat completions there?"
        )
    answer.take_head(value)
    answer.choices = len(choices)
    answer.take_message(message)
    calls = message.get("tool_calls")
    for call in calls if is_array(calls) else ():
        if is_object(call):
            answer.calls.append(_call(call))
    old = message.get("function_call")
    if is_object(old) and not answer.calls:
        answer.calls.append(_call({"function": old}))
    reason = first.get("finish_reason") if is_object(first) else None
    answer.finish_reason = reason if isinstance(reason, str) else None
    return answer.response()


def check_error(value: object, place: str, partial: str | None = None) -> None:
    """Let through what is no error object.

    Raises:
        AgentError: It is one: ``{"error": …}`` without an answer.
    """
    said = error_of(value)
    if said is not None:
        raise AgentError(f"{place}: {said}", partial=partial)


def error_of(value: object) -> str | None:
    """Give what an error object says; None for what is no such object."""
    if is_object(value) and value.get("error") and not value.get("choices"):
        return brief(error_message(value) or str(value["error"]))
    return None


def function_of(call: Mapping[str, object]) -> Mapping[str, object]:
    """Give name and arguments of a call, which is of a function, or of a custom tool."""
    for key in ("function", "custom"):
        held = call.get(key)
        if is_object(held):
            return held
    return call


def _call(call: Mapping[str, object]) -> Call:
    own_id, function = call.get("id"), function_of(call)
    name = function.get("name")
    arguments = function.get("arguments", function.get("input"))
    return Call(
        id=own_id if isinstance(own_id, str) else None,
        name=name if isinstance(name, str) else "",
        arguments="" if arguments is None else arguments,
    )


def _tool_call(call: Call) -> ToolCall:
    arguments = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = loads(arguments)
        except JsonError:
            arguments = call.arguments if call.arguments else ABSENT
    return ToolCall(name=call.name, arguments=arguments, id=call.id)


def _usage(usage: Mapping[str, object]) -> Usage:
    def count(key: str) -> int | None:
        value = usage.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    return Usage(
        prompt_tokens=count("prompt_tokens"),
        completion_tokens=count("completion_tokens"),
        total_tokens=count("total_tokens"),
    )
