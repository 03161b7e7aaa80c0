"""Connections are kept for the next request, and closed when none comes."""

from __future__ import annotations

import asyncio
import ssl

import httpx

from assay_plugins.transports._connections import Connections

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
LIMIT = 60.0


def test_connections_that_are_idle_too_long_are_closed() -> None:
    async def main() -> int:
        ended: asyncio.Queue[None] = asyncio.Queue()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(ANSWER)
            assert await reader.read() == b""
            writer.close()
            ended.put_nowait(None)

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        connections = Connections(10.0, ssl.create_default_context, keep_alive=0.01)
        # Not closed in between: what ends the connections is that nobody asks.
        async with asyncio.timeout(LIMIT), server, httpx.AsyncClient(transport=connections) as http:
            answers = await asyncio.gather(*(http.get(url) for _ in range(3)))
            for _ in answers:
                await ended.get()
        return len(answers)

    assert asyncio.run(main()) == 3


def test_the_last_connection_is_used_again() -> None:
    async def main() -> int:
        opened = 0

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal opened
            opened += 1
            for _ in range(5):
                await reader.readuntil(b"\r\n\r\n")
                writer.write(ANSWER)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        connections = Connections(10.0, ssl.create_default_context, keep_alive=LIMIT)
        async with asyncio.timeout(LIMIT), server, httpx.AsyncClient(transport=connections) as http:
            for _ in range(5):
                assert (await http.get(url)).text == "ok"
        return opened

    assert asyncio.run(main()) == 1
