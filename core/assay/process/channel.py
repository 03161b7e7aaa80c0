"""A private way to a program and back."""

from __future__ import annotations

import asyncio
import os


class Channel:
    """A private way to a program and back, beside its standard streams (POSIX only).

    Open one, start the program with ``descriptors=channel.theirs``, tell it the two numbers
    (variables will do), and call ``handed_over``.
    """

    theirs: tuple[int, int]
    """What the program reads from, and what it writes to."""
    reader: asyncio.StreamReader
    """What the program wrote; ends when the program and all that inherited from it are gone."""

    def __init__(self, longest: int) -> None:
        self.reader = asyncio.StreamReader(limit=longest)
        self._handed = False
        self._transports: list[asyncio.BaseTransport] = []

    @classmethod
    async def open(cls, *, longest: int) -> Channel:
        """Open a channel.

        Args:
            longest: Bytes of the longest line that ``reader`` gives.
        """
        channel = cls(longest)
        loop = asyncio.get_running_loop()
        their_input, our_output = os.pipe()
        our_input, their_output = os.pipe()
        channel.theirs = (their_input, their_output)
        source, sink = os.fdopen(our_input, "rb", 0), os.fdopen(our_output, "wb", 0)
        try:
            protocol = asyncio.StreamReaderProtocol(channel.reader)
            channel._transports.append((await loop.connect_read_pipe(lambda: protocol, source))[0])
            channel._transports.append((await loop.connect_write_pipe(_Unheard, sink))[0])
        except BaseException:
            # A cancellation, too, must leave no pipe open.
            source.close()
            sink.close()
            channel.close()
            raise
        return channel

    def handed_over(self) -> None:
        """Close the program's ends here, once it has them."""
        if not self._handed:
            self._handed = True
            for number in self.theirs:
                os.close(number)

    def write(self, data: bytes) -> None:
        """Send data; what the program does not read yet is kept in memory."""
        pipe = self._transports[1]
        assert isinstance(pipe, asyncio.WriteTransport)
        pipe.write(data)

    def end_input(self) -> None:
        """Close the way to the program once all that was written has been sent."""
        self._transports[1].close()

    def close(self) -> None:
        """Close both ways."""
        self.handed_over()
        for transport in self._transports:
            if not isinstance(transport, asyncio.WriteTransport):
                transport.close()
            elif not transport.is_closing() or transport.get_write_buffer_size():
                transport.abort()


class _Unheard(asyncio.BaseProtocol):
    """A protocol for a pipe that is only written to."""
