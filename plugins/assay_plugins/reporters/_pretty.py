"""JSON values and texts laid out for reading, however large or deep they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, zip_longest
from typing import Final

from attrs import define, frozen

from assay import ABSENT
from assay.jsonvalue import compact, equal, is_array, is_object

_MAX_DEPTH: Final = 32
"""Deeper levels are left out: their indentation alone would fill a page."""


@frozen(kw_only=True)
class Excerpt:
    """As much of a value as is shown."""

    text: str
    """The text itself, or indented JSON; lines end with a newline character, whatever they had."""
    is_json: bool = False
    omitted: str = ""
    """How much was left out, as a phrase; empty when nothing was."""


def excerpt(value: object, limit: int) -> Excerpt:
    """Give a value as text of at most ``limit`` characters.

    Args:
        value: A JSON value. Text stays as it is, anything else becomes indented JSON.
        limit: In characters.
    """
    if isinstance(value, str):
        left = len(value) - limit
        omitted = f"{left} more characters" if left > 0 else ""
        return Excerpt(text=newlines(value[:limit]), omitted=omitted)
    lines: list[str] = []
    room = limit
    for line in json_lines(value):
        if len(line) > room:
            lines.append(line[: max(room, 0)])
            return Excerpt(
                text="\n".join(lines), is_json=True, omitted=f"all after {limit} characters"
            )
        lines.append(line)
        room -= len(line) + 1
    return Excerpt(text="\n".join(lines), is_json=True)


def newlines(text: str) -> str:
    """Write every line end as a newline character."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def json_lines(value: object, *, like: object = ABSENT, commas: bool = True) -> Iterator[str]:
    """Give the lines of a JSON value, indented by two spaces a level, as they are asked for.

    Levels below the 32nd are written as ``{…}`` and ``[…]``.

    Args:
        value: A JSON value.
        like: A value to be compared with: keys come in its order, and numbers that are equal to
            its own are written as there, so that lines differ only where the values do.
        commas: Whether lines end with the commas that JSON asks for.
    """
    head = _open(value)
    if head is None:
        yield _scalar(value, like)
        return
    yield head
    stack = [_Level.of(value, like, comma="")]
    while stack:
        level = stack[-1]
        if level.left == 0:
            stack.pop()
            yield "  " * len(stack) + level.close + level.comma
            continue
        key, child, child_like = next(level.items)
        level.left -= 1
        comma = "," if level.left and commas else ""
        before = "  " * len(stack) + ("" if key is None else f"{compact(key)}: ")
        head = _open(child)
        if head is None:
            yield before + _scalar(child, child_like) + comma
        elif len(stack) >= _MAX_DEPTH:
            yield f"{before}{head}…{_CLOSE[head]}{comma}"
        else:
            yield before + head
            stack.append(_Level.of(child, child_like, comma=comma))


_CLOSE: Final = {"{": "}", "[": "]"}


@define
class _Level:
    """A list or object that is being written."""

    items: Iterator[tuple[str | None, object, object]]
    """Key, value, and the value that it is like."""
    left: int
    close: str
    comma: str

    @classmethod
    def of(cls, value: object, like: object, *, comma: str) -> _Level:
        if is_object(value):
            other = like if is_object(like) else {}
            keys = [
                *(key for key in other if key in value),
                *(key for key in value if key not in other),
            ]
            members = ((key, value[key], other.get(key, ABSENT)) for key in keys)
            return cls(members, len(value), "}", comma)
        elements = value if is_array(value) else ()
        others = like if is_array(like) else ()
        pairs = zip_longest(elements, islice(others, len(elements)), fillvalue=ABSENT)
        return cls(((None, *pair) for pair in pairs), len(elements), "]", comma)


def _scalar(value: object, like: object) -> str:
    if isinstance(value, int | float) and like is not ABSENT and equal(value, like):
        return compact(like)
    return compact(value)


def _open(value: object) -> str | None:
    """The opening bracket of a list or object that holds something; None for anything else."""
    if is_object(value):
        return "{" if value else None
    if is_array(value):
        return "[" if value else None
    return None
