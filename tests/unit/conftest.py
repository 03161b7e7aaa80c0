"""Fixtures of several areas."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@frozen
class Site:
    """A folder on the import path, into which made-up distributions are installed."""

    folder: Path

    @property
    def path(self) -> list[str]:
        """For ``make_plugins(path=…)``: this folder alone."""
        return [str(self.folder)]

    def install(
        self,
        distribution: str,
        entry_points: Mapping[str, str] | str,
        modules: Mapping[str, str] | None = None,
        *,
        version: str = "1.0",
        suffix: str = "dist-info",
    ) -> None:
        """Install a distribution.

        Args:
            distribution: Its name as its folder has it.
            entry_points: Of the group ``assay``: names and targets; or the text of the file.
            modules: Source texts by module name.
            version: Left out of the folder's name when it is empty.
            suffix: Of the folder's name.
        """
        stem = f"{distribution}-{version}" if version else distribution
        info = self.folder / f"{stem}.{suffix}"
        info.mkdir(parents=True)
        if not isinstance(entry_points, str):
            lines = [f"{name} = {target}" for name, target in entry_points.items()]
            entry_points = "\n".join(["[assay]", *lines, ""])
        (info / "entry_points.txt").write_text(entry_points, encoding="utf-8")
        for module, source in (modules or {}).items():
            (self.folder / f"{module}.py").write_text(source, encoding="utf-8")
        importlib.invalidate_caches()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """An empty folder on the import path; what was imported from it is forgotten afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    before = set(sys.modules)
    yield Site(folder)
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(folder):
            del sys.modules[name]
