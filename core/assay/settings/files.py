"""``assay.toml`` and ``[tool.assay]`` of ``pyproject.toml``, from a folder upwards."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, cast

from attrs import define, field

from assay.errors import ConfigError
from assay.settings.sections import SettingsFile, check_sections

if TYPE_CHECKING:
    from collections.abc import Iterator


@define(eq=False)
class SettingsFiles:
    """All settings files of a run. Each is read once, when a folder below it is first asked for.

    From a folder, every folder upwards to the root of the file system is looked at, or up to one
    whose file says ``root = true``. In one folder, ``assay.toml`` goes before ``pyproject.toml``.

    Args:
        cwd: The working directory: relative folders are relative to it, and messages name files
            as seen from it.
    """

    cwd: Path = field(factory=Path.cwd)
    _above: dict[Path, tuple[SettingsFile, ...]] = field(
        factory=dict[Path, tuple[SettingsFile, ...]], init=False
    )

    def above(self, folder: Path) -> tuple[SettingsFile, ...]:
        """Give the files that hold for a folder, nearest first.

        Raises:
            ConfigError: A file cannot be read, is no TOML, or says what nobody knows.
        """
        # Not resolved: links are followed upwards the way that the user named.
        start = Path(os.path.abspath(self.cwd / folder))  # noqa: PTH100 - absolute() keeps ".."
        below: list[Path] = []
        files: tuple[SettingsFile, ...] = ()
        for place in (start, *start.parents):
            if place in self._above:
                files = self._above[place]
                break
            below.append(place)
        for place in reversed(below):
            own = tuple(self._read(place))
            files = own if any(file.is_root for file in own) else (*own, *files)
            self._above[place] = files
        return files

    def _read(self, folder: Path) -> Iterator[SettingsFile]:
        path = folder / "assay.toml"
        tables = _load(path, self._name(path))
        if tables is not None:
            yield check_sections(path, self._name(path), "", tables)
        path = folder / "pyproject.toml"
        tables = _load(path, self._name(path), mentioning=b"assay")
        tool = (tables or {}).get("tool")
        own = cast("dict[str, object]", tool).get("assay") if isinstance(tool, dict) else None
        if own is not None:
            yield check_sections(path, self._name(path), "tool.assay.", own)

    def _name(self, path: Path) -> str:
        return str(path.relative_to(self.cwd) if path.is_relative_to(self.cwd) else path)


def _load(path: Path, name: str, mentioning: bytes = b"") -> dict[str, object] | None:
    """Read a TOML file; None when there is none, or it does not mention what is looked for.

    Raises:
        ConfigError: It cannot be read.
    """
    # False also for a folder that may not be looked into, and for a pipe, which would block.
    if not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where it may not look
        return None
    import tomllib

    try:
        data = path.read_bytes()
        return tomllib.loads(data.decode("utf-8-sig")) if mentioning in data else None
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{name}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except ValueError as error:
        raise ConfigError(f"{_place(name, str(error))}; correct the TOML there") from error
    except RecursionError as error:
        raise ConfigError(f"{name}: nested too deeply; write it flatter") from error


def _place(name: str, message: str) -> str:
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if match is None:
        return f"{name}: {message}"
    return f"{name}:{match[2]}: {match[1]} (column {match[3]})"
