"""A worker process and the lines that go to it and come from it."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from assay.process import HAS_PRIVATE_DESCRIPTORS, LINGER, Channel, Program, start

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assay.process import Sink

INPUT = "ASSAY_SCRIPT_IN"
OUTPUT = "ASSAY_SCRIPT_OUT"
"""Variables that tell a worker the numbers of its two descriptors."""


class Link:
    """A program that is spoken to in lines; ``open_link`` makes one."""

    def __init__(
        self,
        program: Program,
        reader: asyncio.StreamReader,
        *,
        write: Callable[[bytes], None],
        end_input: Callable[[], None],
        close: Callable[[], None],
    ) -> None:
        self.program = program
        self.reader = reader
        self.write = write
        self.end_input = end_input
        self._close = close
        loop = asyncio.get_running_loop()
        # What the worker started may hold its descriptors open: the lines end all the same.
        program.when_ended(lambda: loop.call_later(LINGER, close))

    async def close(self) -> None:
        """Kill the program with its group, wait until it is gone, and close the way to it."""
        try:
            await self.program.close()
        finally:
            self._close()


async def open_link(command: Sequence[str], *, cwd: Path, longest: int, prints: Sink) -> Link:
    """Start a worker.

    Args:
        command: Of the worker.
        cwd: Its working directory.
        longest: Bytes of the longest line that is read from it.
        prints: Takes what it writes to stdout and stderr.

    Raises:
        OSError: It cannot be started.
    """
    if HAS_PRIVATE_DESCRIPTORS:
        return await open_private_link(command, cwd=cwd, longest=longest, prints=prints)
    return await open_standard_link(command, cwd=cwd, longest=longest, prints=prints)


async def open_private_link(
    command: Sequence[str], *, cwd: Path, longest: int, prints: Sink
) -> Link:
    """Speak over two descriptors that nobody else knows of."""
    channel = await Channel.open(longest=longest)
    try:
        program = await start(
            command,
            output=prints,
            cwd=cwd,
            environ=_environ(*channel.theirs),
            descriptors=channel.theirs,
        )
    except BaseException:
        # A cancellation, too, must leave no pipe open.
        channel.close()
        raise
    channel.handed_over()
    return Link(
        program,
        channel.reader,
        write=channel.write,
        end_input=channel.end_input,
        close=channel.close,
    )


async def open_standard_link(
    command: Sequence[str], *, cwd: Path, longest: int, prints: Sink
) -> Link:
    """Speak over stdin and stdout, where there are no private descriptors (Windows)."""
    reader = asyncio.StreamReader(limit=longest)
    program = await start(
        command,
        output=reader.feed_data,
        errors=prints,
        takes_input=True,
        cwd=cwd,
        environ=_environ(0, 1),
    )
    return Link(
        program,
        reader,
        write=program.write,
        end_input=program.end_input,
        close=reader.feed_eof,
    )


def _environ(their_input: int, their_output: int) -> dict[str, str]:
    return {**os.environ, INPUT: str(their_input), OUTPUT: str(their_output)}
