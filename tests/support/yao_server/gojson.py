"""JSON as Go's ``encoding/json`` writes it, and reads it into typed fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias, cast

Object: TypeAlias = dict[str, object]

_ESCAPES = (
    *(("<", r"\u003c"), (">", r"\u003e"), ("&", r"\u0026")),
    *(("\u2028", r"\u2028"), ("\u2029", r"\u2029")),
)
_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_KINDS: dict[type, str] = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
}


class NotReadable(ValueError):  # noqa: N818 - a fact about the text that a client sent
    """The text is not JSON, or a value has a type that its field does not take."""


def dump(value: object) -> bytes:
    """Write a value: compact, UTF-8, with ``<``, ``>`` and ``&`` as escapes (§2.1)."""
    text = _WRITER.encode(value)
    for character, escape in _ESCAPES:
        if character in text:
            text = text.replace(character, escape)
    return text.encode("utf-8", "replace")


def load(data: bytes) -> object:
    """Read one JSON value that is the whole of the text.

    Raises:
        NotReadable: It is not JSON.
    """
    try:
        return cast("object", json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse))
    except (ValueError, RecursionError) as error:
        raise NotReadable(f"invalid JSON: {error}") from None


def fields(value: object, struct: str) -> Mapping[str, object]:
    """Take a value for an object; null is an empty one, as for Go.

    Raises:
        NotReadable: It is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise NotReadable(_mismatch(value, f"value of type {struct}"))
    return cast("Object", value)


def text(value: object, field: str) -> str:
    """Take a value for a string; null is the empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise NotReadable(_mismatch(value, f"struct field {field} of type string"))
    return value


def boolean(value: object, field: str) -> bool | None:
    """Take a value for a boolean that may be absent."""
    if value is None or isinstance(value, bool):
        return value
    raise NotReadable(_mismatch(value, f"struct field {field} of type bool"))


def integer(value: object, field: str) -> int | None:
    """Take a value for an integer that may be absent; ``1.0`` is none."""
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise NotReadable(_mismatch(value, f"struct field {field} of type int"))


def number(value: object, field: str) -> float | None:
    """Take a value for a number that may be absent."""
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    raise NotReadable(_mismatch(value, f"struct field {field} of type float64"))


def array(value: object, field: str) -> list[object]:
    """Take a value for an array; null is an empty one."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise NotReadable(_mismatch(value, f"struct field {field} of type []"))
    return cast("list[object]", value)


def _mismatch(value: object, target: str) -> str:
    kind = _KINDS.get(type(value), "value")
    return f"json: cannot unmarshal {kind} into Go {target}"


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
