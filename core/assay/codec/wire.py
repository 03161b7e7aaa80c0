"""What is sent to an agent as JSON and back: messages, tool calls, environments, requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.absent import ABSENT
from assay.codec.narrow import integer, table, tables, text, text_or, text_or_none
from assay.model.case import Environment
from assay.model.exchange import Origin, Request
from assay.model.message import Message, ToolCall

if TYPE_CHECKING:
    from assay.codec.narrow import Line
    from assay.model.message import Content

DEFAULT_ENVIRONMENT = Environment()


def message_to_json(message: Message) -> dict[str, object]:
    """Write a message in the shape of a case file; ``content`` is always there."""
    content = message.content
    line: dict[str, object] = {
        "role": message.role,
        "content": list(content) if isinstance(content, tuple) else content,
    }
    if message.name is not None:
        line["name"] = message.name
    if message.tool_calls:
        line["tool_calls"] = list(message.tool_calls)
    if message.tool_call_id is not None:
        line["tool_call_id"] = message.tool_call_id
    if message.refusal is not None:
        line["refusal"] = message.refusal
    return line


def message_from_json(line: Line) -> Message:
    """Read a message.

    Raises:
        ValueError: It is none; so for all functions of this module.
    """
    return Message(
        role=text(line, "role"),
        content=_content(line.get("content")),
        name=text_or_none(line, "name"),
        tool_calls=tables(line, "tool_calls"),
        tool_call_id=text_or_none(line, "tool_call_id"),
        refusal=text_or_none(line, "refusal"),
    )


def _content(value: object) -> Content:
    if value is None or isinstance(value, str):
        return value
    return tables({"content": value}, "content")


def tool_call_to_json(call: ToolCall) -> dict[str, object]:
    """Write a tool call; what is absent is left out."""
    line: dict[str, object] = {"name": call.name}
    if call.id is not None:
        line["id"] = call.id
    if call.arguments is not ABSENT:
        line["arguments"] = call.arguments
    if call.result is not ABSENT:
        line["result"] = call.result
    if call.error is not None:
        line["error"] = call.error
    return line


def tool_call_from_json(line: Line) -> ToolCall:
    """Read a tool call."""
    return ToolCall(
        name=text(line, "name"),
        arguments=line.get("arguments", ABSENT),
        id=text_or_none(line, "id"),
        result=line.get("result", ABSENT),
        error=text_or_none(line, "error"),
    )


def environment_to_json(environment: Environment) -> dict[str, object]:
    """Write an environment; ``identity`` only where it is known."""
    line: dict[str, object] = {
        "user_id": environment.user_id,
        "team_id": environment.team_id,
        "locale": environment.locale,
        "client_type": environment.client_type,
        "client_ip": environment.client_ip,
        "referer": environment.referer,
        "accept": environment.accept,
    }
    if environment.identity is not None:
        line["identity"] = environment.identity
    return line


def environment_from_json(line: Line) -> Environment:
    """Read an environment; what is missing has its default."""
    if not line:
        return DEFAULT_ENVIRONMENT
    default = DEFAULT_ENVIRONMENT
    return Environment(
        user_id=text_or(line, "user_id", default.user_id),
        team_id=text_or(line, "team_id", default.team_id),
        locale=text_or(line, "locale", default.locale),
        client_type=text_or(line, "client_type", default.client_type),
        client_ip=text_or(line, "client_ip", default.client_ip),
        referer=text_or(line, "referer", default.referer),
        accept=text_or(line, "accept", default.accept),
        identity=text_or_none(line, "identity"),
    )


def request_to_json(request: Request) -> dict[str, object]:
    """Write a request as a program that answers it reads it: every key is always there.

    ``origin`` is left out: it is never sent.
    """
    return {
        "messages": [message_to_json(message) for message in request.messages],
        "environment": environment_to_json(request.environment),
        "chat_id": request.chat_id,
        "connector": request.connector,
        "metadata": request.metadata,
        "options": request.options,
    }


def request_from_json(line: Line) -> Request:
    """Read a request."""
    return Request(
        messages=messages_from_json(line, "messages"),
        environment=environment_from_json(table(line, "environment")),
        chat_id=text_or(line, "chat_id", ""),
        connector=text_or_none(line, "connector"),
        metadata=table(line, "metadata"),
        options=table(line, "options"),
    )


def messages_from_json(line: Line, key: str) -> tuple[Message, ...]:
    """Read a list of messages."""
    return tuple([message_from_json(message) for message in tables(line, key)])


def origin_from_json(line: Line, default: Origin) -> Origin:
    """Read an origin; what is missing is that of ``default``."""
    if not line:
        return default
    return Origin(
        suite=text_or(line, "suite", default.suite),
        case=text_or(line, "case", default.case),
        attempt=integer(line, "attempt", default.attempt),
        turn=integer(line, "turn", default.turn),
        purpose=text_or(line, "purpose", default.purpose),
    )
