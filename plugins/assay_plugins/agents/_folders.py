"""What resolvers share: an agent's id, and how files are read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay import ConfigError
from assay.roots import YAO_ROOT_FILES, application_root, is_root

if TYPE_CHECKING:
    from collections.abc import Mapping

_ASSISTANTS: Final = "assistants"


def agent_id(folder: Path) -> str:
    """Give the id of the agent that lives in a folder.

    It is the path below the ``assistants`` folder of the application root, with dots; without
    one the path below the last folder of that name; else the folder's name.
    """
    for root in (folder, *folder.parents):
        home = root / _ASSISTANTS
        if folder != home and folder.is_relative_to(home) and is_root(root):
            return ".".join(folder.relative_to(home).parts)
    # The agent's own ``assay.toml`` makes its folder a root, which says nothing of its id.
    application = application_root(folder, YAO_ROOT_FILES)
    parts = folder.parts if application is None else folder.relative_to(application).parts
    if _ASSISTANTS in parts[:-1]:
        start = len(parts) - parts[-2::-1].index(_ASSISTANTS) - 1
        return ".".join(parts[start:])
    return folder.name


def read_text(path: Path) -> str:
    """Read a settings file.

    Raises:
        ConfigError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as exc:
        raise ConfigError(f"{shown(path)}: cannot be read: {exc.strerror or exc}") from exc
    except UnicodeDecodeError as exc:
        line = exc.object.count(b"\n", 0, exc.start) + 1
        raise ConfigError(f"{shown(path)}:{line}: not UTF-8; save the file as UTF-8") from exc


def text_of(table: Mapping[str, object], key: str, place: str) -> str | None:
    """Give a text of a table, or None when the key is absent or null.

    Args:
        table: The table.
        key: Which text.
        place: The file (and the table in it), for messages.

    Raises:
        ConfigError: The value is not a text.
    """
    value = table.get(key)
    if value is None or isinstance(value, str):
        return value
    raise ConfigError(f"{place} {key}: must be text, not {type(value).__name__}; put it in quotes")


def shown(path: Path) -> str:
    """Name a file as a user would: from the working directory, if it lies below it."""
    cwd = Path(os.path.realpath("."))
    return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)
