"""What the loaders of files share: names of paths, and the suite of one file."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from assay import Suite
from assay_plugins._lines import read_lines


def absolute(source: str | Path, cwd: Path) -> Path:
    """Make a path absolute, without following links: users know it by this name."""
    return Path(os.path.normpath(cwd / source))


def key_of(source: str | Path, cwd: Path) -> str:
    """Name a path as reports do: from the working directory, with ``/``.

    A path that was given as absolute and lies outside the working directory stays absolute.
    """
    path = absolute(source, cwd)
    if path.is_relative_to(cwd):
        return path.relative_to(cwd).as_posix()
    if Path(source).is_absolute():
        return path.as_posix()
    return Path(os.path.relpath(path, cwd)).as_posix()


def file_suite(source: str | Path, cwd: Path) -> Suite:
    """Make the suite of a file of JSON lines."""
    path = absolute(source, cwd)
    key = key_of(source, cwd)
    return Suite(key=key, entries=partial(read_lines, path, key), path=path, folder=path.parent)
