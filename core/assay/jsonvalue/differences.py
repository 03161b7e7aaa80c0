"""Where two JSON values differ, and how to say it."""

from __future__ import annotations

from attrs import frozen

from assay.absent import ABSENT
from assay.jsonvalue.equality import equal
from assay.jsonvalue.kinds import is_array, is_object
from assay.jsonvalue.paths import Place, render
from assay.jsonvalue.text import compact

_LONGEST_VALUE = 60
_LONGEST_PATH = 120
_CONTEXT = 12
"""Characters of common text shown before the place where two long texts part."""


@frozen(kw_only=True)
class Difference:
    """A place where two values differ."""

    path: str
    """As RFC 9535 writes it: ``$.items[2].price``."""
    expected: object
    """ABSENT: nothing should be there."""
    actual: object
    """ABSENT: nothing is there."""


def differences(expected: object, actual: object, limit: int = 5) -> tuple[Difference, ...]:
    """Find the first places where two values differ; none when they are equal.

    Keys are taken in the order of ``expected``, those that only ``actual`` has behind them.
    Arrays of different length are one difference, and their elements are compared as far as
    both go.

    Args:
        expected: A JSON value.
        actual: A JSON value.
        limit: How many at most.
    """
    found: list[Difference] = []
    todo: list[tuple[object, object, Place]] = [(expected, actual, None)]
    while todo and len(found) < limit:
        wanted, given, place = todo.pop()
        if is_object(wanted) and is_object(given):
            keys = list(dict.fromkeys((*wanted, *given)))
            todo += [
                (wanted.get(key, ABSENT), given.get(key, ABSENT), (place, key))
                for key in reversed(keys)
            ]
            continue
        same_shape = False
        if is_array(wanted) and is_array(given):
            shared = range(min(len(wanted), len(given)))
            todo += [(wanted[at], given[at], (place, at)) for at in reversed(shared)]
            same_shape = len(wanted) == len(given)
        if not same_shape and not equal(wanted, given):
            found.append(Difference(path=render(place), expected=wanted, actual=given))
    return tuple(found)


def describe(difference: Difference) -> str:
    """Say a difference in one line: ``$.items[2].price: expected 3, got 4``."""
    path, expected, actual = difference.path, difference.expected, difference.actual
    if len(path) > _LONGEST_PATH:
        path = "$…" + path[-_LONGEST_PATH:]
    if actual is ABSENT:
        return f"{path}: missing, expected {_short(expected)}"
    if expected is ABSENT:
        return f"{path}: not expected, got {_short(actual)}"
    if is_array(expected) and is_array(actual) and len(expected) != len(actual):
        noun = "element" if len(expected) == 1 else "elements"
        return f"{path}: expected {len(expected)} {noun}, got {len(actual)}"
    if isinstance(expected, str) and isinstance(actual, str):
        return f"{path}: {_texts(expected, actual)}"
    return f"{path}: expected {_short(expected)}, got {_short(actual)}"


def _short(value: object) -> str:
    if isinstance(value, str):
        return _cut(value, 0)
    text = compact(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


def _texts(expected: str, actual: str) -> str:
    common = _common(expected, actual)
    if max(len(expected), len(actual)) <= _LONGEST_VALUE or common <= _CONTEXT:
        return f"expected {_cut(expected, 0)}, got {_cut(actual, 0)}"
    start = common - _CONTEXT
    parted = f"(they differ from character {common + 1} on)"
    return f"expected {_cut(expected, start)}, got {_cut(actual, start)} {parted}"


def _cut(text: str, start: int) -> str:
    end = start + _LONGEST_VALUE
    before = "…" if start else ""
    behind = "…" if len(text) > end else ""
    return compact(f"{before}{text[start:end]}{behind}")


def _common(a: str, b: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
