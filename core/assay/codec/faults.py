"""Faults of what a user wrote: where, what, and how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.escape import terminal
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.model.case import Where


LONGEST_FAULT = 2000
"""Characters of a fault that are told."""


@frozen(kw_only=True)
class Fault:
    """One thing that is wrong, at one place."""

    where: Where
    field: str
    """The path of the field (``assert[0].value``); empty for the whole line."""
    what: str
    mend: str = ""

    def __str__(self) -> str:
        place = f"{self.where} {self.field}" if self.field else str(self.where)
        line = f"{place}: {self.what}; {self.mend}" if self.mend else f"{place}: {self.what}"
        if len(line) > LONGEST_FAULT:
            line = f"{line[: LONGEST_FAULT - 1]}…"
        # A key or a value of the file may hold newlines and worse.
        return terminal(line, keep_newlines=False)


class Wrong(ValueError):  # noqa: N818 - read as "raise Wrong(what, mend)"
    """A value is wrong; becomes a fault where its place is known."""

    def __init__(self, what: str, mend: str = "") -> None:
        super().__init__(f"{what}; {mend}" if mend else what)
        self.what = what
        self.mend = mend


class WrongParts(ValueError):  # noqa: N818 - the plural of Wrong
    """Several parts of a value are wrong, each at its own path below it."""

    def __init__(self, parts: Sequence[tuple[str, Wrong]]) -> None:
        super().__init__("; ".join(f"{path}: {wrong}" for path, wrong in parts))
        self.parts = tuple(parts)


def wrongs(
    error: BaseException, path: str, keys: dict[type, Sequence[str]]
) -> Iterator[tuple[str, Wrong]]:
    """Flatten what structuring raised into paths and what is wrong there.

    Args:
        error: What a converter of ``assay.codec.converter`` raised.
        path: The path of the value that was structured.
        keys: The JSON keys of each attrs class, for did-you-mean.
    """
    from cattrs.errors import (
        ClassValidationError,
        ForbiddenExtraKeysError,
        IterableValidationError,
    )

    if isinstance(error, WrongParts):
        for below, wrong in error.parts:
            yield join(path, below), wrong
    elif isinstance(error, Wrong):
        yield path, error
    elif isinstance(error, ClassValidationError):
        named, others = error.group_exceptions()
        for inner, note in named:
            yield from wrongs(inner, join(path, note.name.rstrip("_")), keys)
        for inner in others:
            yield from wrongs(inner, path, keys)
    elif isinstance(error, IterableValidationError):
        listed, others = error.group_exceptions()
        for inner, item in listed:
            yield from wrongs(inner, f"{path}[{item.index}]", keys)
        for inner in others:
            yield from wrongs(inner, path, keys)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = keys.get(error.cl, ())
        for key in sorted(error.extra_fields):
            yield join(path, key), Wrong("unknown field", hint(key, known))
    elif isinstance(error, KeyError):
        yield path, Wrong("missing", "add it")
    else:
        what, _, mend = str(error).partition("; ")
        yield path, Wrong(what or type(error).__name__, mend)


def join(path: str, below: str) -> str:
    """Put a path below another one."""
    if not path or not below or below.startswith("["):
        return path + below
    return f"{path}.{below}"


def kind_of(value: object) -> str:
    """Name a JSON value's type for a person."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "a string"
    if isinstance(value, (int, float)):
        return "a number"
    if isinstance(value, (list, tuple)):
        return "a list"
    return "an object"
