"""Commands by name: core's own and those of plugins, imported when they are called."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from assay.cli.app import App
from assay.cli.common import add_plugin_options
from assay.cli.failing import failures_told
from assay.cli.stdio import make_safe
from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Mapping

_CORE: Final[Mapping[str, str]] = {
    "test": "assay.cli.test:test",
    "plugins": "assay.cli.plugins:plugins",
}
"""Core's own commands. All others are plugins."""

_PLAIN: Final = "test"
"""The command that is meant where none is named."""


class LazyGroup(click.Group):
    """A group that imports no command before it is called, and in which no error escapes."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the flags of the group itself."""
        app = App() if extra.get("obj") is None else extra["obj"]
        extra["obj"] = app
        make_safe(sys.stdout)
        make_safe(sys.stderr)
        with failures_told(app):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command."""
        with failures_told(ctx.ensure_object(App)):
            return super().invoke(ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let ``assay -i …`` mean ``assay test -i …``."""
        place = self._place_of_command(ctx, args)
        if place < len(args) and args[place].startswith("-"):
            args = [*args[:place], _PLAIN, *args[place:]]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands that can be called: core's first, then the plugins'."""
        try:
            commands = ctx.ensure_object(App).plugins.commands()
        except AssayError:
            if not ctx.resilient_parsing:
                raise
            commands = ()
        return [*_CORE, *(command.name for command in commands if command.name)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None when there is none of that name.

        Raises:
            ConfigError: A plugin offers it and cannot be used.
        """
        try:
            command = self._find(ctx, cmd_name)
        except AssayError:
            if not ctx.resilient_parsing:
                raise
            return None
        if command is not None:
            add_plugin_options(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is called, or say what may have been meant."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            ctx.fail(self._unknown(ctx, name))
        return name if command else None, command, args[1:]

    def _find(self, ctx: click.Context, name: str) -> click.Command | None:
        home = _CORE.get(name)
        if home is None:
            return ctx.ensure_object(App).plugins.command(name)
        module, _, attribute = home.partition(":")
        command: object = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def _unknown(self, ctx: click.Context, name: str) -> str:
        from assay.suggest import did_you_mean

        words = (*_CORE, *ctx.ensure_object(App).plugins.words("command"))
        close = did_you_mean(name, words)
        if close is not None:
            return f"no command {name!r}; did you mean {close!r}?"
        if name.endswith(".jsonl") or Path(name).exists():
            return f"no command {name!r}; to test with it, write assay -i {name}"
        return f"no command {name!r}; the commands are {', '.join(words)}"

    def _place_of_command(self, ctx: click.Context, args: list[str]) -> int:
        """The place of the first argument that is no flag of the group."""
        flags = set(self.get_help_option_names(ctx))
        valued = set[str]()
        for param in self.params:
            if isinstance(param, click.Option):
                (flags if param.is_flag else valued).update(param.opts)
        place = 0
        while place < len(args):
            arg = args[place]
            if arg in valued:
                place += 2
            elif arg in flags or _holds_value(arg, valued):
                place += 1
            else:
                break
        return place


def _holds_value(arg: str, valued: set[str]) -> bool:
    """Whether an argument is a flag with its value in one: ``-pno:…``."""
    return any(
        arg.startswith(f"{name}=") if name.startswith("--") else arg.startswith(name)
        for name in valued
    )
