"""What the command line knows before a command runs: which plugins there are, how to fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.discovery.manager import Plugins, make_plugins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.discovery.problems import Problem


class App:
    """The object that commands get as ``ctx.obj``."""

    def __init__(self) -> None:
        self.disabled: tuple[str, ...] = ()
        """The values of ``-p``."""
        self.strict_plugins = False
        self.debug = False
        """Whether errors show a traceback."""
        self._plugins: Plugins | None = None
        self._told: set[Problem] = set()

    @property
    def plugins(self) -> Plugins:
        """The installed plugins, found when first asked for.

        Raises:
            ConfigError: A value of ``-p`` is wrong; in strict mode, a plugin is.
        """
        if self._plugins is None:
            self._plugins = make_plugins(self.disabled, strict=self.strict_plugins)
        return self._plugins

    def add(
        self, *, disabled: Sequence[str] = (), strict_plugins: bool = False, debug: bool = False
    ) -> None:
        """Take in what flags say, before a subcommand or after it."""
        if set(disabled) - set(self.disabled) or (strict_plugins and not self.strict_plugins):
            self.disabled = tuple(dict.fromkeys((*self.disabled, *disabled)))
            self.strict_plugins = self.strict_plugins or strict_plugins
            self._plugins = None
        self.debug = self.debug or debug

    def forget_problems(self, message: str) -> None:
        """Take those problems for told that a message holds."""
        if self._plugins is not None:
            self._told.update(each for each in self._plugins.problems if str(each) in message)

    def untold_problems(self) -> Sequence[Problem]:
        """The problems of plugins that have come up since this was last asked."""
        problems = self._plugins.problems if self._plugins is not None else ()
        untold = [problem for problem in problems if problem not in self._told]
        self._told.update(untold)
        return untold
