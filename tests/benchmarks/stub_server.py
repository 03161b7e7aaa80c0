"""A stand-in of agents for benchmarks: chat completions, and turns of a Yao server.

``python stub_server.py --latency 0.05 --events 50`` serves until its standard input closes. Its
first line of output is its address. It answers with the last message of the request.

``POST /v1/chat/completions`` answers in one piece, or in events where the body asks for a stream;
with ``assistant_id`` in the query it is a turn of a Yao server. Each event is a chunk of its own,
written by itself: all of them after the latency, or ``--apart`` each from the one before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator

import httptools
from attrs import define, field

EVENT_STREAM = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)
END = b"0\r\n\r\n"


@define(eq=False)
class Agent(asyncio.Protocol):
    """One connection. The names of methods that begin with ``on_`` are those of httptools."""

    latency: float
    """Seconds before an answer."""
    events: int
    """Pieces of the text of a stream."""
    apart: float
    """Seconds between two events of a stream."""
    _transport: asyncio.Transport = field(init=False)
    _parser: httptools.HttpRequestParser = field(init=False)
    _url: bytes = field(default=b"", init=False)
    _body: bytearray = field(factory=bytearray, init=False)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._parser = httptools.HttpRequestParser(self)

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        self._parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        """Keep the path and the query."""
        self._url = url

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        self._body += body

    def on_message_complete(self) -> None:
        """Answer after the latency."""
        asked = json.loads(self._body) if self._body else {}
        self._body.clear()
        if not asked:
            self._send([whole(look(self._url))])
        elif self.latency:
            pieces = self._answer(asked)
            asyncio.get_running_loop().call_later(self.latency, self._send, pieces)
        else:
            self._send(self._answer(asked))

    def _answer(self, asked: dict[str, list[dict[str, str]]]) -> list[bytes]:
        text = asked["messages"][-1]["content"]
        if b"assistant_id=" in self._url:
            return [EVENT_STREAM, *turn(text, self.events), END]
        if asked.get("stream"):
            return [EVENT_STREAM, *stream(text, self.events), END]
        return [whole(completion(text))]

    def _send(self, pieces: list[bytes]) -> None:
        if self.apart and len(pieces) > 1:
            self._send_apart(iter(pieces))
            return
        for piece in pieces:
            if self._transport.is_closing():
                return
            self._transport.write(piece)

    def _send_apart(self, pieces: Iterator[bytes]) -> None:
        piece = next(pieces, None)
        if piece is None or self._transport.is_closing():
            return
        self._transport.write(piece)
        asyncio.get_running_loop().call_later(self.apart, self._send_apart, pieces)


def whole(value: object) -> bytes:
    """Write a response in one piece."""
    body = json.dumps(value).encode()
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    return head % len(body) + body


def completion(text: str) -> object:
    """Make a chat completion."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "stub",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18},
    }


def stream(text: str, events: int) -> list[bytes]:
    """Write a completion as that many events, with an end."""
    before, after = (
        b'{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"stub",'
        b'"choices":[{"index":0,"delta":{"content":',
        b'},"finish_reason":null}]}',
    )
    stop = before.replace(b'"content":', b"") + b'},"finish_reason":"stop"}]}'
    pieces = [chunk(before + _text(piece) + after) for piece in cut(text, events)]
    return [*pieces, chunk(stop), chunk(b"[DONE]")]


def turn(text: str, events: int) -> list[bytes]:
    """Write a turn of a Yao server as that many changes, with what stands around them."""
    start = {"context_id": "ctx-1", "request_id": "ctx-1", "chat_id": "chat-1"}
    named = {"message_id": "M1", "type": "text", "timestamp": 1700000000000}
    usage = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}
    done = {"context_id": "ctx-1", "status": "completed", "usage": usage}
    content = {"extra": {"content": text}, "status": "completed"}
    before, after = (
        b'{"type":"text","props":{"content":',
        b'},"chunk_id":"C3","message_id":"M1","delta":true}',
    )
    return [
        _event("stream_start", start),
        _event("message_start", named),
        *(chunk(before + _text(piece) + after) for piece in cut(text, events)),
        _event("message_end", {**named, **content}),
        _event("stream_end", done),
    ]


def cut(text: str, events: int) -> list[str]:
    """Cut a text into that many pieces, some of them empty if it is short."""
    size = -(-len(text) // events)
    return [text[size * number : size * (number + 1)] for number in range(events)]


def chunk(data: bytes) -> bytes:
    """Write an event as a chunk of HTTP."""
    return b"%x\r\ndata: %b\n\n\r\n" % (len(data) + 8, data)


def look(url: bytes) -> object:
    """Answer what is asked before a run."""
    if b"/.well-known/" in url:
        return {"openapi": "/v1"}
    return {"assistant_id": "stub", "name": "Stub", "connector": "stub"}


def _text(piece: str) -> bytes:
    return json.dumps(piece).encode()


def _event(name: str, data: object) -> bytes:
    props = {"event": name, "message": name, "data": data}
    return chunk(json.dumps({"type": "event", "props": props, "chunk_id": "C1"}).encode())


async def serve(latency: float, events: int, apart: float) -> None:
    """Serve on a free port until standard input closes."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Agent(latency, events, apart), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    closed = asyncio.Event()
    loop.add_reader(sys.stdin, closed.set)
    await closed.wait()


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before an answer")
    parser.add_argument("--events", type=int, default=50, help="pieces of a stream")
    parser.add_argument("--apart", type=float, default=0.0, help="seconds between two events")
    given = parser.parse_args()
    asyncio.run(serve(given.latency, given.events, given.apart))


if __name__ == "__main__":
    main()
