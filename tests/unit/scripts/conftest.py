from __future__ import annotations

import asyncio
import os
import select
from textwrap import dedent
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from assay.contracts import ScriptTarget
from assay.scripts.find import Found
from assay.scripts.pool import Pool
from assay_plugins.scripts.python import Python
from assay_plugins.scripts.typescript import TypeScript

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from assay.contracts import ScriptEngine

T = TypeVar("T")
DEADLINE = 60.0


class Bench:
    """A root folder with scripts in it, and ways to call them."""

    def __init__(self, root: Path, engine: ScriptEngine) -> None:
        self.root = root
        self.engine = engine
        self.file = f"checks{engine.suffixes[0]}"
        """What a script is called where a test does not say."""
        self.lines: list[str] = []
        self._heard: list[tuple[str, asyncio.Future[str]]] = []

    def write(self, text: str, name: str = "") -> Path:
        file = self.root / (name or self.file)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return file

    def found(self, function: str = "check", name: str = "") -> Found:
        file = self.root / (name or self.file)
        target = ScriptTarget(file=file, function=function, root=self.root)
        return Found(target=target, engine=self.engine.name)

    def pool(self, limit: int | None = 2) -> Pool:
        return Pool({self.engine.name: self.engine}, limit=limit, tell=self._tell)

    def _tell(self, line: str) -> None:
        self.lines.append(line)
        for start, heard in self._heard:
            if line.startswith(start) and not heard.done():
                heard.set_result(line.removeprefix(start))

    async def hear(self, start: str) -> str:
        """Wait until a script prints a line that starts so; gives the rest of the line."""
        for line in self.lines:
            if line.startswith(start):
                return line.removeprefix(start)
        heard: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._heard.append((start, heard))
        return await asyncio.wait_for(heard, DEADLINE)

    def run(self, work: Callable[[Pool], Coroutine[Any, Any, T]], limit: int | None = 2) -> T:
        """Do something with a pool, and close it."""

        async def whole() -> T:
            async with self.pool(limit) as pool:
                return await asyncio.wait_for(work(pool), DEADLINE)

        return asyncio.run(whole())

    def call(self, text: str, *arguments: object, function: str = "check") -> object:
        """Call one function of a script, given its text."""
        self.write(text)
        return self.run(lambda pool: pool.call(self.found(function), arguments))


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A bench for Python."""
    return Bench(tmp_path, Python())


@pytest.fixture
def ts(tmp_path: Path) -> Bench:
    """A bench for TypeScript."""
    return Bench(tmp_path, TypeScript())


@pytest.fixture(params=["python", "typescript"])
def any_bench(tmp_path: Path, request: pytest.FixtureRequest) -> Bench:
    """A bench for each language in turn."""
    engines: dict[str, ScriptEngine] = {"python": Python(), "typescript": TypeScript()}
    return Bench(tmp_path, engines[request.param])


def is_gone(pid: int) -> bool:
    """Wait until a process has ended; False when it has not by the deadline."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        ended, _, _ = select.select([descriptor], [], [], DEADLINE)
        return bool(ended)
    finally:
        os.close(descriptor)


@pytest.fixture
def gone() -> Callable[[int], bool]:
    return is_gone
