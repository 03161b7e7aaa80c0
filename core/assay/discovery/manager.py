"""The plugins of a run: found by name, imported when first needed, asked one by one.

A function makes them and they are passed along: there is no global state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay.discovery import chain
from assay.discovery.finder import find
from assay.discovery.missing import missing_message, why_missing
from assay.discovery.problems import Problems
from assay.discovery.shelf import Shelf
from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import click

    from assay.contracts import (
        AssertionType,
        Executor,
        Loader,
        PageReporter,
        ScriptEngine,
        StreamReporter,
        Transport,
        TransportType,
        WrapContext,
    )
    from assay.discovery.finder import Found
    from assay.discovery.problems import Problem
    from assay.discovery.records import Record
    from assay.model.case import AgentClue, AgentRef, Case


def make_plugins(
    switches: Sequence[str] = (), *, strict: bool = False, path: Iterable[str] | None = None
) -> Plugins:
    """Find the installed plugins. Imports none of them.

    Args:
        switches: The values of ``-p``.
        strict: Whether the first problem ends it all.
        path: Where to look; ``sys.path`` by default.

    Raises:
        ConfigError: A switch is malformed or takes nothing out; in strict mode, any problem.
    """
    return Plugins(find(switches, path), switches=tuple(switches), strict=strict)


class Plugins:
    """The installed plugins, by kind and word. The only one who asks hooks.

    A plugin that fails is one problem, told once; in strict mode it is a ``ConfigError`` at once.
    """

    def __init__(
        self, found: Found, *, switches: tuple[str, ...] = (), strict: bool = False
    ) -> None:
        self.found = found
        self.switches = switches
        """The values of ``-p``."""
        self._problems = Problems(found.problems, strict=strict)
        self._shelf = Shelf(found, self._problems)
        self._records = {(record.kind, record.word): record for record in found.records}

    @property
    def records(self) -> tuple[Record, ...]:
        """The plugins that bear their names, in the order of names."""
        return self.found.records

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What has come up until now: more when more has been loaded."""
        return self._problems.all

    def words(self, kind: str) -> tuple[str, ...]:
        """The words of a kind, in order, those of broken plugins among them. Imports nothing."""
        return tuple(record.word for record in self._of(kind))

    def why_missing(self, kind: str, word: str) -> str | None:
        """Why an installed plugin cannot be used; None when it can, or none has that name."""
        return why_missing(self.found, tuple(self._shelf.failed.values()), kind, word)

    def origin(self, kind: str, word: str) -> Record:
        """Whose a plugin is.

        Raises:
            ConfigError: There is none of that name.
        """
        record = self._records.get((kind, word))
        if record is None:
            raise self._missing(kind, word)
        return record

    def problem(self, record: Record) -> Problem | None:
        """What came up when a plugin was loaded."""
        return self._shelf.failed.get(record)

    def load(self, record: Record) -> object | None:
        """Import a plugin, register it, and judge what it offers; once.

        Returns:
            The class or command of its word; for kinds that are asked later the plugin itself;
            None when it failed, which is then among the problems.
        """
        return self._shelf.load(record)

    def transport(self, word: str) -> TransportType:
        """The transport of a word.

        Raises:
            ConfigError: It cannot be had; the message says why, and what is installed.
        """
        return cast("TransportType", self._get("transport", word))

    def assertion(self, word: str) -> type[AssertionType]:
        """The assertion type of a word.

        Raises:
            ConfigError: It cannot be had; the message says why, and what is installed.
        """
        return cast("type[AssertionType]", self._get("assertion", word))

    def executor(self, word: str) -> type[Executor]:
        """The executor of a word.

        Raises:
            ConfigError: It cannot be had; the message says why, and what is installed.
        """
        return cast("type[Executor]", self._get("executor", word))

    def reporter(self, word: str) -> type[PageReporter] | type[StreamReporter]:
        """The reporter of a word.

        Raises:
            ConfigError: It cannot be had; the message says why, and what is installed.
        """
        return cast("type[PageReporter] | type[StreamReporter]", self._get("reporter", word))

    def loaders(self) -> Sequence[type[Loader]]:
        """All loaders, in the order of names."""
        return cast("list[type[Loader]]", [offered for _, offered in self._all("loader")])

    def engines(self) -> Sequence[type[ScriptEngine]]:
        """All script engines, in the order of names."""
        return cast("list[type[ScriptEngine]]", [offered for _, offered in self._all("script")])

    def reporters(self) -> Mapping[str, type[PageReporter] | type[StreamReporter]]:
        """All reporters by word, in the order of names."""
        return cast(
            "dict[str, type[PageReporter] | type[StreamReporter]]",
            {record.word: offered for record, offered in self._all("reporter")},
        )

    def command(self, word: str) -> click.Command | None:
        """The command of a word; None when no plugin of that name is installed.

        Raises:
            ConfigError: It is installed and cannot be used.
        """
        if ("command", word) not in self._records and self.why_missing("command", word) is None:
            return None
        return cast("click.Command", self._get("command", word))

    def commands(self) -> Sequence[click.Command]:
        """All commands, in the order of names."""
        return cast("list[click.Command]", [offered for _, offered in self._all("command")])

    def describe_folder(self, folder: Path) -> Sequence[tuple[str, AgentClue]]:
        """Ask all resolvers what a folder is.

        Returns:
            What each says who says anything, with its word, in the order of names.

        Raises:
            RunError: A resolver failed.
        """
        clues: list[tuple[str, AgentClue]] = []
        for record, plugin in self._all("agent"):
            with chain.blaming(record, f"when it was asked of {folder}"):
                answers = self._shelf.ask(record, plugin, folder=folder)
            clues += [(record.word, chain.clue(record, answer)) for answer in answers]
        return clues

    def select(
        self, cases: Iterator[Case], settings_for: Callable[[str], Mapping[str, Any]]
    ) -> Iterator[Case]:
        """Hand the cases of a suite through all selectors.

        Args:
            cases: Lazily.
            settings_for: Gives the settings of a selector by its word.

        Raises:
            RunError: A selector failed, now or while the cases are read.
        """
        for record, plugin in self._all("select"):
            settings = settings_for(record.word)
            with chain.blaming(record, "when it was asked for cases"):
                answers = self._shelf.ask(record, plugin, cases=cases, settings=settings)
            cases = chain.selected(record, answers)
        return cases

    def wrap(
        self,
        transport: Transport,
        agent: AgentRef,
        settings_for: Callable[[str], Mapping[str, Any]],
        context: WrapContext,
    ) -> Transport:
        """Put all wraps around a transport, the first by name next to it.

        Args:
            transport: Unopened.
            agent: The agent that it reaches.
            settings_for: Gives the settings of a wrap by its word.
            context: What every wrap is told.

        Raises:
            ConfigError: A wrap refuses its settings.
            RunError: A wrap failed.
        """
        for record, plugin in self._all("wrap"):
            settings = settings_for(record.word)
            with chain.blaming(record, f"when it was put around {agent.name}"):
                answers = self._shelf.ask(
                    record,
                    plugin,
                    transport=transport,
                    agent=agent,
                    settings=settings,
                    context=context,
                )
            transport = chain.wrapped(record, answers)
        return transport

    def _of(self, kind: str) -> list[Record]:
        return [record for record in self.found.records if record.kind == kind]

    def _all(self, kind: str) -> Iterator[tuple[Record, object]]:
        for record in self._of(kind):
            offered = self.load(record)
            if offered is not None:
                yield record, offered

    def _get(self, kind: str, word: str) -> object:
        record = self._records.get((kind, word))
        offered = None if record is None else self.load(record)
        if offered is None:
            raise self._missing(kind, word)
        return offered

    def _missing(self, kind: str, word: str) -> ConfigError:
        why = self.why_missing(kind, word)
        return ConfigError(missing_message(kind, word, self.words(kind), why))
