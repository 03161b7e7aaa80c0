"""The contract of a loader."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from assay.contracts import LoadContext
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.model.case import Entry, Suite
from assay.testing.broken import broken
from assay.testing.hostile import HOSTILE_TEXTS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from assay.contracts import Loader


def check_loader(
    cls: type[Loader],
    source: str,
    *,
    cwd: Path,
    rejects: Sequence[str] = (),
) -> None:
    """See that a loader keeps its contract.

    Args:
        cls: The class.
        source: A source of its kind, with cases.
        cwd: The working directory that the source is relative to.
        rejects: Sources that are not of its kind.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    try:
        word_of("loader", cls)
        judge("loader", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    context = LoadContext(cwd=cwd)
    loader = cls()
    _check_accepts(cls, loader, context, source, rejects)
    suites = _suites(cls, loader, source, context)
    keys = [suite.key for suite in suites]
    again = [suite.key for suite in _suites(cls, cls(), source, context)]
    if keys != again:
        raise broken(cls, f"{source!r} gives the suites {keys}, and then {again}")
    if len(set(keys)) < len(keys):
        raise broken(cls, f"{source!r} gives several suites of one key: {keys}")
    for suite in suites:
        _check_suite(cls, suite)


def _check_accepts(
    cls: type, loader: Loader, context: LoadContext, source: str, rejects: Sequence[str]
) -> None:
    if loader.accepts(source, context) is not True:
        raise broken(cls, f"it does not accept {source!r}")
    for other in rejects:
        if loader.accepts(other, context) is not False:
            raise broken(cls, f"it accepts {other!r}")
    for text in HOSTILE_TEXTS.values():
        try:
            loader.accepts(text, context)
        except Exception as error:
            raise broken(
                cls, f"asked whether it accepts {text[:60]!r} it raises {error!r}"
            ) from error


def _suites(cls: type, loader: Loader, source: str, context: LoadContext) -> list[Suite]:
    suites = list[object](loader.load(source, context))
    if not suites:
        raise broken(cls, f"{source!r} gives no suite")
    checked: list[Suite] = []
    for suite in suites:
        if not isinstance(suite, Suite):
            raise broken(cls, f"it gives {type(suite).__name__} instead of a Suite")
        if not suite.key or "\\" in suite.key:
            raise broken(cls, f"{suite.key!r} is no key; write the path with '/'")
        checked.append(suite)
    return checked


def _check_suite(cls: type, suite: Suite) -> None:
    """Read it whole, in part, and twice at once: each time it begins anew."""
    first = _entries(cls, suite)
    if not first:
        raise broken(cls, f"the suite {suite.key} has no case")
    list(islice(suite.entries(), 1))
    again = len(_entries(cls, suite))
    if again != len(first):
        raise broken(
            cls, f"{suite.key} has {len(first)} entries, and the next time it has {again} entries"
        )
    for one, other, entry in zip(suite.entries(), suite.entries(), first, strict=True):
        if one != entry or other != entry:
            raise broken(cls, f"{entry.where} reads {entry}, and the next time {one} and {other}")


def _entries(cls: type, suite: Suite) -> list[Entry]:
    checked: list[Entry] = []
    for entry in list[object](suite.entries()):
        if not isinstance(entry, Entry):
            raise broken(cls, f"{suite.key} gives {type(entry).__name__} instead of an Entry")
        if not entry.where.file:
            raise broken(cls, f"an entry of {suite.key} does not say where it stands")
        checked.append(entry)
    return checked
