"""What ``--set``, variables and files say of a plugin, key by key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from attrs import frozen

from assay.settings.assignment import Assignment, toml_or_text

if TYPE_CHECKING:
    from pathlib import Path

    from assay.settings.sections import SettingsFile


@frozen
class Way:
    """One way to read what someone wrote."""

    value: object
    is_literal: bool = False
    """Whether it is text in which ``$NAME`` means nothing but itself."""


@frozen(kw_only=True)
class Found:
    """A value that someone set, before its type is known."""

    ways: tuple[Way, ...]
    """How it can be read, to be tried in this order: text may be meant as TOML."""
    label: str
    """Where it comes from, as a user would name it."""
    base: Path
    """What a relative path is relative to."""
    in_file: bool = False
    """Whether it stands in a settings file."""


@frozen(kw_only=True)
class Sources:
    """Where the settings of plugins come from; the first to say something wins."""

    sets: Sequence[Assignment]
    """The last one wins."""
    environ: Mapping[str, str]
    files: Sequence[SettingsFile]
    """Nearest first."""
    cwd: Path

    def keys(self, kind: str, word: str) -> dict[str, str]:
        """Give every key that files and ``--set`` name for a plugin, with where it comes from."""
        keys = {item.path[0]: item.label for item in self._assigned(kind, word)}
        for file in self.files:
            for key in file.plugins.get((kind, word), ()):
                keys.setdefault(key, file.label(f"{kind}.{word}", key))
        return keys

    def find(self, kind: str, word: str, key: str, variables: Sequence[str]) -> Found | None:
        """Find what is said of a key; None when nothing is.

        Args:
            kind: The kind of the plugin.
            word: Its word.
            key: The setting's key.
            variables: The names of its variables; the first that is set and not empty counts.
        """
        found = self._in_variables(variables) or self._in_files(kind, word, key)
        for item in self._assigned(kind, word):
            if item.path[0] == key:
                found = self._assign(found, item)
        return found

    def _assigned(self, kind: str, word: str) -> list[Assignment]:
        return [item for item in self.sets if (item.kind, item.word) == (kind, word)]

    def _in_variables(self, names: Sequence[str]) -> Found | None:
        for name in names:
            text = self.environ.get(name, "")
            if text.strip():
                ways = (Way(text, is_literal=True), Way(toml_or_text(text)))
                return Found(ways=ways, label=name, base=self.cwd)
        return None

    def _in_files(self, kind: str, word: str, key: str) -> Found | None:
        for file in self.files:
            table = file.plugins.get((kind, word), {})
            if key in table:
                return Found(
                    ways=(Way(table[key]),),
                    label=file.label(f"{kind}.{word}", key),
                    base=file.path.parent,
                    in_file=True,
                )
        return None

    def _assign(self, found: Found | None, item: Assignment) -> Found:
        if len(item.path) == 1:
            plain = (Way(item.value), Way(item.text, is_literal=True))
            return Found(ways=plain, label=item.label, base=self.cwd)
        # A key within the value: the rest of the table stays as it was said elsewhere.
        tables = [_table(way.value) for way in found.ways] if found else [_table(None)]
        ways = (
            Way(_with(tables[0], item.path[1:], item.value)),
            Way(_with(tables[-1], item.path[1:], item.text)),
        )
        return Found(ways=ways, label=item.label, base=self.cwd)


def variable(kind: str, word: str, key: str) -> str:
    """Name the variable of a plugin's setting: ``ASSAY_TRANSPORT_YAO_SERVER``."""
    return "ASSAY_" + re.sub("[^A-Z0-9]", "_", f"{kind}_{word}_{key}".upper())


def _with(value: object, path: Sequence[str], item: object) -> dict[str, object]:
    """Copy a table with a value put at a path; what is no table is replaced by one."""
    table = _table(value)
    first, *rest = path
    table[first] = _with(table.get(first), rest, item) if rest else item
    return table


def _table(value: object) -> dict[str, object]:
    return dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else {}
