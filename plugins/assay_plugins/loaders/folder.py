"""The ``folder`` loader: every case file of a folder, or of what a glob matches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay import ConfigError, Suite, hookimpl
from assay_plugins.loaders._globs import fixed_part, has_wildcard, matches
from assay_plugins.loaders._suites import absolute, file_suite, key_of
from assay_plugins.loaders._walk import files_in, folders_below

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay import LoadContext, Loader

_TESTS = "tests"
_SUFFIX = ".jsonl"
_REPORT = "output-"


class Folder:
    """Finds case files: ``*.jsonl`` in and below folders named ``tests``.

    Default reports (``output-*.jsonl``) are never case files. Hidden folders, ``node_modules``
    and virtual environments are not looked into. A glob may also match case files themselves,
    wherever they are.
    """

    name: ClassVar[str] = "folder"

    def accepts(self, source: str, context: LoadContext) -> bool:
        """Take folders, and globs that cannot be meant as a message.

        A glob ends in ``.jsonl``, starts with a folder that exists, or matches something.
        """
        if not source or "\0" in source:
            return False
        path = absolute(source, context.cwd)
        # Not Path.exists: it raises on a message that is too long to be a name.
        if os.path.exists(path):  # noqa: PTH110
            return os.path.isdir(path)  # noqa: PTH112
        if not has_wildcard(source):
            return False
        if source.lower().endswith(_SUFFIX):
            return True
        fixed = fixed_part(Path(source))
        if fixed.name:
            return os.path.isdir(context.cwd / fixed)  # noqa: PTH112
        return next(matches(path), None) is not None

    def load(self, source: str, context: LoadContext) -> Iterator[Suite]:
        """Give a suite per case file, in the order of their paths.

        Raises:
            ConfigError: There is none.
        """
        path = absolute(source, context.cwd)
        is_folder = path.is_dir()
        found = _unique(_in_folder(path) if is_folder else _matched(path))
        if not found:
            shown = key_of(source, context.cwd)
            raise ConfigError(_nothing(shown, path, context.cwd) if is_folder else _no_match(shown))
        for file in found:
            given = file if Path(source).is_absolute() else os.path.relpath(file, context.cwd)
            yield file_suite(given, context.cwd)


def _in_folder(folder: Path) -> Iterator[Path]:
    """Give the case files of a folder."""
    for inner in folders_below(folder, mark=_TESTS):
        if _TESTS in inner.parts:
            yield from (inner / name for name in files_in(inner) if _is_case_file(name))


def _matched(pattern: Path) -> Iterator[Path]:
    """Give the case files that a glob matches, and those of the folders that it matches."""
    for path in matches(pattern):
        if path.is_dir():
            yield from _in_folder(path)
        elif path.is_file() and _is_case_file(path.name):
            yield path


def _is_case_file(name: str) -> bool:
    return name.lower().endswith(_SUFFIX) and not name.startswith(_REPORT)


def _unique(paths: Iterable[Path]) -> list[Path]:
    """Sort paths, and keep one name of each file."""
    kept: dict[Path, Path] = {}
    for path in sorted(paths):
        kept.setdefault(path.resolve(), path)
    return list(kept.values())


def _nothing(shown: str, folder: Path, cwd: Path) -> str:
    looked_for = f"{shown}: no case files; looked for *{_SUFFIX} in folders named {_TESTS}"
    for inner in folders_below(folder):
        for name in files_in(inner):
            if _is_case_file(name):
                return f"{looked_for}; to run {key_of(inner / name, cwd)}, name it with -i"
    return f"{looked_for} ({_REPORT}*{_SUFFIX} are reports)"


def _no_match(shown: str) -> str:
    return (
        f"{shown}: matches no case files; looked for files that end in {_SUFFIX} and folders that "
        f"hold such files below {_TESTS} ({_REPORT}*{_SUFFIX} are reports)"
    )


@hookimpl
def assay_loaders() -> Sequence[type[Loader]]:
    """Offer ``folder``."""
    return [Folder]
