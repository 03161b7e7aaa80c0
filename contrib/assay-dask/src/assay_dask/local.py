"""A cluster of this machine alone, for one run: a process for the scheduler, and workers."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

from attrs import define, field

from assay import RunError, process
from assay.duration import format_seconds
from assay_dask.local_process import READY

_ENDING: Final = 3.0
"""Seconds that the processes have to end by themselves."""


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
    with tempfile.TemporaryDirectory(prefix="assay-dask-", ignore_cleanup_errors=True) as folder:
        local = _Local(folder)
        try:
            yield await local.start(workers, wait)
        finally:
            await local.close()


@define(eq=False)
class _Local:
    """The processes of a cluster."""

    folder: str
    _tasks: set[asyncio.Task[None]] = field(factory=set["asyncio.Task[None]"], init=False)
    _programs: set[process.Program] = field(factory=set["process.Program"], init=False)
    _address: asyncio.Future[str] = field(init=False)
    _ready: asyncio.Semaphore = field(factory=lambda: asyncio.Semaphore(0), init=False)
    _problem: asyncio.Future[None] = field(init=False)
    _is_closing: bool = field(default=False, init=False)

    async def start(self, workers: int, wait: float) -> str:
        """Start all, wait until they are there, and give the address of the scheduler."""
        loop = asyncio.get_running_loop()
        self._address, self._problem = loop.create_future(), loop.create_future()
        for keeping in (self._schedule(), *(self._work() for _ in range(workers))):
            task = asyncio.create_task(keeping)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        there = asyncio.ensure_future(self._all(workers))
        try:
            both = (there, self._problem)
            await asyncio.wait(both, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
            if self._problem.done():
                self._problem.result()
            if not there.done():
                raise RunError(
                    f"the processes of the local dask cluster were not there after"
                    f" {format_seconds(wait)}; raise executor.dask.wait"
                )
        finally:
            there.cancel()
            self._problem.cancel()
        return self._address.result()

    async def close(self) -> None:
        """End all of them."""
        self._is_closing = True
        for program in self._programs:
            program.end_input()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_ENDING)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _all(self, workers: int) -> None:
        for _ in range(workers):
            await self._ready.acquire()

    async def _schedule(self) -> None:
        """Run the scheduler."""
        await self._run("scheduler", self._address.set_result)
        self._fail()

    async def _work(self) -> None:
        """Keep a worker running."""
        is_ready = True
        while is_ready and not self._is_closing:
            is_ready = False

            def take(line: str) -> None:
                nonlocal is_ready
                assert line == READY, line
                is_ready = True
                self._ready.release()

            await self._run("worker", take)
        self._fail()

    def _fail(self) -> None:
        if not self._problem.done():
            why = "a process of the local dask cluster does not start"
            self._problem.set_exception(RunError(why))

    async def _run(self, role: str, take: Callable[[str], object]) -> None:
        """Run a process to its end.

        Args:
            role: What it is.
            take: Takes its first line.
        """
        first: bytearray | None = bytearray()

        def read(piece: bytes) -> None:
            nonlocal first
            if first is None:
                _show(piece)
                return
            first += piece
            line, found, rest = bytes(first).partition(b"\n")
            if found:
                first = None
                take(line.decode().strip())
                _show(rest)

        options = ("-u", "-P", "-m", "assay_dask.local_process")
        command = [sys.executable, *options, role, self.folder]
        program = await process.start(command, output=read, errors=_show, takes_input=True)
        async with program:
            self._programs.add(program)
            try:
                if role == "worker":
                    address = await asyncio.shield(self._address)
                    program.write(f"{address}\n".encode())
                await program.wait()
            finally:
                self._programs.discard(program)


def _show(piece: bytes) -> None:
    """Show what a process wrote: what agents print goes to standard error, as in a local run."""
    sys.stderr.write(piece.decode(errors="replace"))
    sys.stderr.flush()
