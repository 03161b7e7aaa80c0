"""JSON with comments and trailing commas, as editors and Yao write it."""

from __future__ import annotations

import re
from typing import Final

from assay.jsonvalue import JsonError
from assay.jsonvalue import loads as loads_json

# A string that is not closed ends with its line, so that the decoder names its place.
_STRING: Final = r'"(?:[^"\\\n]|\\.)*+"?'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*|/\*(?:.*?\*/)?", re.DOTALL)
# A comma that follows no value is left to the decoder, which names it as a fault.
_COMMA: Final = re.compile(rf"{_STRING}|[\[{{:,][ \t\r\n]*+,|,(?=[ \t\r\n]*+[\]}}])")
_NOT_SPACE: Final = re.compile(r"[^\r\n]")


class JsoncError(ValueError):
    """A text is not JSON with comments.

    Args:
        message: What is wrong.
        line: Where, from 1; None when it is not known.
        column: Where in the line, from 1.
    """

    def __init__(self, message: str, line: int | None = None, column: int | None = None) -> None:
        place = "" if line is None else f"line {line}, column {column}: "
        super().__init__(f"{place}{message}")
        self.message = message
        self.line = line
        self.column = column


def loads(text: str) -> object:
    """Read JSON that may hold ``//`` and ``/* */`` comments and commas after the last value.

    Comments and such commas become spaces, so that errors keep their places.

    Raises:
        JsoncError: The text is something else.
    """
    plain = _COMMA.sub(_without_comma, _COMMENT.sub(_without_comment, text))
    try:
        return loads_json(plain)
    except JsonError as exc:
        # The place stands in front, and "at" would point to what follows.
        reason = exc.reason.removesuffix(" starting at").removesuffix(" at")
        raise JsoncError(reason, exc.line, exc.column) from exc


def _without_comment(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith('"'):
        return found
    if found == "/*":
        start = match.start()
        line_start = match.string.rfind("\n", 0, start) + 1
        line = match.string.count("\n", 0, start) + 1
        raise JsoncError("a comment is never closed", line, start - line_start + 1)
    return _NOT_SPACE.sub(" ", found)


def _without_comma(match: re.Match[str]) -> str:
    return " " if match[0] == "," else match[0]
