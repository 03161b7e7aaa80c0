"""The flags that every command has, before the subcommand and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from assay._version import __version__
from assay.cli.app import App

if TYPE_CHECKING:
    from collections.abc import Callable

_F = TypeVar("_F", bound="Callable[..., Any] | click.Command")


def plugin_options(function: _F) -> _F:
    """Give a command ``-p``, ``--strict-plugins``, ``--debug`` and ``--version``.

    The ``App`` of the context takes them in; the function does not get them.
    """
    for option in (
        click.version_option(__version__, prog_name="assay", message="%(prog)s %(version)s"),
        click.option(
            "--debug",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_take_debug,
            help="Show tracebacks of errors.",
        ),
        click.option(
            "--strict-plugins",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_take_strict,
            help="Stop at the first problem of a plugin.",
        ),
        click.option(
            "-p",
            "disabled",
            multiple=True,
            metavar="no:KIND.WORD",
            is_eager=True,
            expose_value=False,
            callback=_take_switches,
            help="Take a plugin out; no:DISTRIBUTION:KIND.WORD takes it out of one distribution.",
        ),
    ):
        function = option(function)
    return function


def add_plugin_options(command: click.Command) -> None:
    """Give a command those of these flags that it does not define itself."""
    taken = {name for param in command.params for name in param.opts}
    for param in plugin_options(click.Command("flags")).params:
        if taken.isdisjoint(param.opts):
            command.params.append(param)


def _take_debug(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.ensure_object(App).add(debug=value)


def _take_strict(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    ctx.ensure_object(App).add(strict_plugins=value)


def _take_switches(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> None:
    app = ctx.ensure_object(App)
    app.add(disabled=value)
    if not value:
        return
    plugins = app.plugins
    if ctx.parent is not None and ctx.parent.parent is None and ctx.info_name:
        # The switch may be for the very command that it was given to.
        plugins.command(ctx.info_name)
