"""Workers, as many as are needed, kept while they may be of use to another attempt."""

from __future__ import annotations

import asyncio
import os
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from assay.errors import CannotCheck, ConfigError
from assay.process import LINGER

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence
    from types import TracebackType

    from assay.contracts import ScriptEngine
    from assay.scripts.find import Found
    from assay.scripts.worker import ScriptWorker

_Kind: TypeAlias = tuple[str, Path, Path]
"""Engine, root, and the script's folder: neighbours that two folders both import by one name
must not meet in one process."""


class Pool:
    """Calls functions in scripts. It belongs to one event loop.

    Args:
        engines: The engines by name.
        limit: How many workers there are at most; None: one per processor, and at least four.
        tell: Takes the lines that scripts print, not escaped; None: they are shown only in the
            message of a call whose process ended.
    """

    def __init__(
        self,
        engines: Mapping[str, ScriptEngine],
        *,
        limit: int | None = None,
        tell: Callable[[str], object] | None = None,
    ) -> None:
        self._engines = engines
        self._limit = limit or max(4, os.cpu_count() or 1)
        self._tell = tell
        self._turns = asyncio.Semaphore(self._limit)
        self._busy: set[ScriptWorker] = set()
        self._idle: list[tuple[_Kind, ScriptWorker]] = []
        """The one that was used last stands last."""
        self._starting = 0
        self._endings: set[asyncio.Task[None]] = set()
        self._is_closed = False

    async def call(
        self,
        found: Found,
        arguments: Sequence[object],
        *,
        waiting: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> object:
        """Call a function in a worker. Cancelling it kills that worker, and only that one.

        Args:
            found: The function.
            arguments: JSON values.
            waiting: Entered while all workers are taken: a deadline can stand still meanwhile.

        Returns:
            The JSON value that the function returned.

        Raises:
            CannotCheck: The function raised, its process ended, or there is no JSON result.
        """
        if self._turns.locked():
            with waiting():
                await self._turns.acquire()
        else:
            await self._turns.acquire()
        try:
            return await self._call(found, arguments)
        finally:
            self._turns.release()

    async def _call(self, found: Found, arguments: Sequence[object]) -> object:
        if self._is_closed:
            raise _over()
        kind = (found.engine, found.target.root, found.target.file.parent)
        worker = self._take(kind) or await self._start(kind)
        self._busy.add(worker)
        try:
            return await worker.call(found, arguments)
        finally:
            self._busy.discard(worker)
            if worker.is_usable and not self._is_closed:
                self._idle.append((kind, worker))
            else:
                self._bury(worker)

    def _take(self, kind: _Kind) -> ScriptWorker | None:
        """Take the worker of that kind that was used last; clear those away that have died."""
        for index in range(len(self._idle) - 1, -1, -1):
            other, worker = self._idle[index]
            if not worker.is_usable:
                self._bury(self._idle.pop(index)[1])
            elif other == kind:
                return self._idle.pop(index)[1]
        return None

    async def _start(self, kind: _Kind) -> ScriptWorker:
        from assay.scripts.worker import start_worker

        engine, root, _ = kind
        try:
            command = self._engines[engine].command(root)
        except ConfigError as error:
            raise CannotCheck(str(error)) from error
        if len(self._idle) + len(self._busy) + self._starting >= self._limit and self._idle:
            self._retire(self._idle.pop(0)[1])
        self._starting += 1
        try:
            worker = await start_worker(command, cwd=root, tell=self._tell)
        finally:
            self._starting -= 1
        if self._is_closed:
            self._bury(worker)
            raise _over()
        return worker

    def _bury(self, worker: ScriptWorker) -> None:
        """Kill a worker, and clear up after it in the background."""
        worker.kill()
        self._in_background(worker.close())

    def _retire(self, worker: ScriptWorker, deadline: float = 2.0) -> None:
        """Let an idle worker end by itself, in the background."""
        self._in_background(_end(worker, deadline))

    def _in_background(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    async def close(self, deadline: float = 5.0) -> None:
        """End all workers: idle ones by themselves where they can, all others by force.

        Args:
            deadline: Seconds for those that are to end by themselves.
        """
        self._is_closed = True
        for worker in self._busy:
            self._bury(worker)
        while self._idle:
            self._retire(self._idle.pop()[1], deadline)
        if self._endings:
            await asyncio.wait(self._endings, timeout=deadline + 2 * LINGER)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


async def _end(worker: ScriptWorker, deadline: float) -> None:
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline):
                await worker.end()
    finally:
        await worker.close()


def _over() -> CannotCheck:
    return CannotCheck("the run is over: no script is called any more")
