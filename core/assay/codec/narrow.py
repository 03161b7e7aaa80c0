"""Takes values out of a JSON object that was read from a file, and says what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

from assay.codec.faults import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Line: TypeAlias = "Mapping[str, object]"


def as_object(value: object, name: str) -> Line:
    """Take a JSON object.

    Raises:
        ValueError: It is something else.
    """
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    raise _wrong(name, "an object", value)


def text(line: Line, key: str) -> str:
    """Take text that must be there."""
    value = line.get(key)
    if isinstance(value, str):
        return value
    raise _wrong(key, "text", value)


def text_or(line: Line, key: str, default: str) -> str:
    """Take text that may be missing."""
    return text(line, key) if key in line else default


def text_or_none(line: Line, key: str) -> str | None:
    """Take text that may be missing or null."""
    value = line.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _wrong(key, "text", value)


def texts(line: Line, key: str) -> tuple[str, ...]:
    """Take a list of texts that may be missing."""
    values = objects(line, key)
    if all(isinstance(value, str) for value in values):
        return tuple(cast("Sequence[str]", values))
    raise _wrong(key, "a list of texts", values)


def integer(line: Line, key: str, default: int | None = None) -> int:
    """Take a whole number; one that must be there when there is no default."""
    value = line.get(key, default)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _wrong(key, "a whole number", value)


def integer_or_none(line: Line, key: str) -> int | None:
    """Take a whole number that may be missing or null."""
    return None if line.get(key) is None else integer(line, key)


def number(line: Line, key: str) -> float:
    """Take a number that must be there."""
    value = line.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise _wrong(key, "a number", value)


def number_or_none(line: Line, key: str) -> float | None:
    """Take a number that may be missing or null."""
    return None if line.get(key) is None else number(line, key)


def flag(line: Line, key: str, *, default: bool = False) -> bool:
    """Take a boolean that may be missing."""
    value = line.get(key, default)
    if isinstance(value, bool):
        return value
    raise _wrong(key, "true or false", value)


def objects(line: Line, key: str) -> Sequence[object]:
    """Take a list of any values that may be missing."""
    value = line.get(key)
    if value is None:
        return ()
    if isinstance(value, list):
        return cast("list[object]", value)
    raise _wrong(key, "a list", value)


def tables(line: Line, key: str) -> tuple[Line, ...]:
    """Take a list of objects that may be missing."""
    return tuple([as_object(value, key) for value in objects(line, key)])


def table(line: Line, key: str) -> Line:
    """Take an object that may be missing: empty then."""
    value = line.get(key)
    return {} if value is None else as_object(value, key)


def _wrong(name: str, wanted: str, value: object) -> ValueError:
    return ValueError(f"{name}: expected {wanted}, got {kind_of(value)}")
