"""JSON between words."""

from __future__ import annotations

import re
from typing import Final

from assay.jsonvalue.kinds import is_object
from assay.jsonvalue.read import FlawError, read_at

_START = re.compile(
    r"""
    \{ [ \t\r\n]*+ (?: \} | "(?:[^"\\\n]|\\.)*+" [ \t\r\n]*+ : )
    | \[ [ \t\r\n]*+ (?: ["{\[\]\-0-9] | true\b | false\b | null\b )
    """,
    re.VERBOSE,
)
"""What JSON between words begins with, so that most brackets of a text cost nothing."""

_BRACKETS = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[\[{]+|[\]}]+')

_MOST_TRIES: Final = 10_000
_WINDOW: Final = 65_536
"""Characters that may lie behind: errors of the JSON reader count the lines before them."""


def only_value(text: str) -> object | None:
    """Find the only object in a text, or its only array when it has no object.

    What begins like an object and is none, is passed over up to the bracket that closes it; a
    text in which that bracket is missing ends in the middle of JSON, and nothing in it counts.

    Returns:
        None when there is nothing, or more than one. Also for a text that would need more than
        10,000 tries, which no answer does.
    """
    objects: list[object] = []
    arrays: list[object] = []
    end = 0
    tries = 0
    while match := _START.search(text, end):
        start = match.start()
        tries += 1
        if tries > _MOST_TRIES:
            return None
        if start > _WINDOW:
            text, start = text[start:], 0
        try:
            value, end = read_at(text, start)
        except FlawError as flaw:
            behind = _behind(text, start, flaw.position)
            if behind is None:
                return None
            end = behind
            continue
        if is_object(value):
            objects.append(value)
        else:
            del arrays[1:]
            arrays.append(value)
        if len(objects) > 1:
            return None
    found = objects or arrays
    return found[0] if len(found) == 1 else None


def _behind(text: str, start: int, flaw: int | None) -> int | None:
    """Where to go on behind brackets that hold no JSON; None when they are never closed."""
    if flaw is not None and text[start] == "[" and "{" not in text[start:flaw]:
        # Words may hold a bracket: "the interval [0, 1)".
        return max(flaw, start + 1)
    depth = 0
    for match in _BRACKETS.finditer(text, start):
        run = match[0]
        if run[0] in "[{":
            depth += len(run)
        elif run[0] in "]}":
            if len(run) >= depth:
                return match.start() + depth
            depth -= len(run)
    return None
