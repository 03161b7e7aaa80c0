"""JSON equality, sub-structures, and all values inside a value."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

from assay.jsonvalue.kinds import is_array, is_container, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Pair: TypeAlias = tuple[object, object]

_EXACT = 2.0**53
"""Up to here floats without fraction are integers, digit by digit."""

_LARGEST_BITS = 1024
"""Of an integer that a double can come near to."""


def equal(a: object, b: object) -> bool:
    """Whether two values are the same JSON.

    ``1`` equals ``1.0``, ``true`` never equals ``1``, objects in any key order, arrays in
    order; tuples count as arrays. Integers are compared with all their digits; a float beyond
    them is the number that its shortest text says (``1e23`` equals a one with 23 zeros).
    """
    return _agree(a, b, exact=True)


def includes(haystack: object, needle: object) -> bool:
    """Whether a value has everything that ``needle`` has, at the same place.

    An object includes another when it has each of its keys, with a value that includes the
    other's. Arrays must be of one length, and include each other element by element.
    Everything else must be equal.
    """
    return _agree(haystack, needle, exact=False)


def walk(value: object) -> Iterator[object]:
    """Iterate over a value and all values inside it, each before those that it holds."""
    stack = [value]
    while stack:
        item = stack.pop()
        yield item
        if is_object(item):
            stack.extend(reversed(item.values()))
        elif is_array(item):
            stack.extend(reversed(item))


def _agree(a: object, b: object, *, exact: bool) -> bool:
    # A list of what is still to be compared, instead of recursion: nesting may be deep.
    todo: list[_Pair] = [(a, b)]
    while todo:
        a, b = todo.pop()
        if is_object(a):
            if not is_object(b) or len(a) < len(b) or (exact and len(a) > len(b)):
                return False
            for key, value in b.items():
                if key not in a or not _agree_now(a[key], value, todo.append):
                    return False
        elif is_array(a):
            if not is_array(b) or len(a) != len(b):
                return False
            for item, value in zip(a, b, strict=True):
                if not _agree_now(item, value, todo.append):
                    return False
        elif not _scalars_agree(a, b):
            return False
    return True


def _agree_now(a: object, b: object, later: Callable[[_Pair], None]) -> bool:
    """Compare scalars at once; put objects and arrays off."""
    if is_container(a):
        if a is not b:
            later((a, b))
        return True
    return _scalars_agree(a, b)


def _scalars_agree(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int) and isinstance(b, float):
        return _numbers_agree(a, b)
    if isinstance(a, float) and isinstance(b, int):
        return _numbers_agree(b, a)
    # The second: nan is the same as nan here, or a value would differ from itself.
    return a == b or (a != a and b != b)


def _numbers_agree(a: int, b: float) -> bool:
    if -_EXACT <= b <= _EXACT:
        return a == b
    if not isfinite(b) or a.bit_length() > _LARGEST_BITS:
        return False
    from decimal import Decimal

    return Decimal(float.__repr__(b)) == a
