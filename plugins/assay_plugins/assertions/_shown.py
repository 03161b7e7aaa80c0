"""How verdicts name values in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.jsonvalue import compact, is_array, is_object

if TYPE_CHECKING:
    from assay.extract import Extracted

_LONGEST = 60


def shown(value: object) -> str:
    """Write a value as compact JSON, cut where it is long."""
    # Text is cut first: the JSON text of a long one costs as much as it is long.
    text = compact(value[: _LONGEST + 1] if isinstance(value, str) else value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def type_name(value: object) -> str:
    """Name the JSON type of a value as the ``type`` check does; a whole number is an integer."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if is_object(value):
        return "object"
    if is_array(value):
        return "array"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    return "number"


def a_type(value: object) -> str:
    """Name the JSON type of a value with its article: ``an object``."""
    name = type_name(value)
    if name == "null":
        return name
    return f"an {name}" if name[0] in "aio" else f"a {name}"


def inside(found: Extracted | None) -> str:
    """Say which part of a text was used: empty, or a phrase to put behind a sentence."""
    return f" (in the {found.source})" if found is not None and found.source else ""
