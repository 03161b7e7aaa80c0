"""Connections of our own under the API of httpx, whose own get slow when there are many."""

from __future__ import annotations

import asyncio
import socket
import ssl
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, TypeAlias

import httpx
from attrs import define, field

from assay_plugins.transports._connection import Connection, written

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

KEEP_ALIVE: Final = 4.0
"""Seconds that an idle connection is kept: less than the five after which common servers close
theirs, so that a request seldom meets a connection that is just being closed."""
PER_ADDRESS: Final = 2.0
"""Seconds after which the next address of a name is tried, if there is one."""

_Origin: TypeAlias = tuple[str, str, int | None]


@define(eq=False)
class Connections(httpx.AsyncBaseTransport):
    """Sends requests over connections that are kept and used again.

    There is no limit on their number: how many requests are under way is decided before they
    come here. HTTP/1.1 alone, no proxies, no redirects, no cookies.

    Args:
        connect_timeout: Seconds for looking up the name, connecting, and the TLS handshake.
        tls: Makes the TLS context when the first ``https`` address is asked: that takes 100 ms.
        keep_alive: Seconds that an idle connection is kept.
    """

    connect_timeout: float
    tls: Callable[[], ssl.SSLContext]
    keep_alive: float = KEEP_ALIVE
    _expiry: asyncio.TimerHandle | None = field(default=None, init=False)
    _idle: dict[_Origin, list[tuple[float, Connection]]] = field(
        factory=dict["_Origin", list[tuple[float, Connection]]], init=False
    )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and give its response when the head has come.

        Raises:
            httpx.TransportError: There is none.
        """
        url = request.url
        data = written(request)
        origin = (url.scheme, url.host, url.port)
        connection = self._kept(origin) or await self._connect(url)
        head = await connection.ask(data)
        return httpx.Response(
            head.status,
            headers=head.headers,
            stream=_Body(connection, origin, self._keep),
            request=request,
            extensions={"reason_phrase": head.reason, "http_version": b"HTTP/1.1"},
        )

    async def aclose(self) -> None:
        """Close the connections that are idle; those under way are closed by whoever uses them."""
        if self._expiry is not None:
            self._expiry.cancel()
        for kept in self._idle.values():
            for _, connection in kept:
                connection.close()
        self._idle.clear()
        # One turn of the loop, in which the sockets are really closed.
        await asyncio.sleep(0)

    def _kept(self, origin: _Origin) -> Connection | None:
        """Give the connection that was used last, if one is still open."""
        kept = self._idle.get(origin, ())
        oldest = asyncio.get_running_loop().time() - self.keep_alive
        while kept:
            since, connection = kept.pop()
            if not connection.is_closed and since >= oldest:
                return connection
            connection.close()
        return None

    def _keep(self, connection: Connection, origin: _Origin) -> None:
        if connection.release():
            loop = asyncio.get_running_loop()
            self._idle.setdefault(origin, []).append((loop.time(), connection))
            if self._expiry is None:
                self._expiry = loop.call_later(self.keep_alive, self._expire)

    def _expire(self) -> None:
        """Close what was idle too long: a run of many agents asks one after the other."""
        loop = asyncio.get_running_loop()
        oldest = loop.time() - self.keep_alive
        self._expiry = None
        for origin, kept in list(self._idle.items()):
            for since, connection in kept:
                if since <= oldest:
                    connection.close()
            self._idle[origin] = [(since, each) for since, each in kept if since > oldest]
            if not self._idle[origin]:
                del self._idle[origin]
        if self._idle:
            self._expiry = loop.call_later(self.keep_alive, self._expire)

    async def _connect(self, url: httpx.URL) -> Connection:
        is_secure = url.scheme == "https"
        if not is_secure and url.scheme != "http":
            raise httpx.UnsupportedProtocol(f"no scheme {url.scheme!r}")
        port = url.port or (443 if is_secure else 80)
        try:
            async with asyncio.timeout(self.connect_timeout):
                return await _connected(url.host, port, self.tls() if is_secure else None)
        except TimeoutError as error:
            raise httpx.ConnectTimeout("") from error
        except (OSError, ValueError) as error:
            raise httpx.ConnectError(str(error)) from error


async def _connected(host: str, port: int, context: ssl.SSLContext | None) -> Connection:
    """Connect to the first address of a host that answers.

    One after the other: the race that asyncio offers loses sockets when it is cancelled.
    """
    loop = asyncio.get_running_loop()
    addresses = [host]
    if not _is_ip(host):
        infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = list(dict.fromkeys(str(info[4][0]) for info in infos))
    failures: list[Exception] = []
    for address in addresses:
        is_last = address == addresses[-1]
        try:
            async with asyncio.timeout(None if is_last else PER_ADDRESS):
                _, connection = await loop.create_connection(
                    Connection,
                    address,
                    port,
                    ssl=context,
                    server_hostname=host if context else None,
                )
        except (OSError, TimeoutError) as error:
            failures.append(error)
        else:
            return connection
    raise failures[0] if len(failures) == 1 else OSError(_together(failures))


def _together(failures: Sequence[Exception]) -> str:
    return ", ".join(dict.fromkeys(str(failure) for failure in failures))


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class _Body(httpx.AsyncByteStream):
    """The body of a response, as it comes in."""

    def __init__(
        self, connection: Connection, origin: _Origin, keep: Callable[[Connection, _Origin], None]
    ) -> None:
        self._connection = connection
        self._origin = origin
        self._keep = keep

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._connection.body()

    async def aclose(self) -> None:
        """Keep the connection if the body was read to its end, else close it."""
        self._keep(self._connection, self._origin)
