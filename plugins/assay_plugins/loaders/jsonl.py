"""The ``jsonl`` loader: a file of JSON lines, or standard input."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from assay import ConfigError, Suite, hookimpl
from assay.suggest import did_you_mean
from assay_plugins._lines import read_lines
from assay_plugins.loaders._suites import absolute, file_suite, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from assay import LoadContext, Loader

_STDIN = "-"
_SUFFIX = ".jsonl"


class Jsonl:
    """Reads cases from a file whose name ends in ``.jsonl``, or from standard input (``-``)."""

    name: ClassVar[str] = "jsonl"

    def accepts(self, source: str, context: LoadContext) -> bool:
        """Take ``-``, and every name that ends in ``.jsonl``, whether there is a file or not.

        What ends in ``.jsonl`` is never a message, so that a mistyped name is not sent to the
        agent.
        """
        return source == _STDIN or source.lower().endswith(_SUFFIX)

    def load(self, source: str, context: LoadContext) -> Iterator[Suite]:
        """Give the one suite of the source.

        Raises:
            ConfigError: There is no such file, or it is not a regular file.
        """
        if source == _STDIN:
            yield Suite(key=_STDIN, entries=partial(read_lines, context.stdin(), "<stdin>"))
            return
        path = absolute(source, context.cwd)
        # Not Path.is_file: it raises on names that no file can have.
        if not os.path.isfile(path):  # noqa: PTH113
            raise ConfigError(f"{key_of(source, context.cwd)}: {_why_not(path)}")
        yield file_suite(source, context.cwd)


def _why_not(path: Path) -> str:
    if os.path.isdir(path):  # noqa: PTH112
        return "this is a folder; name the case files in it"
    if os.path.exists(path):  # noqa: PTH110
        return "not a regular file, and cases are read twice; pipe it into '-i -' instead"
    close = did_you_mean(path.name, _neighbours(path.parent))
    if close is not None:
        return f"no such file; did you mean {close}?"
    return "no such file; check the path"


def _neighbours(folder: Path) -> list[str]:
    try:
        names = [path.name for path in folder.iterdir()]
    except (OSError, ValueError):
        return []
    return sorted(name for name in names if name.lower().endswith(_SUFFIX))


@hookimpl
def assay_loaders() -> Sequence[type[Loader]]:
    """Offer ``jsonl``."""
    return [Jsonl]
