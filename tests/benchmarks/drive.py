"""How many requests a server answers: a loop that sends fixed bytes and looks for their end.

``python drive.py URL PATH BODY CONNECTIONS SECONDS`` prints the answers per second.
"""

from __future__ import annotations

import asyncio
import sys
import time
from urllib.parse import urlsplit

import httptools
from attrs import define, field


@define(eq=False)
class Driver(asyncio.Protocol):
    """A connection that asks again as soon as it is answered."""

    request: bytes
    answers: int = field(default=0, init=False)
    _transport: asyncio.Transport = field(init=False)
    _parser: httptools.HttpResponseParser = field(init=False)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See ``asyncio.Protocol``."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._parser = httptools.HttpResponseParser(self)
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Count, and ask again."""
        assert self._parser.get_status_code() == 200
        self.answers += 1
        self._transport.write(self.request)


async def drive(url: str, path: str, body: bytes, connections: int, seconds: float) -> float:
    """Ask for some seconds, and give the answers per second."""
    parts = urlsplit(url)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    assert parts.hostname is not None
    assert parts.port is not None
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(
            lambda: Driver(head.encode() + body), parts.hostname, parts.port
        )
        for _ in range(connections)
    ]
    before, started = sum(driver.answers for _, driver in made), time.perf_counter()
    await asyncio.sleep(seconds)
    took = time.perf_counter() - started
    return (sum(driver.answers for _, driver in made) - before) / took


def main() -> None:
    """Read the command line and ask."""
    url, path, body, connections, seconds = sys.argv[1:]
    rate = asyncio.run(drive(url, path, body.encode(), int(connections), float(seconds)))
    print(f"{rate:.0f}")


if __name__ == "__main__":
    main()
