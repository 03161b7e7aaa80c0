"""JSON text to values, strictly."""

from __future__ import annotations

import json
import re
from math import isinf
from typing import Final, NoReturn

from assay.jsonvalue.kinds import is_array, is_object

MAX_DEPTH: Final = 200
"""Objects and arrays inside each other, in what comes from outside."""

LINE_DEPTH: Final = 300
"""The same for lines that assay wrote: such a value with its surroundings."""

MAX_DIGITS: Final = 100_000
"""Digits of an integer: reading and writing one takes more than linear time."""

_CHUNK = 600  # Digits that the interpreter turns into a number whatever its limit is set to.
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"\[\]{},:]+', re.DOTALL)


class JsonError(ValueError):
    """A text is not JSON.

    Args:
        reason: What is wrong.
        text: The text.
        position: Where in it, from 0; None when that is not known.
    """

    def __init__(self, reason: str, text: str = "", position: int | None = None) -> None:
        self.reason = reason
        self.position = position
        self.line: int | None = None
        """From 1."""
        self.column: int | None = None
        """From 1, in its line."""
        where = ""
        if position is not None:
            # What is missing at the end is missing before the last newline.
            position = min(position, len(text.rstrip()))
            self.line = text.count("\n", 0, position) + 1
            self.column = position - text.rfind("\n", 0, position)
            several = "\n" in text.strip()
            where = f"line {self.line} " * several + f"column {self.column}: "
        super().__init__(where + reason)


class FlawError(ValueError):
    """Why there is no JSON at a place of a text: an error that costs no look at the text.

    Args:
        reason: What is wrong.
        position: Where, from 0; None when that is not known.
    """

    def __init__(self, reason: str, position: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class _TokenError(ValueError):
    """A scalar that is refused; which one it was in the text is looked up afterwards."""

    def __init__(self, token: str, reason: str) -> None:
        super().__init__(reason)
        self.token = token


def loads(text: str, *, max_depth: int = MAX_DEPTH) -> object:
    """Read JSON text, as RFC 8259 has it.

    ``NaN`` and ``Infinity`` are no JSON, nor is a number too large for a double. Integers keep
    all their digits. Of a key that stands twice the last one counts.

    Args:
        text: The whole text; white space around the value is fine.
        max_depth: How deep objects and arrays may be nested.

    Raises:
        JsonError: It is not JSON, is nested too deeply, or has an integer of more than
            ``MAX_DIGITS`` digits. A ``ValueError`` with ``reason``, ``line`` and ``column``.
    """
    try:
        value, end = _decode(text, 0 if text.startswith("{") else _skip(text, 0))
        if end < len(text) and (end := _skip(text, end)) < len(text):
            raise FlawError("Extra data behind the value", end)
        _check_depth(value, text, max_depth)
    except FlawError as flaw:
        raise JsonError(flaw.reason, text, flaw.position) from None
    return value


def read_at(text: str, start: int) -> tuple[object, int]:
    """Read the JSON value that begins at ``start``, and tell where it ends.

    Raises:
        FlawError: There is none.
    """
    value, end = _decode(text, start)
    _check_depth(value, text[start:end], MAX_DEPTH)
    return value, end


def read_integer(digits: str) -> int:
    """Turn decimal digits, with or without a minus, into a number.

    Raises:
        ValueError: There are more than ``MAX_DIGITS``.
    """
    if len(digits) <= _CHUNK:
        return int(digits)
    if len(digits) > MAX_DIGITS:
        raise _TokenError(digits, f"An integer of more than {MAX_DIGITS} digits")
    if digits.startswith("-"):
        return -_join(digits[1:])
    return _join(digits)


def _join(digits: str) -> int:
    if len(digits) <= _CHUNK:
        return int(digits)
    half = len(digits) // 2
    shift: int = 10**half
    return _join(digits[:-half]) * shift + _join(digits[-half:])


def _read_float(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise _TokenError(digits, "A number too large for a double")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise _TokenError(name, f"{name} is not JSON")


# The interpreter's own conversion of integers is the quicker one, but has a limit of digits.
_QUICK = json.JSONDecoder(parse_float=_read_float, parse_constant=_refuse_constant)
_LONG = json.JSONDecoder(
    parse_float=_read_float, parse_constant=_refuse_constant, parse_int=read_integer
)


def _skip(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start


def _decode(text: str, start: int) -> tuple[object, int]:
    try:
        try:
            return _QUICK.raw_decode(text, start)
        except (json.JSONDecodeError, _TokenError):
            raise
        except ValueError:
            return _LONG.raw_decode(text, start)
    except json.JSONDecodeError as error:
        raise FlawError(error.msg, error.pos) from None
    except _TokenError as error:
        raise FlawError(str(error), _place(text, start, error.token)) from None
    except RecursionError:
        raise FlawError("Nested too deeply") from None


def _place(text: str, start: int, token: str) -> int | None:
    """Where a scalar stands: all before it was read, so strings can be told from the rest."""
    for match in _TOKEN.finditer(text, start):
        if match[0] == token:
            return match.start()
    return None


def _check_depth(value: object, text: str, max_depth: int) -> None:
    # Counting brackets costs next to nothing, and clears almost every text.
    if text.count("[") + text.count("{") <= max_depth:
        return
    level = [value]
    for _ in range(max_depth):
        level = _below(level)
        if not level:
            return
    raise FlawError(f"Nested more than {max_depth} levels deep")


def _below(level: list[object]) -> list[object]:
    """The objects and arrays one level further down."""
    found: list[object] = []
    for holder in level:
        items = holder.values() if is_object(holder) else holder if is_array(holder) else ()
        found += [item for item in items if isinstance(item, (dict, list))]
    return found
