"""The options of commands, made from the table of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay.settings.table import SETTINGS, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.settings.setting import Setting

_F = TypeVar("_F", bound="Callable[..., Any] | click.Command")


def setting_options(*names: str) -> Callable[[_F], _F]:
    """Give a command the flags of settings, in the order of the table.

    Values arrive as written, or not at all: ``given`` sorts that out, and ``assay.settings``
    reads them together with variables and files.

    Args:
        names: Of the settings (``Setting.name``); none: all of them.
    """
    wanted = [by_name(name) for name in names] or SETTINGS

    def decorate(function: _F) -> _F:
        # Click shows the option first that was added last.
        for setting in sorted(wanted, key=SETTINGS.index, reverse=True):
            function = _option(setting)(function)
        return function

    return decorate


def given(values: Mapping[str, object]) -> dict[str, object]:
    """Keep what was really given, of the keyword arguments that click calls a command with."""
    return {name: value for name, value in values.items() if value is not None and value != ()}


def help_of(setting: Setting) -> str:
    """Say in full sentences what a setting does, its variable and its default."""
    default = setting.default
    shown = "" if default is None or default is False else f" Default: {default}."
    return f"{setting.help} Variable: {setting.env}.{shown}"


def _option(setting: Setting) -> Callable[[_F], _F]:
    if setting.kind == "flag":
        long = f"{setting.flag}/{setting.off}" if setting.off else setting.flag
        names = (setting.short, long) if setting.short else (long,)
        return click.option(*names, setting.name, is_flag=True, default=None, help=help_of(setting))
    names = (setting.short, setting.flag) if setting.short else (setting.flag,)
    return click.option(
        *names,
        setting.name,
        # Of paths, shells complete the names; what stands there is not looked at.
        type=click.Path() if setting.kind == "path" else click.STRING,
        multiple=setting.multiple,
        default=None,
        metavar=setting.metavar,
        help=help_of(setting),
    )
