"""Requests through a proxy: over httpx, which knows every kind of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import httpx

from assay_plugins.transports import _wire_errors as wire
from assay_plugins.transports._incoming import Incoming, headers_of

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator

    from assay_plugins.transports._outgoing import Outgoing

_NO_ANSWER: Final = "Server disconnected without sending a response."
"""What httpx says when a connection was closed where an answer was to come."""

_ERRORS: Final = (
    (httpx.ConnectTimeout, wire.ConnectTimedOut),
    (httpx.ProxyError, wire.ProxyFailed),
    (httpx.LocalProtocolError, wire.NotSendable),
    (httpx.RemoteProtocolError, wire.NotHttp),
    (httpx.UnsupportedProtocol, wire.NoProtocol),
    (httpx.ConnectError, wire.NotConnected),
    (httpx.NetworkError, wire.Broke),
)


class Proxied:
    """Sends requests through one proxy.

    Args:
        proxy: Its address.
        context: For the connections through it, and to it.

    Raises:
        ImportError: httpx lacks what this kind of proxy takes.
        ValueError: There is no such kind, or the address is none.
    """

    def __init__(self, proxy: str, context: ssl.SSLContext) -> None:
        try:
            address = httpx.Proxy(proxy)
        except httpx.InvalidURL as error:
            raise ValueError(str(error)) from error
        self._transport = httpx.AsyncHTTPTransport(
            verify=context,
            proxy=address,
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
        )

    async def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request, and give its response when the head has come.

        Raises:
            WireError: There is none.
        """
        try:
            response = await self._transport.handle_async_request(
                httpx.Request(
                    outgoing.method,
                    str(outgoing.address),
                    headers=dict(outgoing.headers),
                    content=outgoing.content,
                )
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _as_ours(error) from error
        return Incoming(
            address=outgoing.address,
            status=response.status_code,
            reason=response.reason_phrase,
            headers=headers_of(response.headers.raw),
            raw=_pieces(response),
            end=response.aclose,
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.aclose()


async def _pieces(response: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for piece in response.aiter_raw():
            yield piece
    except httpx.HTTPError as error:
        raise _as_ours(error) from error


def _as_ours(error: Exception) -> wire.WireError:
    if isinstance(error, httpx.RemoteProtocolError) and str(error) == _NO_ANSWER:
        return wire.Dropped(_NO_ANSWER)
    ours = (own for theirs, own in _ERRORS if isinstance(error, theirs))
    return next(ours, wire.WireError)(str(error))
