"""Which source of a setting wins: flags, then variables, then the nearest file, then defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from attrs import field, frozen

from assay.settings.assignment import standing_for
from assay.settings.faults import config_error, near_miss
from assay.settings.model import DEFAULT, RunSettings, SuiteSettings
from assay.settings.table import SETTINGS
from assay.settings.values import from_python, several
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.settings.assignment import Assignment
    from assay.settings.sections import SettingsFile
    from assay.settings.setting import Scope, Setting

__all__ = [
    "DEFAULT",
    "RunSettings",
    "SuiteSettings",
    "run_settings",
    "suite_settings",
    "unknown_variables",
]

_OVERRIDDEN = ("transport", "user", "team")
"""Settings of a suite whose flag and variable are kept apart from what files say."""


def run_settings(
    given: Mapping[str, object], environ: Mapping[str, str], files: Sequence[SettingsFile]
) -> RunSettings:
    """Put together what holds for a run.

    Args:
        given: What flags (or a program) say, by ``Setting.name``; what is None was not given.
        environ: The variables. An empty one counts as unset.
        files: Those that hold for the working directory, nearest first.

    Raises:
        ConfigError: With every value that is wrong.
    """
    layers = _Layers(given=given, environ=environ, files=files)
    values = layers.values("run")
    if values["verbose"] and values["quiet"]:
        # A flag beats the other one's variable.
        loud, still = (layers.origins[name].startswith("-") for name in ("verbose", "quiet"))
        if loud == still:
            both = f"{layers.origins['verbose']} and {layers.origins['quiet']}"
            layers.told.append(f"{both}: they exclude each other; use one")
        values["verbose"], values["quiet"] = loud, still
    values["sets"] = (*cast("tuple[Assignment, ...]", values["sets"]), *layers.standing())
    layers.check()
    return RunSettings(**cast("dict[str, Any]", values), origins=layers.origins)


def suite_settings(
    given: Mapping[str, object], environ: Mapping[str, str], files: Sequence[SettingsFile]
) -> SuiteSettings:
    """Put together what holds for a suite.

    Args:
        given: What flags (or a program) say, by ``Setting.name``; what is None was not given.
        environ: The variables. An empty one counts as unset.
        files: Those that hold for the folder of the case file, nearest first.

    Raises:
        ConfigError: With every value that is wrong.
    """
    layers = _Layers(given=given, environ=environ, files=files)
    values = layers.values("suite")
    for setting in SETTINGS:
        if setting.name in _OVERRIDDEN:
            override = layers.said(setting)
            values[f"{setting.name}_override"] = override[0] if override else None
            values[setting.name] = layers.unsaid(setting)[0]
    layers.check()
    return SuiteSettings(**cast("dict[str, Any]", values), origins=layers.origins)


def unknown_variables(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Warn of variables that look like a mistyped one of ours.

    Only near misses are told: other programs may use ``ASSAY_…`` names of their own.
    """
    known = {setting.word.upper(): setting for setting in SETTINGS}
    warnings: list[str] = []
    for name in sorted(environ):
        word = name.removeprefix("ASSAY_")
        if word == name or word in known:
            continue
        close = near_miss(word, known)
        if close is not None:
            warnings.append(f"{name}: unknown variable; did you mean {known[close].env}?")
    return tuple(warnings)


@frozen(kw_only=True)
class _Layers:
    given: Mapping[str, object]
    environ: Mapping[str, str]
    files: Sequence[SettingsFile]
    told: list[str] = field(factory=list[str])
    origins: dict[str, str] = field(factory=dict[str, str])

    def values(self, scope: Scope) -> dict[str, object]:
        """Give the value of every setting of a scope, and note where it comes from."""
        values: dict[str, object] = {}
        for setting in SETTINGS:
            if setting.scope == scope and setting.stands_for is None:
                found = self.said(setting) or self.unsaid(setting)
                values[setting.name], self.origins[setting.name] = found
        return values

    def standing(self) -> Iterator[Assignment]:
        """Give what is said by settings that stand for those of plugins."""
        for setting in SETTINGS:
            found = None if setting.stands_for is None else self.said(setting)
            if setting.stands_for is not None and found is not None and found[0] is not None:
                yield standing_for(setting.stands_for, str(found[0]), found[1])

    def said(self, setting: Setting) -> tuple[object, str] | None:
        """Give what a flag or variable says, and which; None when neither does."""
        value = self.given.get(setting.name)
        if value is not None:
            if setting.multiple:
                read = (self._read(setting, item, setting.flag) for item in several(value))
                return tuple(read), setting.flag
            return self._read(setting, value, setting.flag), setting.flag
        text = self.environ.get(setting.env, "")
        if not text.strip():
            return None
        if setting.multiple:
            lines = [line for line in text.splitlines() if line.strip()]
            return tuple(self._read(setting, line, setting.env) for line in lines), setting.env
        return self._read(setting, text, setting.env), setting.env

    def unsaid(self, setting: Setting) -> tuple[object, str]:
        """Give what the nearest file says, else the default."""
        for file in self.files:
            if setting.name in file.test:
                return file.test[setting.name], file.label("test", setting.word)
        if setting.multiple:
            return (), DEFAULT
        if setting.default is None:
            return None, DEFAULT
        return from_python(setting, setting.default), DEFAULT

    def check(self) -> None:
        """Raise what was told.

        Raises:
            ConfigError: Something was.
        """
        known = [setting.name for setting in SETTINGS]
        for name in self.given:
            if name not in known:
                self.told.append(f"{name}: unknown setting; {hint(name, known)}")
        if self.told:
            # What is read twice is told once.
            raise config_error(tuple(dict.fromkeys(self.told)))

    def _read(self, setting: Setting, value: object, origin: str) -> object:
        try:
            return from_python(setting, value)
        except ValueError as error:
            self.told.append(f"{origin}: {error}")
            return None
