"""A cluster of this machine alone, for one run: a scheduler here, and worker processes."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final

from attrs import define, field

from assay import RunError, process
from assay.duration import format_seconds
from assay_dask.local_worker import READY

_ENDING: Final = 3.0
"""Seconds that a worker process has to end by itself."""


@asynccontextmanager
async def local_cluster(workers: int, wait: float) -> AsyncGenerator[str]:
    """Start a cluster, and give the address of its scheduler. It ends with the context.

    A worker process that ends is replaced. On Linux the kernel ends all of them when this process
    is gone, however it went; elsewhere they end by themselves.

    Args:
        workers: How many worker processes.
        wait: Seconds to wait for them.

    Raises:
        RunError: They do not come up.
    """
    from distributed import Scheduler

    with tempfile.TemporaryDirectory(prefix="assay-dask-", ignore_cleanup_errors=True) as folder:
        made: Any = Scheduler(host="127.0.0.1", port=0, dashboard_address=":0", dashboard=False)
        async with made as scheduler:
            pool = _Pool(str(scheduler.address), folder)
            try:
                await pool.start(workers, wait)
                yield pool.scheduler
            finally:
                await pool.close()


@define
class _Pool:
    """Worker processes that are replaced when they end."""

    scheduler: str
    folder: str
    _running: set[asyncio.Task[None]] = field(factory=set["asyncio.Task[None]"], init=False)
    _programs: set[process.Program] = field(factory=set["process.Program"], init=False)
    _ready: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(0), init=False)
    _problem: asyncio.Future[None] = field(init=False)
    _is_closing: bool = field(default=False, init=False)

    async def start(self, workers: int, wait: float) -> None:
        """Start so many, and wait until all are there."""
        self._problem = asyncio.get_running_loop().create_future()
        for _ in range(workers):
            keeping = asyncio.create_task(self._keep())
            self._running.add(keeping)
            keeping.add_done_callback(self._running.discard)
        there = asyncio.ensure_future(self._all(workers))
        try:
            await asyncio.wait(
                [there, self._problem], timeout=wait, return_when=asyncio.FIRST_COMPLETED
            )
            if self._problem.done():
                self._problem.result()
            if not there.done():
                raise RunError(
                    "the worker processes of the local dask cluster were not there after"
                    f" {format_seconds(wait)}; raise executor.dask.wait"
                )
        finally:
            there.cancel()
            self._problem.cancel()

    async def close(self) -> None:
        """End all of them."""
        self._is_closing = True
        for program in self._programs:
            program.end_input()
        if self._running:
            await asyncio.wait(self._running, timeout=_ENDING)
        for keeping in self._running:
            keeping.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def _all(self, workers: int) -> None:
        for _ in range(workers):
            await self._ready.acquire()

    async def _keep(self) -> None:
        """Keep one process running."""
        while not self._is_closing:
            is_ready = await self._run()
            if not is_ready and not self._is_closing:
                if not self._problem.done():
                    self._problem.set_exception(
                        RunError("a worker process of the local dask cluster does not start")
                    )
                return

    async def _run(self) -> bool:
        """Run one process to its end; gives whether it came up."""
        seen = bytearray()
        is_ready = False

        def take(piece: bytes) -> None:
            nonlocal is_ready
            if is_ready:
                _show(piece)
                return
            seen.extend(piece)
            if (READY + "\n").encode() in seen:
                is_ready = True
                self._ready.release()

        options = ("-u", "-P", "-m", "assay_dask.local_worker")
        command = [sys.executable, *options, self.scheduler, self.folder]
        program = await process.start(command, output=take, errors=_show, takes_input=True)
        async with program:
            self._programs.add(program)
            try:
                await program.wait()
            finally:
                self._programs.discard(program)
        return is_ready


def _show(piece: bytes) -> None:
    """Show what a process wrote: what agents print goes to standard error, as in a local run."""
    sys.stderr.write(piece.decode(errors="replace"))
    sys.stderr.flush()
