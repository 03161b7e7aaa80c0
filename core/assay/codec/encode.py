"""The text of a report's line: valid JSON that can be read back, whatever a plugin made."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final, cast

from assay.jsonvalue import LINE_DEPTH, JsonError, dumps, loads

_KEPT_DEPTH: Final = LINE_DEPTH // 2


def encode(value: object) -> str:
    """Write a value as one line of JSON; never raises.

    What is no JSON value becomes text: an object of another type by its ``str``, levels that
    are too deep to be read back by a note of that. A result is worth more than its odd parts.
    """
    try:
        text = dumps(value)
    except (TypeError, ValueError):
        return dumps(_clean(value, 0))
    if text.count("[") + text.count("{") > LINE_DEPTH and not _is_readable(text):
        return dumps(_clean(value, 0))
    return text


def decode(text: str) -> object:
    """Read a line that ``encode`` wrote.

    Raises:
        ValueError: It is not JSON.
    """
    return loads(text, max_depth=LINE_DEPTH)


def _is_readable(text: str) -> bool:
    try:
        decode(text)
    except JsonError:
        return False
    return True


def _clean(value: object, depth: int) -> object:
    """Copy a value, with text for whatever is no JSON."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if depth == _KEPT_DEPTH:
        return f"(below level {_KEPT_DEPTH})"
    if isinstance(value, Mapping):
        members = cast("Mapping[object, object]", value)
        return {_text(key): _clean(member, depth + 1) for key, member in members.items()}
    if isinstance(value, Set):
        return sorted((_clean(item, depth + 1) for item in cast("Set[object]", value)), key=_text)
    if isinstance(value, list | tuple):
        return [_clean(item, depth + 1) for item in cast("list[object]", value)]
    return _text(value)


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - an unknown class may raise anything
        return f"({type(value).__name__})"
