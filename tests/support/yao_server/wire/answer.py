"""The answer to one request, written whole or as a stream."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Protocol

from yao_server.wire.proxy import Proxy

if TYPE_CHECKING:
    from yao_server.wire.connection import Connection
    from yao_server.wire.request import HttpRequest

_GZIP = 31
"""zlib's window bits for the gzip format."""


class Packer(Protocol):
    """Compresses a stream."""

    def compress(self, data: bytes, /) -> bytes:
        """Take data in."""
        ...

    def flush(self, mode: int = ..., /) -> bytes:
        """Give all that was taken in."""
        ...


class Dropped(Exception):  # noqa: N818 - what happened to the connection
    """The connection was dropped in mid-answer, as the script wanted it."""


class Answer:
    """Writes one answer. The head goes out with the first byte of the body, as with Go.

    Args:
        connection: Where it goes.
        request: What it answers.
    """

    def __init__(self, connection: Connection, request: HttpRequest) -> None:
        self._connection = connection
        self._request = request
        self.proxy = Proxy()
        self.status = 200
        self.headers: dict[str, str] = {}
        self.has_begun = False
        self.ends_connection = False
        self.wire_bytes = 0
        """Bytes sent so far, the head included."""
        self._packer: Packer | None = None

    @property
    def keeps_up(self) -> bool:
        """Whether the client takes what is written."""
        return self._connection.keeps_up

    async def whole(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an answer of known length."""
        self.status = status
        self.headers |= headers or {}
        self.headers.setdefault("Content-Length", str(len(body)))
        self.has_begun = True
        is_bodyless = self._request.method == "HEAD" or status in (204, 304)
        await self._send(self._head() + (b"" if is_bodyless else body))

    async def write(self, data: bytes) -> None:
        """Send a piece of the body, with the head before the first one."""
        if not self.has_begun:
            await self._begin()
        if self._packer is not None:
            data = self._packer.compress(data) + self._packer.flush(zlib.Z_SYNC_FLUSH)
        for number, segment in enumerate(self.proxy.segments(data)):
            if self.proxy.pause and (number or self.proxy.segment == 0):
                await asyncio.sleep(self.proxy.pause)
            await self._chunk(segment)

    async def end(self) -> None:
        """End the body as HTTP ends it."""
        if not self.has_begun:
            await self.whole(self.status, b"")
            return
        if self._packer is not None:
            await self._chunk(self._packer.flush())
        if self._is_chunked:
            await self._send(b"0\r\n\r\n")
        else:
            self.ends_connection = True

    async def raw(self, data: bytes) -> None:
        """Send bytes that need not be HTTP at all."""
        self.has_begun = self.ends_connection = True
        await self._send(data)

    def drop(self, *, reset: bool = False) -> Dropped:
        """Drop the connection where it stands; the caller raises what is given back."""
        self.ends_connection = True
        self._connection.drop(reset=reset)
        return Dropped("reset" if reset else "closed")

    @property
    def _is_chunked(self) -> bool:
        return self.proxy.chunked and self._request.version == "1.1"

    async def _begin(self) -> None:
        self.has_begun = True
        if self.proxy.gzip and "gzip" in self._request.header("accept-encoding"):
            self._packer = zlib.compressobj(wbits=_GZIP)
            self.headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        if self._is_chunked:
            self.headers["Transfer-Encoding"] = "chunked"
        else:
            self.headers["Connection"] = "close"
        await self._send(self._head())

    async def _chunk(self, data: bytes) -> None:
        if data and self._is_chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        await self._send(data)

    async def _send(self, data: bytes) -> None:
        cut = self.proxy.cut
        if cut is not None and self.wire_bytes + len(data) >= cut:
            data = data[: cut - self.wire_bytes]
            self.wire_bytes += len(data)
            await self._connection.write(data)
            raise self.drop(reset=self.proxy.reset)
        self.wire_bytes += len(data)
        await self._connection.write(data)

    def _head(self) -> bytes:
        try:
            phrase = HTTPStatus(self.status).phrase
        except ValueError:
            phrase = "status code " + str(self.status)
        lines = [f"HTTP/1.1 {self.status} {phrase}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        lines.append(f"Date: {formatdate(usegmt=True)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1")
