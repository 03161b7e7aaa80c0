"""JSON values to text: compact, canonical, and as report lines have it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import Final, TypeAlias

from attrs import frozen

from assay.jsonvalue.kinds import is_array, is_container, is_object

_COMPACT: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
_SORTED: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
).encode
_LINE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_INDENTED: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=2).encode

_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Beside these: C1 controls, line and paragraph separators, and what turns the direction of
# text. Raw, they would steer a terminal, or end a line for readers that know more than "\n".
_UNSAFE = re.compile(r"[\ud800-\udfff\x80-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_FLOAT = re.compile(r"\d[.e]")


@frozen
class _Style:
    comma: str = ","
    colon: str = ":"
    canonical: bool = False


def compact(value: object) -> str:
    """Write compact JSON text: keys in their own order, non-ASCII as it is.

    Lone surrogates stay escaped, so that the text can be written as UTF-8. ``nan`` and the
    infinities, which JSON does not know, become ``null``.

    Raises:
        TypeError: It is no JSON value.
    """
    try:
        text = _COMPACT(value)
    except (ValueError, RecursionError):
        text = _write(value, _Style())
    return text if text.isascii() else _SURROGATE.sub(_escape, text)


def canonical(value: object) -> str:
    """Write the text that equal values share: keys sorted, ``1.0`` as ``1``.

    For comparing and hashing. A float without fraction is written with the digits of its
    shortest form (``1e23`` is a one with 23 zeros); ``nan`` and the infinities by their names.

    Raises:
        TypeError: It is no JSON value.
    """
    try:
        text = _SORTED(value)
        if _FLOAT.search(text):
            text = _write(value, _Style(canonical=True))
    except (ValueError, RecursionError):
        text = _write(value, _Style(canonical=True))
    return text if text.isascii() else _SURROGATE.sub(_escape, text)


def dumps(value: object) -> str:
    """Write a value as one line of a report.

    As ``json.dumps`` writes it, with non-ASCII as it is, but for characters that would steer a
    terminal or break the line, which stay escaped. Never fails for JSON values, whatever
    their depth and digits; ``nan`` and the infinities become ``null``.

    Raises:
        TypeError: It is no JSON value.
    """
    try:
        text = _LINE(value)
    except (ValueError, RecursionError):
        text = _write(value, _Style(comma=", ", colon=": "))
    return text if text.isascii() else _UNSAFE.sub(_escape, text)


def indented(value: object) -> str:
    """Write a value for people: a line per element, indented by two spaces a level.

    Otherwise as ``dumps`` does it. What is too deep for that is written on one line.

    Raises:
        TypeError: It is no JSON value.
    """
    try:
        text = _INDENTED(value)
    except (ValueError, RecursionError):
        return dumps(value)
    return text if text.isascii() else _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


@frozen
class _Nested:
    """An object or array inside another, still to be written."""

    holder: object


_Pieces: TypeAlias = Iterator[str | _Nested]


def _write(value: object, style: _Style) -> str:
    """Write any value, slowly: without recursion, and with all digits."""
    parts: list[str] = []
    stack: list[tuple[int, _Pieces]] = [(0, iter((_Nested(value),)))]
    # A value that holds itself would never end.
    open_ids: set[int] = set()
    while stack:
        mark, pieces = stack[-1]
        for piece in pieces:
            if isinstance(piece, str):
                parts.append(piece)
                continue
            mark = id(piece.holder)
            if mark in open_ids:
                raise ValueError("a value that holds itself is no JSON value")
            open_ids.add(mark)
            stack.append((mark, _pieces(piece.holder, style)))
            break
        else:
            stack.pop()
            open_ids.discard(mark)
    return "".join(parts)


def _pieces(value: object, style: _Style) -> _Pieces:
    if is_object(value):
        yield "{"
        keys = sorted(value) if style.canonical else value
        for number, key in enumerate(keys):
            yield (style.comma if number else "") + _COMPACT(key) + style.colon
            item = value[key]
            yield _Nested(item) if is_container(item) else _scalar(item, style)
        yield "}"
    elif is_array(value):
        yield "["
        for number, item in enumerate(value):
            if number:
                yield style.comma
            yield _Nested(item) if is_container(item) else _scalar(item, style)
        yield "]"
    else:
        yield _scalar(value, style)


def _scalar(value: object, style: _Style) -> str:
    if isinstance(value, float):
        return _float(value, style)
    if isinstance(value, int) and not isinstance(value, bool):
        return _integer(value)
    return _COMPACT(value)


def _float(value: float, style: _Style) -> str:
    if not isfinite(value):
        name = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[repr(float(value))]
        return name if style.canonical else "null"
    text = float.__repr__(value)
    if not style.canonical or not value.is_integer():
        return text
    if "e" in text:
        from decimal import Decimal

        return format(Decimal(text), "f")
    return "0" if value == 0 else text.removesuffix(".0")


def _integer(value: int) -> str:
    try:
        return int.__repr__(value)
    except ValueError:
        # More digits than the interpreter converts, to be safe from its quadratic time.
        return _long_integer(value)


def _long_integer(value: int) -> str:
    """Write an integer by halves, added up as decimals, whose multiplication is quick."""
    from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, localcontext

    powers: dict[int, Decimal] = {}

    def convert(number: int, bits: int) -> Decimal:
        if bits <= 2000:
            return Decimal(number)
        half = bits // 2
        if half not in powers:
            powers[half] = Decimal(2) ** half
        high = number >> half
        return convert(number - (high << half), half) + convert(high, bits - half) * powers[half]

    with localcontext(Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])):
        text = format(convert(abs(value), value.bit_length()), "f")
    return f"-{text}" if value < 0 else text
