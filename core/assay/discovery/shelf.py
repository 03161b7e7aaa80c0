"""Loads plugins: each once, each by itself, each judged before anyone uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin, import_target
from assay.discovery.problems import Problem, Problems, describe_error
from assay.discovery.registry import HOOK_OF, Registry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.discovery.finder import Found
    from assay.discovery.records import Record

_ASKED_LATER = ("agent", "select", "wrap")
"""Kinds whose plugin is what is used, not a class that it hands over."""


class Shelf:
    """What the plugins that have been loaded offer."""

    def __init__(self, found: Found, problems: Problems) -> None:
        self._found = found
        self._problems = problems
        self._registry = Registry()
        self._loaded: dict[Record, object] = {}
        self.failed: dict[Record, Problem] = {}
        """The plugins that could not be loaded."""

    def load(self, record: Record) -> object | None:
        """Import a plugin, register it, and judge what it offers; once.

        Returns:
            The class or command of its word; for kinds that are asked later the plugin itself;
            None when it failed, which is then among the problems.
        """
        if record not in self._loaded and record not in self.failed:
            try:
                self._loaded[record] = self._load(record)
            except BadPlugin as error:
                self._fail(record, str(error), error.__cause__)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a plugin can raise anything
                self._fail(record, f"it cannot be used: {describe_error(error)}", error)
        return self._loaded.get(record)

    def ask(self, record: Record, plugin: object, **arguments: object) -> list[object]:
        """Ask a loaded plugin the hook of its kind."""
        return self._registry.ask(plugin, HOOK_OF[record.kind], **arguments)

    def _fail(self, record: Record, cause: str, error: BaseException | None) -> None:
        problem = Problem(
            plugin=record.name,
            distribution=record.distribution,
            version=record.version,
            cause=cause,
            error=error,
        )
        self.failed[record] = problem
        self._problems.add(problem)

    def _load(self, record: Record) -> object:
        hook = HOOK_OF.get(record.kind)
        if hook is None:
            raise BadPlugin(f"this version of assay asks no hook of the kind {record.kind!r}")
        plugin = import_target(record.target)
        self._registry.register(plugin, f"{record.distribution}:{record.name}")
        if not self._registry.implements(plugin, hook):
            raise BadPlugin(f"{record.target} has no function {hook} marked with @hookimpl")
        return plugin if record.kind in _ASKED_LATER else self._offered(record, plugin)

    def _offered(self, record: Record, plugin: object) -> object:
        """What a plugin hands over under its word."""
        try:
            answers = self.ask(record, plugin)
            offered = [each for answer in answers for each in cast("Sequence[object]", answer)]
        except (Exception, SystemExit) as error:
            raise BadPlugin(f"{HOOK_OF[record.kind]} failed: {describe_error(error)}") from error
        by_word = {word_of(record.kind, each): each for each in offered}
        if len(by_word) < len(offered):
            raise BadPlugin("it hands over several things of one name")
        for word in by_word:
            if word != record.word and not self._is_named(record, word):
                raise BadPlugin(
                    f"it hands over {word!r} under the name {record.name}; the name of what it "
                    "offers and the word of its entry point must be the same"
                )
        if record.word not in by_word:
            raise BadPlugin(f"it hands over nothing of the name {record.word!r}")
        judge(record.kind, by_word[record.word])
        return by_word[record.word]

    def _is_named(self, record: Record, word: str) -> bool:
        """Whether another entry point of the same plugin bears a word."""
        known = [
            *self._found.records,
            *(other for other, _ in self._found.disabled),
            *(other for other, _ in self._found.rejected),
        ]
        return any(
            other.word == word
            and (other.kind, other.distribution) == (record.kind, record.distribution)
            for other in known
        )
