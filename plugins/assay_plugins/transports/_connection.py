"""One connection to an HTTP server: it writes a request and parses the response."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

import httptools
import httpx
from attrs import define, field, frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

NO_ANSWER: Final = "Server disconnected without sending a response."
"""What httpx says when a connection was closed where an answer was to come."""

LONGEST_HEAD: Final = 1_000_000
"""Bytes of status and headers."""
MOST_AHEAD: Final = 262_144
"""Bytes of a body that are taken before they are asked for."""


@frozen
class Head:
    """Status and headers of a response."""

    status: int
    reason: bytes
    headers: list[tuple[bytes, bytes]]


@define(eq=False)
class Connection(asyncio.Protocol):
    """A connection, which carries one request after the other.

    The names of the methods that begin with ``on_`` are those of httptools.
    """

    is_idle: bool = field(default=True, init=False)
    is_closed: bool = field(default=False, init=False)
    _transport: asyncio.Transport = field(init=False)
    _parser: httptools.HttpResponseParser = field(init=False)
    _head: asyncio.Future[Head] = field(init=False)
    _reason: bytes = field(default=b"", init=False)
    _headers: list[tuple[bytes, bytes]] = field(factory=list[tuple[bytes, bytes]], init=False)
    _chunks: deque[bytes] = field(factory=deque[bytes], init=False)
    _waiting: int = field(default=0, init=False)
    """Bytes in ``_chunks``."""
    _more: asyncio.Future[None] | None = field(default=None, init=False)
    """Whoever waits for more of the body."""
    _received: int = field(default=0, init=False)
    """Bytes since the request."""
    _is_whole: bool = field(default=False, init=False)
    _is_kept: bool = field(default=False, init=False)
    """Whether the connection stays open after the response."""
    _failure: Exception | None = field(default=None, init=False)

    async def ask(self, request: bytes) -> Head:
        """Send a request, as ``written`` gives it, and wait for the head of its response.

        Raises:
            httpx.TransportError: There is none.
        """
        self._parser = httptools.HttpResponseParser(self)
        self._head = asyncio.get_running_loop().create_future()
        self._reason, self._headers = b"", []
        self._received = 0
        self._is_whole = self._is_kept = self.is_idle = False
        self._failure = None
        self._transport.write(request)
        try:
            return await self._head
        except BaseException:
            # Whoever gave up waiting would leave its answer to the next request.
            self.close()
            raise

    async def body(self) -> AsyncIterator[bytes]:
        """Give the body of the response as it comes in.

        Raises:
            httpx.TransportError: It broke off.
        """
        while True:
            if self._chunks:
                chunk = self._chunks.popleft() if len(self._chunks) == 1 else b"".join(self._chunks)
                self._chunks.clear()
                if self._waiting > MOST_AHEAD:
                    self._transport.resume_reading()
                self._waiting = 0
                yield chunk
            elif self._failure is not None:
                raise self._failure
            elif self._is_whole:
                return
            else:
                self._more = asyncio.get_running_loop().create_future()
                await self._more

    def release(self) -> bool:
        """End a request: give whether the connection can carry another one; close it if not."""
        if self._is_whole and self._is_kept and not self.is_closed and not self._chunks:
            self.is_idle = True
            return True
        self.close()
        return False

    def close(self) -> None:
        """Close the connection at once."""
        self.is_closed = True
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        if self.is_idle or self._is_whole:
            # Nobody asked: the server says something on its own, such as 408.
            self._is_kept = False
            self.close()
            return
        self._received += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._fail(httpx.RemoteProtocolError(f"not HTTP: {error}"))
        if not self._head.done() and self._received > LONGEST_HEAD:
            self._fail(httpx.RemoteProtocolError("the headers are too long"))

    def connection_lost(self, exc: Exception | None) -> None:
        """See ``asyncio.Protocol``."""
        self.is_closed = True
        if self.is_idle or self._is_whole:
            return
        if exc is None and self._head.done() and self._ends_with_connection():
            self.on_message_complete()
        elif self._received:
            what = "was reset" if exc else "was closed"
            where = "before its end" if self._head.done() else "within its head"
            self._fail(httpx.ReadError(f"the connection {what} {where}"))
        else:
            failure = httpx.ReadError(str(exc)) if exc else httpx.RemoteProtocolError(NO_ANSWER)
            failure.__cause__ = exc
            self._fail(failure)

    def on_message_begin(self) -> None:
        """Note a response that nobody asked for, behind the one that was."""
        if self._is_whole:
            self._is_kept = False

    def on_status(self, status: bytes) -> None:
        """Take a piece of the reason."""
        self._reason += status

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        if not self._head.done():
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Give the head to whoever waits for it."""
        status = self._parser.get_status_code()
        if status < 200:
            # Something is still to come: 100 (go on), 103 (early hints).
            self._reason, self._headers = b"", []
        elif not self._head.done():
            self._head.set_result(Head(status, self._reason, self._headers))

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        self._chunks.append(body)
        before = self._waiting
        self._waiting += len(body)
        if before <= MOST_AHEAD < self._waiting:
            self._transport.pause_reading()
        self._wake()

    def on_message_complete(self) -> None:
        """Note that the response is whole, unless it only announced another one."""
        if self._head.done() and not self._is_whole:
            self._is_whole = True
            self._is_kept = not self.is_closed and self._parser.should_keep_alive()
            self._wake()

    def _ends_with_connection(self) -> bool:
        """Whether a body has no other end than that of the connection."""
        names = {name.lower() for name, _ in self._headers}
        return not names & {b"content-length", b"transfer-encoding"}

    def _fail(self, error: httpx.TransportError) -> None:
        self._failure = error
        self._is_kept = False
        if not self._head.done():
            self._head.set_exception(error)
        self._wake()

    def _wake(self) -> None:
        if self._more is not None:
            if not self._more.done():
                self._more.set_result(None)
            self._more = None


def written(request: httpx.Request) -> bytes:
    """Write a request as it is sent.

    Raises:
        httpx.LocalProtocolError: A header would break out of its line.
    """
    lines = [b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)]
    for name, value in request.headers.raw:
        if b"\n" in value or b"\r" in value or b"\0" in value:
            raise httpx.LocalProtocolError(f"the header {name.decode()} holds a line break")
        lines.append(b"%b: %b" % (name, value))
    return b"\r\n".join(lines) + b"\r\n\r\n" + request.content
