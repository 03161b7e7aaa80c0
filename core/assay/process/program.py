"""Programs that run, each in a process group of its own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Self, TypeAlias

from attrs import frozen

from assay.process.group import Lifeline, is_over, kill_group, own_group
from assay.process.tail import Tail

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

LINGER = 0.5
"""Seconds to wait, once a program has ended, for output that others may still hold open."""

Sink: TypeAlias = Callable[[bytes], object]
"""Takes what a program writes, piece by piece."""


class Program(asyncio.SubprocessProtocol):
    """A program that runs; ``start`` makes one.

    As an async context manager it ends the program, with its whole group, when it is left.
    """

    pid: int
    """The process, and the group that it leads."""

    def __init__(self, output: Sink, errors: Sink | None) -> None:
        self._sinks = {1: output} if errors is None else {1: output, 2: errors}
        self._open = set(self._sinks)
        self._quiet = asyncio.Event()
        self._exit: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.SubprocessTransport | None = None
        self._lifeline = Lifeline()

    @property
    def returncode(self) -> int | None:
        """The exit code, or the signal as a negative number; None while it runs."""
        return self._exit.result() if self._exit.done() else None

    @property
    def has_ended(self) -> bool:
        """Whether it has ended, asked of the system: asyncio may not have heard of it yet."""
        return self._exit.done() or (self._transport is not None and is_over(self.pid))

    @property
    def descriptors(self) -> tuple[int, ...]:
        """What the program has to inherit so that it does not outlive this process."""
        return self._lifeline.inherited

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Note that the program runs (asyncio calls this)."""
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid()
        self._lifeline.tie(self.pid)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass on what the program wrote (asyncio calls this)."""
        self._sinks[fd](data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Note that nobody can write any more (asyncio calls this)."""
        self._open.discard(fd)
        if not self._open:
            self._quiet.set()

    def process_exited(self) -> None:
        """Note the end, and end what the program left behind (asyncio calls this)."""
        assert self._transport is not None
        if sys.platform != "win32":
            kill_group(self.pid)
        code = self._transport.get_returncode()
        self._exit.set_result(-signal.SIGKILL if code is None else code)

    def write(self, data: bytes) -> None:
        """Send data to its stdin; what it does not read yet is kept in memory."""
        self._stdin().write(data)

    def end_input(self) -> None:
        """Close its stdin once all that was written has been sent."""
        self._stdin().close()

    def _stdin(self) -> asyncio.WriteTransport:
        pipe = None if self._transport is None else self._transport.get_pipe_transport(0)
        if not isinstance(pipe, asyncio.WriteTransport):
            raise ValueError("the program was started without input")
        return pipe

    def kill(self) -> None:
        """Kill the program and its whole group at once."""
        if self._transport is not None and not self._exit.done():
            kill_group(self.pid)

    def when_ended(self, callback: Callable[[], object]) -> None:
        """Have something called when the program has ended; its output may not be read yet."""
        self._exit.add_done_callback(lambda _: callback())

    async def wait(self) -> int:
        """Wait until it has ended and its output is read.

        Output that a process outside of the group holds open is waited for ``LINGER`` seconds.

        Returns:
            The exit code, or the signal as a negative number.
        """
        code = await asyncio.shield(self._exit)
        with suppress(TimeoutError):
            async with asyncio.timeout(LINGER):
                await self._quiet.wait()
        return code

    async def close(self) -> None:
        """Kill what is left of it, and wait until it is gone."""
        self.kill()
        self._exit.add_done_callback(lambda _: self.let_go())
        await self.wait()
        self.let_go()

    def let_go(self) -> None:
        """Give back what the program cost this process; kills it when it still runs."""
        self.kill()
        self._lifeline.cut()
        # An open transport that is closed before the end would reap the process itself,
        # behind the back of asyncio's own watcher.
        if self._transport is not None and self._exit.done():
            self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


async def start(
    command: Sequence[str],
    *,
    output: Sink,
    errors: Sink | None = None,
    takes_input: bool = False,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    descriptors: Sequence[int] = (),
) -> Program:
    """Start a program in a process group and session of its own.

    Args:
        command: The program and its arguments; no shell reads them.
        output: Takes what it writes to stdout.
        errors: Takes what it writes to stderr; None: ``output`` takes that too.
        takes_input: Whether ``Program.write`` is its stdin; else its stdin is empty.
        cwd: Its working directory; None: that of this process.
        environ: All its variables; None: those of this process.
        descriptors: What it inherits, under the same numbers (POSIX only).

    Returns:
        The program. Use it as an async context manager, or ``close`` it.

    Raises:
        OSError: It cannot be started.
    """
    program = Program(output, errors)
    inherited = (*descriptors, *program.descriptors)
    starting = asyncio.ensure_future(
        asyncio.get_running_loop().subprocess_exec(
            lambda: program,
            *command,
            stdin=subprocess.PIPE if takes_input else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if errors is None else subprocess.PIPE,
            cwd=cwd,
            env=environ,
            **own_group(inherited),
        )
    )
    try:
        await asyncio.shield(starting)
    except asyncio.CancelledError:
        # A group can be killed once it is there, which takes a moment more.
        starting.add_done_callback(lambda _: program.let_go())
        await asyncio.wait([starting])
        if starting.exception() is None:
            await program.close()
        raise
    except BaseException:
        # Nothing was started: what was made for the program is given back.
        program.let_go()
        raise
    return program


@frozen(kw_only=True)
class Finished:
    """What a program that ran to its end left."""

    returncode: int
    """The exit code, or the signal as a negative number."""
    output: bytes
    errors: bytes
    """The end of what it wrote to stderr."""
    is_cut: bool = False
    """Whether it was killed because it wrote more than was allowed."""


async def run(
    command: Sequence[str],
    *,
    data: bytes = b"",
    most: int = 64 * 1024 * 1024,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Finished:
    """Run a program to its end, and kill its whole group when this is cancelled.

    Args:
        command: The program and its arguments; no shell reads them.
        data: What it reads from stdin.
        most: Bytes of stdout after which it is killed.
        cwd: Its working directory; None: that of this process.
        environ: All its variables; None: those of this process.

    Raises:
        OSError: It cannot be started.
    """
    pieces: list[bytes] = []
    room = most
    errors = Tail()
    program: Program | None = None

    def keep(piece: bytes) -> None:
        nonlocal room
        pieces.append(piece[: max(room, 0)])
        room -= len(piece)
        if room < 0 and program is not None:
            program.kill()

    program = await start(
        command, output=keep, errors=errors.feed, takes_input=True, cwd=cwd, environ=environ
    )
    async with program:
        if room < 0:
            program.kill()
        program.write(data)
        program.end_input()
        code = await program.wait()
    return Finished(returncode=code, output=b"".join(pieces), errors=bytes(errors), is_cut=room < 0)
