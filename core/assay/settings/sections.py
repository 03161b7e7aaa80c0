"""What a settings file may say, and what one says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from attrs import field, frozen

from assay.settings.assignment import PLUGIN_KINDS
from assay.settings.faults import config_error, toml_type
from assay.settings.table import SETTINGS
from assay.settings.values import from_toml
from assay.suggest import hint

if TYPE_CHECKING:
    from pathlib import Path

AGENT_KEYS: Final = ("name", "description", "transport", "target", "connector")
"""The keys of ``[agent]``, all of them text."""

TEST_SETTINGS: Final = {setting.word: setting for setting in SETTINGS if setting.section == "test"}
"""The settings that ``[test]`` may hold, by key."""

_KNOWN: Final = ("agent", "test", *PLUGIN_KINDS, "root")


@frozen(kw_only=True)
class SettingsFile:
    """What one file says, checked."""

    path: Path
    name: str
    """As a user would name it: relative to the working directory where it is below it."""
    prefix: str = ""
    """What stands before the name of each section: ``tool.assay.`` in ``pyproject.toml``."""
    is_root: bool = False
    """Whether it says ``root = true``: no folder above it counts."""
    agent: Mapping[str, str] = field(factory=dict[str, str])
    """``[agent]``."""
    test: Mapping[str, object] = field(factory=dict[str, object])
    """``[test]``: values by the names of their settings, as ``Setting.kind`` says."""
    plugins: Mapping[tuple[str, str], Mapping[str, object]] = field(
        factory=dict[tuple[str, str], Mapping[str, object]]
    )
    """The table of each plugin, by kind and word, as TOML has it."""

    def label(self, section: str, key: str = "") -> str:
        """What messages call a place in it: ``assay.toml [test] runs``."""
        return f"{self.name} [{self.prefix}{section}] {key}".rstrip()


def check_sections(path: Path, name: str, prefix: str, tables: object) -> SettingsFile:
    """Check what a file says.

    Args:
        path: The file.
        name: What messages call it.
        prefix: What stands before the name of each section.
        tables: Its sections.

    Raises:
        ConfigError: With every section, key and value that is wrong.
    """
    told: list[str] = []
    if not isinstance(tables, dict):
        raise config_error([f"{name} [{prefix[:-1]}]: expected a table, not {toml_type(tables)}"])
    agent: dict[str, str] = {}
    test: dict[str, object] = {}
    plugins: dict[tuple[str, str], Mapping[str, object]] = {}
    is_root = False
    for section, value in cast("dict[str, object]", tables).items():
        place = f"{name} [{prefix}{section}]"
        if section == "root":
            is_root = value is True
            if not isinstance(value, bool):
                told.append(f"{name} root: expected true or false, not {toml_type(value)}")
        elif section not in _KNOWN:
            told.append(f"{place}: unknown section; {hint(section, _KNOWN)}")
        elif not isinstance(value, dict):
            told.append(f"{place}: expected a table, not {toml_type(value)}")
        elif section == "agent":
            agent = _agent(cast("dict[str, object]", value), place, told)
        elif section == "test":
            test = _test(cast("dict[str, object]", value), place, told)
        else:
            for word, table in _plugins(section, cast("dict[str, object]", value), place, told):
                plugins[section, word] = table
    if told:
        raise config_error(told)
    return SettingsFile(
        path=path,
        name=name,
        prefix=prefix,
        is_root=is_root,
        agent=agent,
        test=test,
        plugins=plugins,
    )


def _agent(table: Mapping[str, object], place: str, told: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for key, value in table.items():
        if key not in AGENT_KEYS:
            told.append(f"{place} {key}: unknown key; {hint(key, AGENT_KEYS)}")
        elif not isinstance(value, str):
            told.append(f"{place} {key}: expected text in quotes, not {toml_type(value)}")
        else:
            values[key] = value
    return values


def _test(table: Mapping[str, object], place: str, told: list[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in table.items():
        setting = TEST_SETTINGS.get(key)
        if setting is None:
            told.append(f"{place} {key}: unknown key; {hint(key, TEST_SETTINGS)}")
            continue
        try:
            values[setting.name] = from_toml(setting, value)
        except ValueError as error:
            told.append(f"{place} {key}: {error}")
    return values


def _plugins(
    kind: str, tables: Mapping[str, object], place: str, told: list[str]
) -> list[tuple[str, Mapping[str, object]]]:
    found: list[tuple[str, Mapping[str, object]]] = []
    for word, table in tables.items():
        if isinstance(table, dict):
            found.append((word, cast("dict[str, object]", table)))
        else:
            told.append(f"{place} {word}: expected a table; write [{kind}.NAME] above it")
    return found
