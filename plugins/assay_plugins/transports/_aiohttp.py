"""Connections of aiohttp under the API of httpx, whose own get slow when there are many."""

from __future__ import annotations

import ssl
from functools import cached_property
from typing import TYPE_CHECKING

import aiohttp
import httpx
from attrs import define, field
from yarl import URL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

KEEP_ALIVE = 4.0
"""Seconds that an idle connection is kept: less than the five after which common servers close
theirs, so that a request seldom meets a connection that is just being closed."""
NO_ANSWER = "Server disconnected without sending a response."
"""What httpx says when a connection was closed where an answer was to come."""
LONGEST_HEADER = 65_536
"""Bytes of one header line; some gateways put whole policies into one."""


@define(slots=False)
class AiohttpTransport(httpx.AsyncBaseTransport):
    """Sends requests over connections of aiohttp.

    There is no limit on the number of connections: how many requests are under way is decided
    before they come here. Redirects are not followed, cookies are not kept.

    Args:
        connect_timeout: Seconds for looking up the name, connecting, and the TLS handshake.
        tls: Makes the TLS context when the first ``https`` address is asked; it takes 100 ms.
    """

    connect_timeout: float
    tls: Callable[[], ssl.SSLContext]
    _urls: dict[httpx.URL, URL] = field(factory=dict[httpx.URL, URL], init=False)

    @cached_property
    def _session(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE),
            # ``connect`` spans name, connection and handshake; the attempt's deadline bounds the
            # rest: an agent may be silent for minutes while it works.
            timeout=aiohttp.ClientTimeout(total=None, connect=self.connect_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request, and give its response when the head has come.

        Raises:
            httpx.TransportError: There is none.
        """
        try:
            response = await self._session.request(
                request.method,
                self._url(request.url),
                headers=[(name.decode("ascii"), _text(value)) for name, value in _headers(request)],
                data=request.content or None,
                allow_redirects=False,
                ssl=self.tls() if request.url.scheme == "https" else True,
            )
        except (aiohttp.ClientError, TimeoutError, ValueError, OSError) as error:
            raise _translated(error, request) from error
        return httpx.Response(
            response.status,
            headers=response.raw_headers,
            stream=_Body(response, request),
            request=request,
            extensions={"reason_phrase": (response.reason or "").encode("latin-1", "replace")},
        )

    async def aclose(self) -> None:
        """Close all connections."""
        if "_session" in self.__dict__:
            await self._session.close()

    def _url(self, url: httpx.URL) -> URL:
        # One address is asked again and again, and parsing it costs as much as the rest.
        known = self._urls.get(url)
        if known is None:
            if len(self._urls) >= 1000:
                self._urls.clear()
            known = self._urls[url] = URL(str(url), encoded=True)
        return known


class _Body(httpx.AsyncByteStream):
    """The body of a response, as it comes in."""

    def __init__(self, response: aiohttp.ClientResponse, request: httpx.Request) -> None:
        self._response = response
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        content = self._response.content
        try:
            while chunk := await content.readany():
                yield chunk
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise httpx.ReadError(_told(error), request=self._request) from error

    async def aclose(self) -> None:
        """Give the connection back if the body was read to its end, else close it."""
        if self._response.content.at_eof():
            self._response.release()
        else:
            self._response.close()


def _headers(request: httpx.Request) -> list[tuple[bytes, bytes]]:
    # aiohttp counts the body itself.
    return [pair for pair in request.headers.raw if pair[0].lower() != b"content-length"]


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _translated(error: Exception, request: httpx.Request) -> httpx.TransportError:
    """Name an error as httpx does, so that nobody above needs to know aiohttp."""
    if isinstance(error, TimeoutError):
        return httpx.ConnectTimeout("", request=request)
    if isinstance(error, aiohttp.ClientConnectorError):
        return httpx.ConnectError(_told(error.os_error), request=request)
    if isinstance(error, aiohttp.ServerDisconnectedError):
        if isinstance(error.message, aiohttp.http.RawResponseMessage):
            return httpx.ReadError("the connection closed within the headers", request=request)
        return httpx.RemoteProtocolError(NO_ANSWER, request=request)
    if isinstance(error, (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError)):
        return httpx.UnsupportedProtocol(_told(error), request=request)
    if isinstance(error, aiohttp.ClientResponseError):
        return httpx.RemoteProtocolError(error.message.strip(), request=request)
    return httpx.ReadError(_told(error), request=request)


def _told(error: BaseException) -> str:
    return str(error).strip() or type(error).__name__
