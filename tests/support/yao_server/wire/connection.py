"""One connection: requests in turn, and the end of a turn when the client goes away."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from yao_server.wire.answer import Answer
from yao_server.wire.request import BadRequest, HttpRequest, RequestReader

if TYPE_CHECKING:
    from asyncio import BaseTransport

Handler: TypeAlias = Callable[[HttpRequest, Answer], Awaitable[None]]

CLIENT_LEFT = "the client closed the connection"
"""The message of the cancellation that a handler gets when its client goes away."""


class Connection(asyncio.Protocol):
    """Reads requests and has each answered before the next is looked at.

    Args:
        handler: Answers a request. It is cancelled when the client goes away.
        opened: The connections that are open.
    """

    def __init__(self, handler: Handler, opened: set[Connection]) -> None:
        self._handler = handler
        self._opened = opened
        self._reader = RequestReader()
        self._task: asyncio.Task[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._is_lost = False

    def connection_made(self, transport: BaseTransport) -> None:
        """Open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self._reader.peer = str(peer[0]) if peer else ""
        self._opened.add(self)

    def data_received(self, data: bytes) -> None:
        """Take bytes; what comes during an answer waits for its turn."""
        self._reader.feed(data)
        self._advance()

    def eof_received(self) -> None:
        """End the turn that is under way: for Go a client that closes its half has left."""
        self._leave()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the turn that is under way."""
        self._opened.discard(self)
        self._leave()

    def pause_writing(self) -> None:
        """Wait: the client does not keep up."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Go on."""
        self._writable.set()

    @property
    def keeps_up(self) -> bool:
        """Whether the client takes what is written."""
        return self._writable.is_set()

    async def write(self, data: bytes) -> None:
        """Send bytes as far as the client takes them."""
        if self._is_lost:
            # The cancellation of this task is under way: nothing may be taken for sent.
            await asyncio.get_running_loop().create_future()
        self._transport.write(data)
        await self._writable.wait()

    def close(self) -> None:
        """Close, once all is sent."""
        self._transport.close()

    def drop(self, *, reset: bool) -> None:
        """Close where the answer stands, or reset the connection."""
        if reset:
            found = self._transport.get_extra_info("socket")
            if isinstance(found, socket.socket) or hasattr(found, "setsockopt"):
                found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._transport.abort()
        else:
            self._transport.close()

    async def ended(self) -> None:
        """Wait until nothing is under way."""
        if self._task is not None:
            await asyncio.wait([self._task])

    def _advance(self) -> None:
        if self._task is not None or self._is_lost:
            return
        try:
            request = self._reader.next()
        except BadRequest as error:
            self._refuse(error.reason)
            return
        if request is not None:
            self._task = asyncio.get_running_loop().create_task(self._answer(request))
        elif self._reader.wants_continue():
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    async def _answer(self, request: HttpRequest) -> None:
        answer = Answer(self, request)
        try:
            await self._handler(request, answer)
        finally:
            self._task = None
        if not request.keeps_alive or answer.ends_connection:
            self._transport.close()
        else:
            self._advance()

    def _refuse(self, reason: str) -> None:
        said = f"400 Bad Request: {reason}" if reason else "400 Bad Request"
        self._transport.write(
            b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
            b"Connection: close\r\n\r\n" + said.encode()
        )
        self._transport.close()
        self._is_lost = True

    def _leave(self) -> None:
        self._is_lost = True
        self._writable.set()
        if self._task is not None:
            self._task.cancel(CLIENT_LEFT)
