"""Application roots: where scripts and agents are looked for, and which files they may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

YAO_ROOT_FILES: Final = ("app.yao", "app.json", "app.jsonc")
"""Any of these makes a folder the root of a Yao application."""

ROOT_FILES: Final = (*YAO_ROOT_FILES, "assay.toml")
"""Any of these makes a folder an application root."""


def application_root(folder: Path, files: Sequence[str] = ROOT_FILES) -> Path | None:
    """Give the nearest folder upwards, this one included, that is an application root.

    Args:
        folder: Where to begin.
        files: What makes a folder a root.

    Returns:
        The folder, or None when there is none.
    """
    for candidate in (folder, *folder.parents):
        if is_root(candidate, files):
            return candidate
    return None


def is_root(folder: Path, files: Sequence[str] = ROOT_FILES) -> bool:
    """Whether a folder is an application root."""
    return any((folder / name).is_file() for name in files)
