"""An HTTP server that says what a test tells it to, byte by byte, on a real socket.

It can be slow, silent, lie about lengths, and die at any byte. It is strict with whoever asks:
what a careful server refuses, it refuses, and ``faults`` says so.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Self

from attrs import define, field, frozen


@frozen(kw_only=True)
class Asked:
    """One request."""

    method: str
    target: str
    headers: Mapping[str, str]
    """Names in small letters."""
    body: bytes
    connection: int
    """The number of its connection, from 1."""

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@frozen
class Wait:
    """Say nothing for so many seconds."""

    seconds: float


@frozen
class Silence:
    """Say nothing more, until the other side goes away."""


@frozen
class Until:
    """Say nothing until something happens in the test."""

    event: threading.Event


@frozen
class Close:
    """Close the connection in order."""


@frozen
class Reset:
    """Break the connection: the other side sees a reset."""


Step = bytes | Wait | Silence | Until | Close | Reset
Script = Iterable[Step]
Answering = Callable[[Asked], Script]


class _End(Exception):  # noqa: N818 - the end of a connection, no error
    pass


def head(status: int = 200, *headers: str, reason: str = "OK") -> bytes:
    """Write status and headers."""
    lines = [f"HTTP/1.1 {status} {reason}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def whole(
    body: object,
    status: int = 200,
    *headers: str,
    kind: str = "application/json",
    reason: str = "OK",
) -> bytes:
    """Write a response in one piece; what is neither bytes nor text becomes JSON."""
    if isinstance(body, str):
        body = body.encode()
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = (f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers)
    return head(status, *told, reason=reason) + data


def chunk(data: bytes | str) -> bytes:
    """Write a chunk of a body; the empty one ends it."""
    data = data.encode() if isinstance(data, str) else data
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(data: object) -> str:
    """Write a server-sent event."""
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def stream(
    *pieces: bytes | str | Step, ends: bool = True, headers: tuple[str, ...] = ()
) -> list[Step]:
    """Write a chunked stream of events; without ``ends``, the connection closes within it."""
    steps: list[Step] = [
        head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked", *headers)
    ]
    steps += [chunk(piece) if isinstance(piece, (bytes, str)) else piece for piece in pieces]
    steps.append(chunk(b"") if ends else Close())
    return steps


@define(eq=False)
class ScriptedServer:
    """The server, as a context manager; it runs in a thread of its own.

    Args:
        answering: Gives the script that answers a request.
        context: For TLS.
    """

    answering: Answering
    context: ssl.SSLContext | None = None
    asked: list[Asked] = field(factory=list[Asked], init=False)
    faults: list[str] = field(factory=list[str], init=False)
    """What was wrong with requests."""
    connections: int = field(default=0, init=False)
    open: int = field(default=0, init=False)
    """Connections that are open now."""
    most_open: int = field(default=0, init=False)
    port: int = field(default=0, init=False)
    _loop: asyncio.AbstractEventLoop = field(factory=asyncio.new_event_loop, init=False)
    _tasks: set[asyncio.Task[None]] = field(factory=set["asyncio.Task[None]"], init=False)
    _thread: threading.Thread = field(init=False)
    _ready: threading.Event = field(factory=threading.Event, init=False)
    _done: asyncio.Event = field(init=False)
    closed: threading.Event = field(factory=threading.Event, init=False)
    """Set when a connection was closed by the other side within an answer."""

    @property
    def url(self) -> str:
        """Its address, without a slash behind."""
        scheme = "http" if self.context is None else "https"
        return f"{scheme}://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._done = asyncio.Event()
        server = await asyncio.start_server(
            self._connected, "127.0.0.1", 0, backlog=2000, ssl=self.context, limit=2**26
        )
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._done.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        number = self.connections
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            async for asked in self._requests(reader, writer, number):
                self.asked.append(asked)
                for step in self.answering(asked):
                    await _take(step, reader, writer)
        except (_End, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            if not self._done.is_set():
                self.closed.set()
            self._tasks.discard(task)
            writer.close()

    async def _requests(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> AsyncIterator[Asked]:
        while True:
            try:
                first = await reader.readexactly(1)
                if not first.isalpha():
                    self.faults.append(f"no HTTP: {first!r}")
                    writer.write(whole("no HTTP", 400, "Connection: close"))
                    return
                raw = first + await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError as error:
                if error.partial:
                    self.faults.append(f"half a request: {error.partial[:80]!r}")
                return
            lines = raw.decode("latin-1").split("\r\n")[:-2]
            method, target, version = lines[0].split(" ")
            pairs = [line.split(": ", 1) for line in lines[1:]]
            headers = {name.lower(): value for name, value in pairs}
            length = int(headers.get("content-length", "0"))
            body = await reader.readexactly(length)
            problem = _problem(method, version, headers, len(pairs), body)
            if problem:
                self.faults.append(problem)
                writer.write(whole({"error": {"message": problem}}, 400))
                continue
            yield Asked(method=method, target=target, headers=headers, body=body, connection=number)


def _problem(
    method: str, version: str, headers: Mapping[str, str], count: int, body: bytes
) -> str | None:
    if version != "HTTP/1.1":
        return f"version {version}"
    if "host" not in headers:
        return "no Host"
    if len(headers) != count:
        return "a header stands twice"
    if "transfer-encoding" in headers:
        return "a body of unknown length"
    if method == "POST" and "content-length" not in headers:
        return "POST without Content-Length"
    if body:
        if headers.get("content-type") != "application/json":
            return f"Content-Type {headers.get('content-type')}"
        try:
            json.loads(body.decode("utf-8"))
        except ValueError as error:
            return f"the body is not JSON: {error}"
    return None


async def _take(step: Step, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    if isinstance(step, bytes):
        writer.write(step)
        await writer.drain()
        if writer.is_closing():
            raise _End
    elif isinstance(step, Wait):
        await asyncio.sleep(step.seconds)
    elif isinstance(step, Until):
        await asyncio.get_running_loop().run_in_executor(None, step.event.wait, 20)
    elif isinstance(step, Silence):
        await reader.read()
        raise _End
    else:
        if isinstance(step, Reset):
            raw: socket.socket = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        else:
            writer.write_eof()
        raise _End
