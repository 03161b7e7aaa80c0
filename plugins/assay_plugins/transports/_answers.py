"""What a Python function returned, as an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from assay import ABSENT, AgentError, Response
from assay.jsonvalue import to_json_value

if TYPE_CHECKING:
    from assay import ToolCall

_MEND = "return text, a JSON value or a Response"


def response_of(value: object) -> Response:
    """Make a response of what an agent returned.

    Text is the answer's text, every other JSON value its data, copied, since the agent may go on
    to change it. A tuple counts as a list.

    Raises:
        AgentError: It is something else.
    """
    if isinstance(value, str):
        return Response(text=value)
    if not isinstance(value, Response):
        return Response(data=_json(value, "the agent returned no answer"))
    _check_text(value.text)
    if value.data is ABSENT and not value.tool_calls:
        return value
    calls = tuple(_call(call) for call in value.tool_calls)
    return attrs.evolve(value, data=_known(value.data, "data"), tool_calls=calls)


def _check_text(text: object) -> None:
    """Refuse what a type checker would refuse: the agent's code may have met none."""
    if not isinstance(text, str):
        raise AgentError(
            f"the text of the agent's Response is of type {type(text).__name__}; make it text"
        )


def _call(call: ToolCall) -> ToolCall:
    arguments = _known(call.arguments, f"arguments of {call.name}")
    return attrs.evolve(
        call, arguments=arguments, result=_known(call.result, f"result of {call.name}")
    )


def _known(value: object, what: str) -> object:
    if value is ABSENT:
        return value
    return _json(value, f"the {what} of the agent's Response cannot be told")


def _json(value: object, what: str) -> object:
    try:
        return to_json_value(value)
    except TypeError as exc:
        raise AgentError(f"{what}: {exc}; {_MEND}") from exc
