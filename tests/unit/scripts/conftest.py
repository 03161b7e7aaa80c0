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

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

T = TypeVar("T")
DEADLINE = 60.0


class Bench:
    """A root folder with scripts in it, and ways to call them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.lines: list[str] = []
        self._heard: list[tuple[str, asyncio.Future[str]]] = []

    def write(self, text: str, name: str = "checks.py") -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return file

    def found(self, function: str = "check", name: str = "checks.py") -> Found:
        target = ScriptTarget(file=self.root / name, function=function, root=self.root)
        return Found(target=target, engine="python")

    def pool(self, limit: int | None = 2) -> Pool:
        return Pool({"python": Python()}, limit=limit, tell=self._tell)

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
    return Bench(tmp_path)


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
