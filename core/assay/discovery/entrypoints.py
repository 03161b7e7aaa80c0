"""Reads the entry points of what is installed.

``importlib.metadata`` does this too, and costs more at start-up than all else together; the
rules are its own: each distribution once, the first on the path wins.
"""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from assay.discovery.records import Offer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GROUP = "assay"

_SUFFIXES = (".dist-info", ".egg-info")
_FILES = ("entry_points.txt", "METADATA", "PKG-INFO")
_DISTRIBUTION = re.compile(r"[a-z0-9]([a-z0-9._]*[a-z0-9])?", re.ASCII | re.IGNORECASE)


class _Info(NamedTuple):
    """The metadata of a distribution: a folder, a file of old, or a folder in a zip file."""

    folder: str
    """Its name, not its path."""
    read: Callable[[str], bytes | None]
    """Gives a file of it; None when there is no such file, or it cannot be read."""

    @property
    def distribution(self) -> str:
        name = self.folder.rpartition(".")[0].partition("-")[0]
        # A folder that begins with "~" is what an interrupted pip left behind.
        return normalise(name) if _DISTRIBUTION.fullmatch(name) else ""

    @property
    def version(self) -> str:
        parts = self.folder.rpartition(".")[0].split("-")
        return parts[1] if len(parts) > 1 else self._stated_version()

    def _stated_version(self) -> str:
        metadata = self.read("METADATA") or self.read("PKG-INFO") or b""
        stated = re.search(rb"^Version:[ \t]*(\S+)", metadata, re.MULTILINE)
        return stated[1].decode("utf-8", "replace") if stated else ""


def normalise(distribution: str) -> str:
    """Bring the name of a distribution to its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def read_offers(path: Iterable[str] | None = None) -> Iterator[Offer]:
    """Read all entry points of the group ``assay``. Imports nothing.

    Args:
        path: Where to look; ``sys.path`` by default.
    """
    seen = set[str]()
    for root in dict.fromkeys(sys.path if path is None else path):
        infos = dict[str, list[_Info]]()
        for info in _infos(root):
            infos.setdefault(info.distribution, []).append(info)
        for distribution in sorted(infos.keys() - seen - {""}):
            seen.add(distribution)
            info = _valid(infos[distribution])
            text = info.read("entry_points.txt")
            if text is not None and b"[" + GROUP.encode() + b"]" in text:
                version = info.version
                for name, target in _entries(text):
                    yield Offer(
                        name=name, target=target, distribution=distribution, version=version
                    )


def _infos(root: str) -> Iterator[_Info]:
    try:
        with os.scandir(root or os.curdir) as children:
            folders = sorted((child.name, child.path) for child in children)
    except NotADirectoryError:
        yield from _zipped(root)
        return
    except (OSError, ValueError):
        return
    for name, folder in folders:
        if name.endswith(_SUFFIXES):
            yield _Info(name, partial(_read_file, folder))


def _read_file(folder: str, name: str) -> bytes | None:
    try:
        # A Path for each of some hundred files costs more than the reading.
        with open(f"{folder}{os.sep}{name}", "rb") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return None


def _zipped(root: str) -> Iterator[_Info]:
    """Look into a zip file on the path, as zipped applications are."""
    import zipfile

    found = dict[str, dict[str, bytes]]()
    try:
        with zipfile.ZipFile(root) as archive:
            for entry in archive.namelist():
                folder, _, name = entry.partition("/")
                if folder.endswith(_SUFFIXES) and name in _FILES:
                    found.setdefault(folder, {})[name] = archive.read(entry)
    except (OSError, RuntimeError, zipfile.BadZipFile):
        return
    for folder in sorted(found):
        yield _Info(folder, found[folder].get)


def _valid(infos: list[_Info]) -> _Info:
    """Choose among folders of one distribution: an upgrade can leave an empty one behind."""
    if len(infos) > 1:
        for info in infos:
            if info.read("METADATA") or info.read("PKG-INFO"):
                return info
    return infos[0]


def _entries(data: bytes) -> Iterator[tuple[str, str]]:
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return
    section = ""
    for line in map(str.strip, lines):
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif section == GROUP and line and not line.startswith(("#", ";")):
            name, _, target = line.partition("=")
            yield name.strip(), target.strip()
