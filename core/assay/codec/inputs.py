"""A case's ``input`` as messages: text, a message object, or a list of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from assay.codec.faults import Wrong, join, kind_of
from assay.model.message import ROLES, Message
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.model.message import Content

MESSAGE_KEYS = ("role", "content", "name", "tool_calls", "tool_call_id", "refusal")


def read_input(value: object, told: list[tuple[str, Wrong]]) -> tuple[Message, ...]:
    """Make messages of an input; what is wrong is added to ``told``.

    A string is one user message; a message without a role is a user's.
    """
    if isinstance(value, str):
        return (Message(role="user", content=value),)
    if isinstance(value, dict):
        return (_message(cast("Mapping[str, object]", value), "input", told),)
    if isinstance(value, list):
        items = cast("list[object]", value)
        if not items:
            told.append(("input", Wrong("an empty list of messages", "write at least one message")))
        messages: list[Message] = []
        for index, item in enumerate(items):
            path = f"input[{index}]"
            if isinstance(item, dict):
                messages.append(_message(cast("Mapping[str, object]", item), path, told))
            else:
                told.append((path, Wrong(f"expected a message object, got {kind_of(item)}")))
        return tuple(messages)
    told.append(
        (
            "input",
            Wrong(
                f"expected text, a message or a list of messages, got {kind_of(value)}",
                "write the user's message as a string",
            ),
        )
    )
    return ()


def _message(value: Mapping[str, object], path: str, told: list[tuple[str, Wrong]]) -> Message:
    role = value.get("role", "user")
    if not isinstance(role, str) or role not in ROLES:
        shown = repr(role) if isinstance(role, str) else kind_of(role)
        told.append((join(path, "role"), Wrong(f"no role {shown}", hint(str(role), ROLES))))
        role = "user"
    for key in value:
        if key not in MESSAGE_KEYS:
            told.append((join(path, key), Wrong("unknown field", hint(key, MESSAGE_KEYS))))
    calls = _calls(value.get("tool_calls"), join(path, "tool_calls"), told)
    if "content" not in value and not calls:
        told.append((join(path, "content"), Wrong("missing", "write the text of the message")))
    return Message(
        role=role,
        content=_content(value.get("content"), join(path, "content"), told, required=not calls),
        name=_text(value, "name", path, told),
        tool_calls=calls,
        tool_call_id=_text(value, "tool_call_id", path, told),
        refusal=_text(value, "refusal", path, told),
    )


def _content(value: object, path: str, told: list[tuple[str, Wrong]], *, required: bool) -> Content:
    if value is None:
        if required and told_nothing_of(path, told):
            told.append((path, Wrong("null", "write the text of the message")))
        return None
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        told.append((path, Wrong(f"expected text or a list of parts, got {kind_of(value)}")))
        return None
    parts: list[Mapping[str, object]] = []
    for index, part in enumerate(cast("list[object]", value)):
        place = f"{path}[{index}]"
        if not isinstance(part, dict):
            told.append((place, Wrong(f"expected an object, got {kind_of(part)}")))
            continue
        entry = cast("Mapping[str, object]", part)
        kind = entry.get("type")
        if not isinstance(kind, str) or not kind:
            told.append((join(place, "type"), Wrong("missing", 'one of "text", "image_url", …')))
        elif kind == "text" and not isinstance(entry.get("text"), str):
            told.append((join(place, "text"), Wrong("missing", "write the text of the part")))
        parts.append(entry)
    if not parts and told_nothing_of(path, told):
        told.append((path, Wrong("an empty list of parts", "write at least one part")))
    return tuple(parts)


def told_nothing_of(path: str, told: list[tuple[str, Wrong]]) -> bool:
    """Whether nothing was said yet of a path or what is below it."""
    return not any(place.startswith(path) for place, _ in told)


def _calls(
    value: object, path: str, told: list[tuple[str, Wrong]]
) -> tuple[Mapping[str, object], ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(
        isinstance(call, dict) for call in cast("list[object]", value)
    ):
        told.append((path, Wrong("expected a list of objects", "as in OpenAI's chat format")))
        return ()
    return tuple(cast("list[Mapping[str, object]]", value))


def _text(
    value: Mapping[str, object], key: str, path: str, told: list[tuple[str, Wrong]]
) -> str | None:
    held = value.get(key)
    if held is None or isinstance(held, str):
        return held
    told.append((join(path, key), Wrong(f"expected a string, got {kind_of(held)}")))
    return None
