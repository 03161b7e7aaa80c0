"""The body of a chat request, with the types that the server's decoder insists on (§1.5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from yao_server import gojson
from yao_server.gojson import NotReadable, Object

ROLES = ("user", "assistant", "system", "tool", "developer")
PARTS: Mapping[str, tuple[str, ...]] = {
    "text": (),
    "image_url": ("url", "detail"),
    "input_audio": ("data", "format"),
    "file": ("url", "filename"),
    "data": (),
}
"""Content parts by type, with the text fields of the object of that name."""
SKIPS = ("history", "trace", "output", "keyword", "search", "content_parsing")
_STRUCT = "CompletionRequest"


@dataclass(frozen=True, kw_only=True, slots=True)
class CompletionRequest:
    """What the server takes from a body; all else in it is ignored."""

    messages: tuple[Mapping[str, object], ...] = ()
    model: str = ""
    metadata: Mapping[str, object] | None = None
    skip: Mapping[str, bool] | None = None
    route: str = ""


def read_request(body: bytes) -> CompletionRequest:
    """Read a body; an empty one says nothing.

    Raises:
        NotReadable: It is not JSON, or a field has the wrong type.
    """
    if not body:
        return CompletionRequest()
    given = gojson.fields(gojson.load(body), _STRUCT)
    for name, read in (
        ("temperature", gojson.number),
        ("max_tokens", gojson.integer),
        ("max_completion_tokens", gojson.integer),
        ("stream", gojson.boolean),
    ):
        read(given.get(name), f"{_STRUCT}.{name}")
    for name in ("audio", "stream_options"):
        gojson.fields(given.get(name), name)
    metadata = given.get("metadata")
    skip = given.get("skip")
    return CompletionRequest(
        messages=read_messages(given.get("messages")),
        model=gojson.text(given.get("model"), f"{_STRUCT}.model"),
        metadata=None if metadata is None else gojson.fields(metadata, "map[string]interface {}"),
        skip=None if skip is None else _skip(gojson.fields(skip, "Skip")),
        route=gojson.text(given.get("route"), f"{_STRUCT}.route"),
    )


def read_messages(value: object) -> tuple[Mapping[str, object], ...]:
    """Check the messages of a conversation.

    Raises:
        NotReadable: One of them is none.
    """
    return tuple(_message(item) for item in gojson.array(value, f"{_STRUCT}.messages"))


def _message(value: object) -> Object:
    if value is None:
        raise NotReadable("message is null")
    given = dict(gojson.fields(value, "Message"))
    role = gojson.text(given.get("role"), "Message.role")
    if role not in ROLES:
        raise NotReadable(f"invalid message role {role!r}")
    for name in ("name", "tool_call_id", "refusal"):
        gojson.text(given.get(name), f"Message.{name}")
    for call in gojson.array(given.get("tool_calls"), "Message.tool_calls"):
        _tool_call(gojson.fields(call, "ToolCall"))
    _content(given.get("content"))
    return given


def _tool_call(given: Mapping[str, object]) -> None:
    for name in ("id", "type"):
        gojson.text(given.get(name), f"ToolCall.{name}")
    function = gojson.fields(given.get("function"), "Function")
    for name in ("name", "arguments"):
        gojson.text(function.get(name), f"Function.{name}")


def _content(value: object) -> None:
    if value is None or isinstance(value, str):
        return
    for item in gojson.array(value, "Message.content"):
        part = gojson.fields(item, "ContentPart")
        kind = gojson.text(part.get("type"), "ContentPart.type")
        if kind not in PARTS:
            raise NotReadable(f"invalid content part type {kind!r}")
        gojson.text(part.get("text"), "ContentPart.text")
        if kind != "text":
            inner = gojson.fields(part.get(kind), kind)
            for name in PARTS[kind]:
                gojson.text(inner.get(name), f"{kind}.{name}")


def _skip(given: Mapping[str, object]) -> dict[str, bool]:
    return {name: bool(gojson.boolean(given.get(name), f"Skip.{name}")) for name in SKIPS}
