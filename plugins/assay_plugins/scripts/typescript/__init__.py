"""The script engine ``typescript``: functions in TypeScript and JavaScript files, run by Deno."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from attrs import frozen

from assay import ConfigError, hookimpl
from assay.jsonvalue import is_object
from assay_plugins.scripts.typescript.program import ask, command, find_deno

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay import ScriptEngine

_RIGHTS = (
    # The worker gives all of them up before it loads a script: see worker.ts.
    "--allow-all",
    "--unstable-worker-options",
    # MiB: what fills the memory ends its own process only.
    "--v8-flags=--max-old-space-size=1024",
)

_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")

_LIKELY = re.compile(r"\b(?:function\b\s*\*?|const\b|let\b|var\b|class\b|as\b)\s*([^\W\d][\w$]*)")
"""What a file may bind: asked about first, and together, as each question starts a process."""

_MOST_NAMES = 1000
"""In one question: each costs the time of compiling the file."""


class TypeScript:
    """Runs functions of ``.ts`` and ``.js`` files; what they may do is told in ``worker.ts``."""

    name: ClassVar[str] = "typescript"
    suffixes: ClassVar[tuple[str, ...]] = (".ts", ".js")

    def __init__(self, settings: object = None) -> None:
        self._deno: str | None = None
        self._seen: dict[Path, _Seen] = {}

    def defines(self, file: Path, function: str) -> bool:
        """Whether the file binds the name at its top level, or exports it.

        Raises:
            ConfigError: The file cannot be read or compiled, or there is no Deno to ask.
        """
        if not _NAME.fullmatch(function):
            return False
        seen = self._look(file, function)
        return function in seen.bound or seen.is_open

    def command(self, root: Path) -> Sequence[str]:
        """Give the command of a worker.

        Raises:
            ConfigError: Deno is not installed.
        """
        return command(self._program(), _RIGHTS, "worker.ts", str(root))

    def _program(self) -> str:
        if self._deno is None:
            self._deno = find_deno()
        return self._deno

    def _look(self, file: Path, function: str) -> _Seen:
        try:
            status = file.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            seen = self._seen.get(file)
            if seen is not None and seen.stamp == stamp and seen.knows(function):
                return seen
            text = file.read_bytes().decode("utf-8-sig")
        except OSError as error:
            raise ConfigError(f"{file} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{file} is not UTF-8: {error.reason}; save it as UTF-8") from error
        words = frozenset(_NAME.findall(text))
        is_first = seen is None or seen.stamp != stamp
        likely = _LIKELY.findall(text) if is_first else sorted(words)
        asked = frozenset((function, *likely[:_MOST_NAMES]))
        bound, is_open = _ask(self._program(), file, text, asked)
        seen = _Seen(stamp=stamp, words=words, asked=asked, bound=bound, is_open=is_open)
        self._seen[file] = seen
        return seen


@frozen(kw_only=True)
class _Seen:
    """What is known of a file as it was at one time."""

    stamp: tuple[int, int]
    words: frozenset[str]
    """All that may be a name in it."""
    asked: frozenset[str]
    bound: frozenset[str]
    """Those of the names asked about that it binds or exports."""
    is_open: bool
    """Whether it also passes on the names of another file."""

    def knows(self, name: str) -> bool:
        """Whether nothing is to be asked about a name."""
        return name in self.asked or name not in self.words


def _ask(deno: str, file: Path, text: str, names: frozenset[str]) -> tuple[frozenset[str], bool]:
    question = {"url": file.absolute().as_uri(), "text": text, "names": sorted(names)}
    answer: object = json.loads(ask(deno, "names.ts", json.dumps(question), about=file))
    if not is_object(answer):
        raise ConfigError(f"{deno} gave no answer about {file}")
    if "error" in answer:
        line = answer.get("line")
        where = file if line is None else f"{file}:{line}"
        language = "JavaScript" if file.suffix == ".js" else "TypeScript"
        raise ConfigError(f"{where} is not {language}: {answer['error']}")
    return frozenset(cast("list[str]", answer["names"])), bool(answer["anything"])


@hookimpl
def assay_script_engines() -> Sequence[type[ScriptEngine]]:
    """Offer ``typescript``."""
    return [TypeScript]
