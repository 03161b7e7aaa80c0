"""The JSON that a text holds, and which part of it that was.

One function reads all that needs structure from an agent's text, so that every assertion sees
the same. It looks, in this order, at

1. the whole text, where any JSON value counts, ``42`` and ``"yes"`` too;
2. fenced blocks marked as JSON, as plain text or not at all: the first that is JSON counts;
3. fenced blocks marked as YAML, likewise (the first ten, of up to 200,000 characters);
4. what stands outside of fences: exactly one object, else exactly one array when there is no
   object.

From the second step on, only objects and arrays count. Nothing is repaired: single quotes,
comments, trailing commas and ``NaN`` are not JSON, and words that end within an object hold
none. Of a text with fences, the first 50,000 lines are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.extract.prose import only_value
from assay.jsonvalue import is_object, loads
from assay.jsonvalue.kinds import is_container

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST_YAML = 10
"""Blocks that are tried: reading YAML takes much longer than reading JSON."""

_ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)


@frozen(kw_only=True)
class Extracted:
    """JSON found in a text."""

    value: object
    source: str
    """Which part of the text it was, for messages; empty when it was the whole output.

    Goes behind "the": ``fenced block``, ``first of 2 fenced blocks``, ``only object in the
    text``.
    """


def extract(text: str) -> Extracted | None:
    """Find the JSON that a text is or holds; None when there is none.

    Takes time in proportion to the text, whatever it is, and never raises.
    """
    try:
        return Extracted(value=loads(text), source="")
    except ValueError:
        pass
    prose: str | None = text
    if "```" in text or "~~~" in text:
        from assay.extract.fences import split

        parts = split(text)
        found = _first(parts.json, loads, "fenced block") or _first_yaml(parts.yaml)
        if found:
            return found
        prose = parts.prose
    value = None if prose is None else only_value(prose)
    if value is None:
        return None
    kind = "object" if is_object(value) else "array"
    return Extracted(value=value, source=f"only {kind} in the text")


def _first_yaml(blocks: Sequence[str]) -> Extracted | None:
    if not blocks:
        return None
    from assay.extract.yaml import load

    return _first(blocks, load, "fenced YAML block", _MOST_YAML)


def _first(
    blocks: Sequence[str], read: Callable[[str], object], noun: str, most: int | None = None
) -> Extracted | None:
    """Take the first block that can be read as an object or array."""
    for number, block in enumerate(blocks[:most], 1):
        try:
            value = read(block)
        except ValueError:
            continue
        if is_container(value):
            several = f"{_ordinal(number)} of {len(blocks)} {noun}s"
            return Extracted(value=value, source=noun if len(blocks) == 1 else several)
    return None


def _ordinal(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else suffix}"
