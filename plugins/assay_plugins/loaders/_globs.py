"""Matching paths by a pattern, without being caught in a loop of links as ``glob`` is."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from assay_plugins.loaders._walk import folders_below

if TYPE_CHECKING:
    from collections.abc import Iterator

_RECURSIVE = "**"
_LONGEST_PART = 1000


def has_wildcard(text: str) -> bool:
    """Whether a text holds a wildcard: ``*``, ``?`` or ``[``."""
    return any(mark in text for mark in "*?[")


def fixed_part(pattern: Path) -> Path:
    """Give the leading part of a pattern that has no wildcard."""
    parts: list[str] = []
    for part in pattern.parts:
        if has_wildcard(part):
            break
        parts.append(part)
    return Path(*parts)


def matches(pattern: Path) -> Iterator[Path]:
    """Give the paths that match an absolute pattern, sorted within each folder.

    ``**`` as a whole part stands for any number of folders. A wildcard matches no hidden name
    unless the part itself begins with a dot.
    """
    start = fixed_part(pattern)
    yield from _below(start, pattern.parts[len(start.parts) :])


def _below(folder: Path, parts: tuple[str, ...]) -> Iterator[Path]:
    if not parts:
        # Not Path.exists and Path.is_dir: they raise on names that no file can have.
        if os.path.exists(folder):  # noqa: PTH110
            yield folder
        return
    first, rest = parts[0], parts[1:]
    if first == _RECURSIVE:
        while rest and rest[0] == _RECURSIVE:
            rest = rest[1:]
        if os.path.isdir(folder):  # noqa: PTH112
            for inner in folders_below(folder):
                yield from _below(inner, rest)
    elif has_wildcard(first):
        # A message may look like a pattern, which takes quadratic time to read.
        for name in _names(folder) if len(first) <= _LONGEST_PART else ():
            if fnmatchcase(name, first) and (first.startswith(".") or not name.startswith(".")):
                yield from _below(folder / name, rest)
    else:
        yield from _below(folder / first, rest)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except (OSError, ValueError):
        return []
