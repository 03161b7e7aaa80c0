"""The program that runs Python scripts, one call at a time, for the engine ``python``.

It is started by path, with the root of the scripts as its argument, and uses the standard
library only. Requests come as JSON lines on the descriptor that ``ASSAY_SCRIPT_IN`` names,
answers go out on ``ASSAY_SCRIPT_OUT``; whatever scripts print goes to stderr. User code has the
main thread. Another thread listens: when requests end while a call runs, it kills the process
with all that it started.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import json
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    import asyncio
    import io
    from collections.abc import Sequence
    from types import ModuleType, TracebackType

GRACE = 5.0
"""Seconds in which an idle worker ends by itself: scripts may have functions to call at exit."""

LONGEST_TEXT = 4000
"""Characters of what an exception says."""

Requests: TypeAlias = "SimpleQueue[bytes | None]"


class Failure(Exception):  # noqa: N818 - it is the scripts that fail
    """Why there is no result, as a sentence."""


def main() -> None:
    """Answer requests until they end."""
    root = sys.argv.pop()
    source = os.fdopen(_private("ASSAY_SCRIPT_IN"), "rb", 256 * 1024)
    answers = os.fdopen(_private("ASSAY_SCRIPT_OUT"), "wb")
    _prints_to_stderr()
    # It says where a crash of the interpreter happened.
    faulthandler.enable(all_threads=False)
    sys.path.insert(0, root)
    requests: Requests = SimpleQueue()
    busy = threading.Event()
    threading.Thread(target=_listen, args=(source, requests, busy), daemon=True).start()
    scripts = Scripts(root)
    while (line := requests.get()) is not None:
        busy.set()
        answer = scripts.answer(line)
        _flush()
        # Before the answer is out: whoever has it may end the requests at once.
        busy.clear()
        try:
            answers.write(answer)
            answers.flush()
        except BrokenPipeError:
            _end_group()
    scripts.close()


def _private(variable: str) -> int:
    """Take a descriptor over, so that neither scripts nor their children meet it."""
    number = int(os.environ.pop(variable))
    own = os.dup(number)
    if number > 2:
        os.close(number)
    return own


def _prints_to_stderr() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = _printing(1)
    sys.stderr = _printing(2)


def _printing(number: int) -> io.TextIOWrapper:
    # Line by line, so that what was printed before a crash is seen.
    return open(
        number, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Scripts may have closed or replaced them.
        with suppress(Exception):
            stream.flush()


def _listen(source: IO[bytes], requests: Requests, busy: threading.Event) -> None:
    for line in source:
        requests.put(line)
    requests.put(None)
    if not busy.is_set():
        time.sleep(GRACE)
    _end_group()


def _end_group() -> None:
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


class Scripts:
    """The files that were loaded, each once, and calls of their functions."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._modules: dict[str, ModuleType] = {}
        self._runner: asyncio.Runner | None = None

    def answer(self, line: bytes) -> bytes:
        """Carry a request out, and give the line that answers it."""
        number: object = None
        try:
            try:
                request = json.loads(line)
                number = request["id"]
                file, name = str(request["file"]), str(request["function"])
                arguments = list(request["arguments"])
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise Failure(f"the request cannot be read: {_said(error)}") from None
            function = self._function(file, name)
            text = _encoded(number, self._call(function, arguments, file))
        except Failure as failure:
            text = json.dumps({"id": number, "error": str(failure)})
        return text.encode("ascii") + b"\n"

    def close(self) -> None:
        """End what asynchronous functions left running."""
        if self._runner is not None:
            self._runner.close()

    def _function(self, file: str, name: str) -> Callable[..., object]:
        module = self._modules.get(file)
        if module is None:
            module = self._modules[file] = self._load(file)
        try:
            function: object = getattr(module, name)
        except AttributeError:
            raise Failure(f"the file has no function {name!r}") from None
        if not callable(function):
            raise Failure(f"{name!r} is a {type(function).__name__}, not a function")
        return function

    def _load(self, file: str) -> ModuleType:
        path = Path(file)
        name = f"assay_script_{len(self._modules)}_{path.stem}"
        folder = str(path.parent)
        if folder not in sys.path:
            sys.path.insert(0, folder)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise Failure("the file is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        self._stand_in_root()
        try:
            spec.loader.exec_module(module)
        except BaseException as error:  # noqa: BLE001 - sys.exit and Ctrl-C are for the script, not us
            del sys.modules[name]
            raise Failure(f"it cannot be imported: {_told(error, file)}") from None
        return module

    def _call(
        self, function: Callable[..., object], arguments: Sequence[object], file: str
    ) -> object:
        self._stand_in_root()
        try:
            result = function(*arguments)
            if isinstance(result, Awaitable):
                return self._awaited(cast("Awaitable[object]", result))
            return result
        except BaseException as error:  # noqa: BLE001 - as above
            raise Failure(_told(error, file)) from None

    def _awaited(self, result: Awaitable[object]) -> object:
        import asyncio

        # One event loop for all calls: scripts may keep what belongs to it.
        if self._runner is None:
            self._runner = asyncio.Runner()

        async def wait() -> object:
            return await result

        return self._runner.run(wait())

    def _stand_in_root(self) -> None:
        # A script may have gone elsewhere, or taken the folder away.
        with suppress(OSError):
            os.chdir(self._root)


def _told(error: BaseException, file: str) -> str:
    """Say what an exception says, and in which line of the user's file it came up."""
    if isinstance(error, SyntaxError) and error.filename not in (None, file):
        return f"{_said(error)} in {error.filename}, line {error.lineno}"
    line = error.lineno if isinstance(error, SyntaxError) else _line(error.__traceback__, file)
    if isinstance(error, SystemExit):
        what = f"it called sys.exit({_cut(repr(error.code))})"
    else:
        what = _said(error)
    if line is None:
        return what
    # A bare "assert" has nothing to say but its own text.
    source = f": {_source(file, line)}" if what == type(error).__name__ else ""
    return f"{what} (line {line}{source})"


def _said(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # noqa: BLE001 - the script's own __str__
        text = "(its message cannot be shown)"
    return f"{kind}: {_cut(text)}" if text else kind


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _line(trace: TracebackType | None, file: str) -> int | None:
    """Give the innermost line of the file that a traceback passes."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _source(file: str, line: int) -> str:
    try:
        return (
            Path(file).read_text(encoding="utf-8", errors="replace").splitlines()[line - 1].strip()
        )
    except (OSError, IndexError):
        return "?"


def _encoded(number: object, value: object) -> str:
    try:
        flaw = _flaw(value)
        if flaw is None:
            return json.dumps({"id": number, "value": value}, separators=(",", ":"))
    except RecursionError:
        raise Failure("its result is nested too deeply, or in itself") from None
    except ValueError as error:
        raise Failure(f"its result is not JSON: {error}") from None
    path, what = flaw
    raise Failure(f"its result is not JSON: ${path} {what}")


def _flaw(value: object) -> tuple[str, str] | None:
    """Give the path and the reason of what is not JSON in a value."""
    if value is None or isinstance(value, str | int):
        return None
    if isinstance(value, float):
        return None if math.isfinite(value) else ("", f"is {value}")
    if isinstance(value, dict):
        for key, item in cast("dict[object, object]", value).items():
            if not isinstance(key, str):
                return "", f"has the key {_cut(repr(key))}, which is not a string"
            flaw = _flaw(item)
            if flaw is not None:
                return f".{_cut(key)}{flaw[0]}", flaw[1]
        return None
    if isinstance(value, list | tuple):
        for index, item in enumerate(cast("Sequence[object]", value)):
            flaw = _flaw(item)
            if flaw is not None:
                return f"[{index}]{flaw[0]}", flaw[1]
        return None
    return "", f"is a {type(value).__module__}.{type(value).__qualname__}".replace("builtins.", "")


if __name__ == "__main__":
    main()
