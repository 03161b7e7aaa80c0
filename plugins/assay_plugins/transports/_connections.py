"""Connections that are kept and used again, as many as are needed at a time."""

from __future__ import annotations

import asyncio
import socket
import ssl
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay_plugins.transports._connection import Connection
from assay_plugins.transports._incoming import Incoming, headers_of
from assay_plugins.transports._wire_errors import ConnectTimedOut, NoProtocol, NotConnected

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay_plugins.transports._address import Address, Origin
    from assay_plugins.transports._connection import Head
    from assay_plugins.transports._outgoing import Outgoing

KEEP_ALIVE: Final = 4.0
"""Seconds that an idle connection is kept: less than the five after which common servers close
theirs, so that a request seldom meets a connection that is just being closed."""
PER_ADDRESS: Final = 2.0
"""Seconds after which the next address of a name is tried, if there is one."""


@define(eq=False)
class Connections:
    """Sends requests over connections that are kept and used again.

    There is no limit on their number: how many requests are under way is decided before they
    come here. HTTP/1.1 alone, no proxies, no redirects, no cookies.

    Args:
        connect_timeout: Seconds for looking up the name, connecting, and the TLS handshake.
        tls: Makes the TLS context when the first ``https`` address is asked: that takes 100 ms.
    """

    connect_timeout: float
    tls: Callable[[], ssl.SSLContext]
    _idle: dict[Origin, list[tuple[float, Connection]]] = field(
        factory=dict["Origin", list[tuple[float, Connection]]], init=False
    )

    async def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request, and give its response when the head has come.

        Raises:
            WireError: There is none.
        """
        data = outgoing.written()
        address = outgoing.address
        connection = self._kept(address.origin) or await self._connect(address)
        return self._incoming(address, connection, await connection.ask(data))

    async def close(self) -> None:
        """Close the connections that are idle; those under way are closed by whoever uses them."""
        for kept in self._idle.values():
            for _, connection in kept:
                connection.close()
        self._idle.clear()
        # One turn of the loop, in which the sockets are really closed.
        await asyncio.sleep(0)

    def _incoming(self, address: Address, connection: Connection, head: Head) -> Incoming:
        async def end() -> None:
            """Keep the connection if the body was read to its end, else close it."""
            if connection.release():
                now = asyncio.get_running_loop().time()
                self._idle.setdefault(address.origin, []).append((now, connection))

        return Incoming(
            address=address,
            status=head.status,
            reason=head.reason.decode("latin-1"),
            headers=headers_of(head.headers),
            raw=connection.body(),
            end=end,
        )

    def _kept(self, origin: Origin) -> Connection | None:
        """Give the connection that was used last, if one is still open."""
        kept = self._idle.get(origin, ())
        oldest = asyncio.get_running_loop().time() - KEEP_ALIVE
        while kept:
            since, connection = kept.pop()
            if not connection.is_closed and since >= oldest:
                return connection
            connection.close()
        return None

    async def _connect(self, address: Address) -> Connection:
        port = address.own_port
        if port is None or address.scheme not in ("http", "https"):
            raise NoProtocol(f"no scheme {address.scheme!r}")
        context = self.tls() if address.scheme == "https" else None
        try:
            async with asyncio.timeout(self.connect_timeout):
                return await _connected(address.host, port, context)
        except TimeoutError as error:
            raise ConnectTimedOut("") from error
        except (OSError, ValueError) as error:
            raise NotConnected(str(error)) from error


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
