"""What is wrong with a plugin: one problem each, so that the others go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.discovery.records import origin
from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Problem(NamedTuple):
    """Why a plugin is not used."""

    plugin: str
    """The name of its entry point."""
    distribution: str
    version: str
    cause: str
    """What is wrong, in words that go on after a colon."""
    error: BaseException | None = None
    """The exception behind it, if there is one: for ``--debug``."""

    def __str__(self) -> str:
        return f"plugin {self.plugin} of {origin(self.distribution, self.version)}: {self.cause}"


class Problems:
    """The problems of one set of plugins, in the order in which they came up.

    Args:
        strict: Whether the first problem ends it all.
    """

    def __init__(self, found: Iterable[Problem] = (), *, strict: bool = False) -> None:
        self._strict = strict
        self._all: list[Problem] = []
        for problem in found:
            self.add(problem)

    def add(self, problem: Problem) -> None:
        """Note a problem.

        Raises:
            ConfigError: In strict mode.
        """
        self._all.append(problem)
        if self._strict:
            raise ConfigError(f"{problem} (--strict-plugins stops at the first such problem)")

    @property
    def all(self) -> tuple[Problem, ...]:
        """What has come up until now."""
        return tuple(self._all)


def describe_error(error: BaseException) -> str:
    """An exception in one line: its type and its message."""
    try:
        message = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - what a plugin raises may fail even here
        message = ""
    kind = type(error).__name__
    return f"{kind}: {message}" if message else kind
