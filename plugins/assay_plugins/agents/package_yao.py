"""The ``package_yao`` resolver: what a ``package.yao`` says of its folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from assay import AgentClue, ConfigError, hookimpl
from assay.jsonvalue import is_object
from assay.roots import application_root
from assay_plugins.agents._folders import agent_id, read_text, shown, text_of
from assay_plugins.agents._jsonc import JsoncError, loads

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_FILE: Final = "package.yao"
_VARIABLE: Final = "$ENV."


@hookimpl
def assay_describe_folder(folder: Path) -> AgentClue | None:
    """Describe a folder that holds a ``package.yao``.

    The transport is left to the default one, whose target is the agent's id.

    Raises:
        ConfigError: The file is broken.
    """
    file = folder / _FILE
    if not file.is_file():
        return None
    place = shown(file)
    package = _read(file, place)
    identity = agent_id(folder)
    return AgentClue(
        id=identity,
        name=text_of(package, "name", place),
        description=text_of(package, "description", place),
        target=identity,
        connector=_connector(text_of(package, "connector", place)),
        root=application_root(folder),
        source=place,
    )


def _read(file: Path, place: str) -> Mapping[str, object]:
    text = read_text(file)
    try:
        package = loads(text)
    except JsoncError as exc:
        where = place if exc.line is None else f"{place}:{exc.line}:{exc.column}"
        raise ConfigError(f"{where}: not JSON: {exc.message}; mend the file") from exc
    if not is_object(package):
        raise ConfigError(f'{place}: must hold a JSON object; write {{"name": …}}')
    return package


def _connector(connector: str | None) -> str | None:
    """Resolve a connector that names a variable; as it is written when that is not set."""
    if connector is None or not connector.startswith(_VARIABLE):
        return connector
    return os.environ.get(connector.removeprefix(_VARIABLE)) or connector
