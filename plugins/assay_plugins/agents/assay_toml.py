"""The ``assay_toml`` resolver: what an ``[agent]`` table says of its folder."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from assay import AgentClue, ConfigError, hookimpl
from assay.jsonvalue import is_object
from assay.roots import application_root
from assay.suggest import hint
from assay_plugins.agents._folders import agent_id, read_text, shown, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_KEYS: Final = ("name", "description", "transport", "target", "connector")
_PLACE: Final = re.compile(r" \(at line (\d+), column (\d+)\)$")


@hookimpl
def assay_describe_folder(folder: Path) -> AgentClue | None:
    """Describe a folder by ``[agent]`` of ``assay.toml``, or ``[tool.assay.agent]``.

    The latter stands in ``pyproject.toml``, and counts where ``assay.toml`` has no such table.

    Raises:
        ConfigError: A file is broken.
    """
    file = folder / "assay.toml"
    if file.is_file():
        table = _table(_parse(read_text(file), shown(file)), ("agent",), shown(file))
        if table is not None:
            return _clue(folder, table, shown(file), "agent")
    file = folder / "pyproject.toml"
    if file.is_file():
        text = read_text(file)
        # Most such files are none of ours: they are not parsed, and may be broken.
        if "assay" in text:
            keys = ("tool", "assay", "agent")
            table = _table(_parse(text, shown(file)), keys, shown(file))
            if table is not None:
                return _clue(folder, table, shown(file), ".".join(keys))
    return None


def _parse(text: str, place: str) -> Mapping[str, object]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        at = _PLACE.search(str(exc))
        where = f"{place}:{at[1]}:{at[2]}" if at else place
        what = _PLACE.sub("", str(exc))
        raise ConfigError(f"{where}: not TOML: {what}; mend the file") from exc
    except RecursionError as exc:
        raise ConfigError(f"{place}: nests too deeply; mend the file") from exc


def _table(
    document: Mapping[str, object], keys: tuple[str, ...], place: str
) -> Mapping[str, object] | None:
    """Give a table of a document; None when it is absent."""
    found: object = document
    for index, key in enumerate(keys, 1):
        if not is_object(found):
            name = ".".join(keys[: index - 1])
            raise ConfigError(f"{place} {name}: must be a table; write [{'.'.join(keys)}]")
        if key not in found:
            return None
        found = found[key]
    if not is_object(found):
        name = ".".join(keys)
        raise ConfigError(f"{place} {name}: must be a table; write [{name}]")
    return found


def _clue(folder: Path, table: Mapping[str, object], source: str, name: str) -> AgentClue:
    place = f"{source} [{name}]"
    for key in table:
        if key not in _KEYS:
            raise ConfigError(f"{place} {key}: unknown key; {hint(key, _KEYS)}")
    texts = {key: text_of(table, key, place) for key in _KEYS}
    for key, value in texts.items():
        if value is not None and not value.strip() and key != "target":
            raise ConfigError(f"{place} {key}: must not be empty; leave the key out instead")
    return AgentClue(id=agent_id(folder), root=application_root(folder), source=source, **texts)
