"""The file, function and engine behind a script reference."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from attrs import frozen

from assay.contracts import ScriptTarget
from assay.errors import ConfigError
from assay.roots import application_root
from assay.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from assay.contracts import ScriptEngine

_SCRIPT_SUFFIXES = (".py", ".ts", ".js")
"""What makes a reference without a slash a path, whichever engines are installed."""

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")

_LONGEST_READ = 1024 * 1024
"""Characters of a file that are looked through for a similar name."""

_MOST_SIMILAR = 20
"""Similar names of a file that its engine is asked about."""


@frozen(kw_only=True)
class Found:
    """A function that a reference names."""

    target: ScriptTarget
    engine: str
    """The name of the engine that runs it."""

    @property
    def label(self) -> str:
        """What messages call it: the file from its root, and the function."""
        file = self.target.file.relative_to(self.target.root).as_posix()
        return f"{file}:{self.target.function}"


def find(
    reference: str,
    *,
    case_folder: Path,
    agent_folder: Path | None,
    root: Path | None,
    cwd: Path,
    engines: Sequence[ScriptEngine],
) -> Found:
    """Find the function that a reference names, without running anything.

    ``scripts.test.Check`` is the function ``Check`` of ``scripts/test`` with a suffix that an
    engine runs, below the application root, the agent's folder, its ``src``, or the case file's
    folder. ``path/to/file.py:check`` is relative to the case file's folder, the agent's, the
    application root, or the working directory. The first file that is there counts.

    Args:
        reference: As a case writes it.
        case_folder: The folder of the case file.
        agent_folder: The folder of the agent, if it has one.
        root: The application root; None: the nearest one upwards from the case file, if any.
        cwd: The working directory; files in messages are relative to it.
        engines: In the order in which their suffixes are tried.

    Raises:
        ConfigError: There is no such file (the message lists what was tried), nothing runs it,
            it cannot be read, or it lacks the function.
    """
    root = root or application_root(_plain(case_folder))
    root = None if root is None else _plain(root)
    path, colon, function = reference.rpartition(":")
    if not colon:
        path, function = reference, ""
    if colon or _is_path(reference, engines):
        folders = _distinct(case_folder, agent_folder, root, cwd)
        tried = _path_candidates(reference, path, function, folders)
    else:
        source = None if agent_folder is None else agent_folder / "src"
        folders = _distinct(root, agent_folder, source, case_folder)
        *parts, function = reference.split(".")
        tried = _dotted_candidates(reference, parts, function, folders, engines)
    file = next((candidate for candidate in tried if _is_file(candidate)), None)
    if file is None:
        raise ConfigError(_not_found(reference, tried, cwd, engines))
    engine = _engine_for(file, engines)
    if engine is None:
        raise ConfigError(
            f"script {reference!r}: {_nothing_runs(_shown(file, cwd), file, engines)}"
        )
    base = root if root is not None and file.is_relative_to(root) else file.parent
    try:
        is_defined = engine.defines(file, function)
        engine.command(base)
    except ConfigError as error:
        raise ConfigError(f"script {reference!r}: {error}") from error
    if not is_defined:
        raise ConfigError(_no_function(reference, file, function, cwd, engine))
    return Found(target=ScriptTarget(file=file, function=function, root=base), engine=engine.name)


def _is_path(reference: str, engines: Sequence[ScriptEngine]) -> bool:
    suffixes = (*_SCRIPT_SUFFIXES, *(suffix for engine in engines for suffix in engine.suffixes))
    return "/" in reference or os.sep in reference or reference.endswith(suffixes)


def _distinct(*folders: Path | None) -> list[Path]:
    absolute = [_plain(folder) for folder in folders if folder is not None]
    return list(dict.fromkeys(absolute))


def _plain(path: Path) -> Path:
    """Make a path absolute and take ``..`` out, but leave links as the user named them."""
    return type(path)(os.path.abspath(path))  # noqa: PTH100 - resolve() follows links


def _path_candidates(
    reference: str, path: str, function: str, folders: Sequence[Path]
) -> list[Path]:
    if not path or not _NAME.fullmatch(function):
        raise ConfigError(
            f"script {reference!r} names no function; write FILE:FUNCTION, as in checks.py:check"
        )
    return list(dict.fromkeys(_plain(folder / path) for folder in folders))


def _dotted_candidates(
    reference: str,
    parts: Sequence[str],
    function: str,
    folders: Sequence[Path],
    engines: Sequence[ScriptEngine],
) -> list[Path]:
    if not parts or not all(parts) or any("\0" in part for part in parts) or not function:
        raise ConfigError(
            f"script {reference!r} is no reference; write FOLDER.FILE.FUNCTION or FILE:FUNCTION, "
            "as in scripts.test.Check or checks.py:check"
        )
    suffixes = list(dict.fromkeys(suffix for engine in engines for suffix in engine.suffixes))
    stems = [folder.joinpath(*parts) for folder in folders]
    return [stem.with_name(stem.name + suffix) for stem in stems for suffix in suffixes]


def _engine_for(file: Path, engines: Sequence[ScriptEngine]) -> ScriptEngine | None:
    for engine in engines:
        if file.name.endswith(tuple(engine.suffixes)):
            return engine
    return None


def _shown(path: Path, cwd: Path) -> str:
    base = _plain(cwd)
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)


def _not_found(
    reference: str, tried: Sequence[Path], cwd: Path, engines: Sequence[ScriptEngine]
) -> str:
    for stem in dict.fromkeys(path.with_suffix("") for path in tried):
        for suffix in _SCRIPT_SUFFIXES:
            other = stem.with_name(stem.name + suffix)
            if _is_file(other) and _engine_for(other, engines) is None:
                return f"script {reference!r}: {_nothing_runs(_shown(other, cwd), other, engines)}"
    if not tried:
        return f"script {reference!r}: no script engine is installed"
    places = ", ".join(_shown(path, cwd) for path in tried)
    return f"script {reference!r} was not found; make one of the files that were tried: {places}"


def _nothing_runs(shown: str, file: Path, engines: Sequence[ScriptEngine]) -> str:
    known = ", ".join(f"{engine.name} ({' '.join(engine.suffixes)})" for engine in engines)
    return (
        f"no installed script engine runs {shown}; "
        f"install one for {file.suffix or 'such'} files (installed: {known or 'none'})"
    )


def _no_function(reference: str, file: Path, function: str, cwd: Path, engine: ScriptEngine) -> str:
    what = f"script {reference!r}: {_shown(file, cwd)} has no function {function!r}"
    close = _similar(file, function, engine)
    return f"{what}; did you mean {close!r}?" if close else f"{what}; define it there"


def _similar(file: Path, function: str, engine: ScriptEngine) -> str | None:
    """Give the name in a file that is most like another and that its engine says is defined."""
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            names = set(_NAME.findall(stream.read(_LONGEST_READ)))
    except OSError:
        return None
    for _ in range(_MOST_SIMILAR):
        close = did_you_mean(function, sorted(names))
        if close is None or engine.defines(file, close):
            return close
        names.discard(close)
    return None


def _is_file(path: Path) -> bool:
    # Path.is_file raises for names that are too long.
    return os.path.isfile(path)  # noqa: PTH113
