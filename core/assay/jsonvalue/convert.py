"""Python values that others hand over, as JSON values."""

from __future__ import annotations

from math import isfinite

from assay.jsonvalue.kinds import is_array, is_object
from assay.jsonvalue.paths import Place, render
from assay.jsonvalue.read import MAX_DEPTH, MAX_DIGITS

_MAX_BITS = int(MAX_DIGITS * 3.32192)
"""An integer of so many bits has at most as many digits as can be read back."""


def to_json_value(value: object) -> object:
    """Copy a value as JSON: of dicts with text as keys, lists, and scalars.

    Tuples become lists, subclasses (of an ``Enum`` that is text, say) their plain values.

    Raises:
        TypeError: Something in it is no JSON value; the message names its path. Also ``nan``,
            the infinities, integers too long to be read back (``MAX_DIGITS``), and nesting of
            more than ``MAX_DEPTH`` levels, as in a value that holds itself.
    """
    return _copy(value, None, 0)


def is_json(value: object) -> bool:
    """Whether ``to_json_value`` takes a value."""
    try:
        to_json_value(value)
    except TypeError:
        return False
    return True


def _copy(value: object, place: Place, depth: int) -> object:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise TypeError(f"{render(place)}: an integer of more than {MAX_DIGITS} digits")
        return int.__int__(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise TypeError(f"{render(place)}: {float(value)} is not a JSON value")
        return float.__float__(value)
    if depth == MAX_DEPTH:
        raise TypeError(f"$: nested more than {MAX_DEPTH} levels deep")
    if is_object(value):
        return {
            _key(key, place): _copy(item, (place, key), depth + 1) for key, item in value.items()
        }
    if is_array(value):
        return [_copy(item, (place, number), depth + 1) for number, item in enumerate(value)]
    raise TypeError(f"{render(place)}: {type(value).__name__} is not a JSON value")


def _key(key: object, place: Place) -> str:
    if not isinstance(key, str):
        raise TypeError(f"{render(place)}: the key {key!r:.80} is not text")
    return str.__str__(key)
