"""The contract of a script engine."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

from assay.contracts import ScriptTarget
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.errors import CannotCheck
from assay.jsonvalue import equal
from assay.scripts.find import Found
from assay.scripts.pool import Pool
from assay.scripts.worker import start_worker
from assay.testing.broken import broken
from assay.testing.given import settings_of
from assay.testing.hostile import HOSTILE_TEXTS, HOSTILE_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.contracts import ScriptEngine

FUNCTIONS: Final = ("give", "fail", "crash", "hang", "shout")
"""The functions of the file that the check is handed."""

_BEYOND_FLOATS: Final = ("an integer beyond floats", "an integer of ten thousand digits")
"""Numbers that not every language can hold."""

_LETS_GO: Final = 10.0
"""Seconds that killing a call, or ending a worker, may take."""
_HANGS: Final = 0.5
"""Seconds after which a call that hangs is cancelled."""


def check_script_engine(cls: type[ScriptEngine], file: Path, *, settings: object = None) -> None:
    """See that a script engine and its worker keep their contract.

    Args:
        cls: The class.
        file: A script in its language that defines ``give(value)`` (returns the value),
            ``fail()`` (raises), ``crash()`` (ends the process), ``hang()`` (never returns) and
            ``shout()`` (prints a lot to stdout and returns ``"done"``).
        settings: What it is made with; its defaults when None.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    try:
        word = word_of("script", cls)
        judge("script", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    make = cast("Callable[[object], ScriptEngine]", cls)
    engine = make(settings_of(cls, settings))
    if not file.name.endswith(cls.suffixes):
        raise broken(cls, f"{file.name} has none of its suffixes: {' '.join(cls.suffixes)}")
    for function in FUNCTIONS:
        if not engine.defines(file, function):
            raise broken(cls, f"it does not see that {file.name} defines {function!r}")
    if engine.defines(file, "no_such_function"):
        raise broken(cls, f"it says that {file.name} defines 'no_such_function'")
    command: object = engine.command(file.parent)
    if not isinstance(command, tuple | list) or not command:
        raise broken(cls, f"command() gives {command!r}, and not the parts of a command")
    asyncio.run(_check(cls, engine, _Calls(cls, Pool({word: engine}), file, word)))


class _Calls:
    def __init__(self, cls: type, pool: Pool, file: Path, engine: str) -> None:
        self._cls = cls
        self.pool = pool
        self._file = file
        self.root = file.parent
        self._engine = engine

    async def call(self, function: str, *arguments: object) -> object:
        target = ScriptTarget(file=self._file, function=function, root=self._file.parent)
        return await self.pool.call(Found(target=target, engine=self._engine), list(arguments))

    async def gives(self, function: str, wanted: object, *arguments: object) -> None:
        try:
            given = await self.call(function, *arguments)
        except CannotCheck as error:
            raise broken(self._cls, f"calling {function}: {error}") from error
        if not equal(given, wanted):
            raise broken(self._cls, f"{function} gives {given!r:.80} instead of {wanted!r:.80}")

    async def fails(self, function: str) -> str:
        try:
            given = await self.call(function)
        except CannotCheck as error:
            return str(error)
        raise broken(self._cls, f"{function} gives {given!r:.80} and does not fail")


async def _check(cls: type, engine: ScriptEngine, calls: _Calls) -> None:
    async with calls.pool:
        for text in HOSTILE_TEXTS.values():
            await calls.gives("give", text, text)
        for name, value in HOSTILE_VALUES.items():
            if name not in _BEYOND_FLOATS:
                await calls.gives("give", value, value)
        await calls.gives("shout", "done")
        for function in ("fail", "no_such_function", "crash"):
            await calls.fails(function)
            await calls.gives("give", function, function)
        await _check_hang(cls, calls)
        await calls.gives("give", "alive", "alive")
        values = [calls.gives("give", number, number) for number in range(8)]
        await asyncio.gather(*values)
    await _check_end(cls, engine, calls)


async def _check_hang(cls: type, calls: _Calls) -> None:
    calling = asyncio.ensure_future(calls.call("hang"))
    await asyncio.wait([calling], timeout=_HANGS)
    if calling.done():
        raise broken(cls, "hang() ends; it must never return")
    calling.cancel()
    await asyncio.wait([calling], timeout=_LETS_GO)
    if not calling.cancelled():
        raise broken(cls, f"a call that hangs is not gone {_LETS_GO:.0f} s after it is cancelled")


async def _check_end(cls: type, engine: ScriptEngine, calls: _Calls) -> None:
    root = calls.root
    worker = await start_worker(engine.command(root), cwd=root)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(_LETS_GO):
                await worker.end()
                return
        raise broken(cls, "its worker does not end when its requests end")
    finally:
        await worker.close()
