"""Walking folders: hidden ones and installed packages left out, each folder visited once."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

from assay import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SKIPPED = frozenset({"node_modules", "__pycache__"})


def folders_below(start: Path, *, mark: str = "") -> Iterator[Path]:
    """Give a folder and all folders below it, each once, under its own name before a link's.

    Links to folders elsewhere are followed; links to a folder that is above them, or that was
    already given, are not, so that no loop of links can hold the walk. Hidden folders,
    ``node_modules``, ``__pycache__`` and virtual environments are left out.

    Args:
        start: Where to begin.
        mark: A name that says something of all folders below it: a folder is given a second time
            when a link leads to it below a folder of this name.

    Raises:
        ConfigError: ``start`` cannot be read. Folders below it that cannot be are left out.
    """
    visited: set[tuple[int, int, bool]] = set()
    links: deque[Path] = deque()
    waiting = [start]
    while waiting or links:
        if not waiting:
            link = links.popleft()
            if not _leads_upwards(link):
                waiting.append(link)
            continue
        folder = waiting.pop()
        try:
            status = folder.stat()
            identity = (status.st_dev, status.st_ino, mark in folder.parts)
            if identity in visited:
                continue
            visited.add(identity)
            real, linked = _subfolders(folder)
        except OSError as exc:
            if folder == start:
                raise ConfigError(f"{folder}: cannot be read: {exc.strerror or exc}") from exc
            continue
        yield folder
        waiting.extend(reversed(real))
        links.extend(linked)


def files_in(folder: Path) -> list[str]:
    """Give the names of the visible files in a folder, sorted; none when it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(e.name for e in entries if not e.name.startswith(".") and e.is_file())
    except OSError:
        return []


def _subfolders(folder: Path) -> tuple[list[Path], list[Path]]:
    """Give the folders in a folder to walk into, real ones and links, each sorted."""
    with os.scandir(folder) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    inner = [e for e in entries if not _is_left_out(e.name) and e.is_dir()]
    inner = [e for e in inner if not (folder / e.name / "pyvenv.cfg").exists()]
    real = [folder / e.name for e in inner if not e.is_symlink()]
    return real, [folder / e.name for e in inner if e.is_symlink()]


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED


def _leads_upwards(link: Path) -> bool:
    return link.parent.resolve().is_relative_to(link.resolve())
