"""The HTTP client of all HTTP transports: requests and responses of httpx, errors of assay."""

from __future__ import annotations

import os
import ssl
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeAlias

import httpx
from attrs import define, field

from assay import ABSENT, ConfigError, TransportError, __version__
from assay.jsonvalue import JsonError, compact, loads
from assay_plugins.transports._connections import Connections
from assay_plugins.transports._failures import brief, broken_off, refused, shown, unanswered
from assay_plugins.transports._proxies import proxy_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping
    from types import TracebackType

CONNECT_TIMEOUT: Final = 10.0
"""Seconds for connecting. There is no other timeout here: an agent may be silent for minutes
while it works, so the attempt's own deadline bounds the rest."""
MOST_BYTES: Final = 256_000_000
"""Of one answer; a server that sends without end must not fill the memory."""

_HEADERS: Final = {
    "Accept": "*/*",
    "Accept-Encoding": "gzip, deflate",
    "User-Agent": f"assay/{__version__}",
}

_Origin: TypeAlias = tuple[str, str, int | None]


@define
class HttpClient:
    """Asks over HTTP, as an async context manager; one is shared by all tasks of a transport.

    Each request stands for itself: no cookies are kept, no redirects followed, and no number of
    connections is too many, since core decides how many requests are under way. TLS is always
    verified.

    Args:
        ca_file: A certificate (PEM) to trust beside those that are trusted anyway.
        headers: For every request.
        connect_timeout: Seconds.
        transport: Sends the requests; None: connections of our own, or of httpx through a proxy.
    """

    ca_file: Path | None = None
    headers: Mapping[str, str] = field(factory=dict[str, str])
    connect_timeout: float = CONNECT_TIMEOUT
    transport: httpx.AsyncBaseTransport | None = None
    _direct: httpx.AsyncBaseTransport = field(init=False)
    _by_origin: dict[_Origin, httpx.AsyncBaseTransport] = field(
        factory=dict["_Origin", httpx.AsyncBaseTransport], init=False
    )
    _proxied: dict[str, httpx.AsyncBaseTransport] = field(
        factory=dict[str, httpx.AsyncBaseTransport], init=False
    )
    _context: ssl.SSLContext | None = field(default=None, init=False)

    async def __aenter__(self) -> Self:
        """Look at ``ca_file``; connections are made when they are needed.

        Raises:
            ConfigError: It cannot be read, or is none.
        """
        if self.ca_file is not None:
            self._tls()
        self._direct = self.transport or Connections(self.connect_timeout, self._tls)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        for transport in (self._direct, *self._proxied.values()):
            await transport.aclose()

    async def request(
        self,
        method: str,
        url: httpx.URL,
        *,
        json: object = ABSENT,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Ask, and read the whole answer, whatever its status; for ``check`` to judge.

        Args:
            method: Such as ``"GET"``.
            url: The whole address, made once by ``address``: parsing it is not cheap.
            json: A JSON value for the body.
            headers: Beside those of every request.

        Raises:
            TransportError: There is no answer, or it broke off.
        """
        async with self.stream(method, url, json=json, headers=headers) as response:
            body = await read(response)
        decoded = ("content-encoding", "content-length", "transfer-encoding")
        return httpx.Response(
            response.status_code,
            headers=[pair for pair in response.headers.multi_items() if pair[0] not in decoded],
            content=body,
            request=response.request,
            extensions=response.extensions,
        )

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: httpx.URL,
        *,
        json: object = ABSENT,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[httpx.Response]:
        """Ask, and give the response when its head is here; read it with ``chunks`` or ``read``.

        The connection is closed when it is left before the end of the answer.

        Args: see ``request``.

        Raises:
            TransportError: There is no answer.
        """
        request = self._request(method, url, json, headers)
        try:
            response = await self._transport(request.url).handle_async_request(request)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            proxy = None if self.transport is not None else proxy_of(request.url)
            raise unanswered(error, request.url, self.connect_timeout, proxy) from error
        response.request = request
        try:
            yield response
        finally:
            await response.aclose()

    def _request(
        self,
        method: str,
        url: httpx.URL,
        json: object,
        headers: Mapping[str, str] | None,
    ) -> httpx.Request:
        sent = {**_HEADERS, **self.headers, **(headers or {})}
        content = None
        if json is not ABSENT:
            sent["Content-Type"] = "application/json"
            content = compact(json).encode()
        return httpx.Request(method, url, headers=sent, content=content)

    def _transport(self, url: httpx.URL) -> httpx.AsyncBaseTransport:
        if self.transport is not None:
            return self.transport
        origin = (url.scheme, url.host, url.port)
        known = self._by_origin.get(origin)
        if known is None:
            proxy = proxy_of(url)
            known = self._direct if proxy is None else self._through(proxy)
            self._by_origin[origin] = known
        return known

    def _through(self, proxy: str) -> httpx.AsyncBaseTransport:
        """Make connections of httpx itself: it knows every kind of proxy, and is slower."""
        if proxy not in self._proxied:
            try:
                self._proxied[proxy] = httpx.AsyncHTTPTransport(
                    verify=self._tls(),
                    proxy=httpx.Proxy(proxy),
                    limits=httpx.Limits(max_connections=None, max_keepalive_connections=None),
                )
            except (ImportError, ValueError, httpx.InvalidURL) as error:
                # It may hold a password.
                place = proxy.rpartition("@")[2]
                raise TransportError(
                    f"the proxy {place!r} of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used:"
                    f" {brief(str(error))}; mend the variable"
                ) from error
        return self._proxied[proxy]

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            try:
                context = httpx.create_ssl_context()
            except (OSError, ssl.SSLError) as error:
                raise ConfigError(
                    f"SSL_CERT_FILE {os.environ.get('SSL_CERT_FILE')}: cannot be used ({error});"
                    " name a file of certificates in PEM form, or unset it"
                ) from error
            if self.ca_file is not None:
                try:
                    context.load_verify_locations(cafile=str(self.ca_file))
                except (OSError, ssl.SSLError) as error:
                    raise ConfigError(
                        f"ca_file {self.ca_file}: cannot be used ({error}); name a file of"
                        " certificates in PEM form"
                    ) from error
            self._context = context
        return self._context


def address(text: str, where: str) -> httpx.URL:
    """Read an address that a user wrote.

    Args:
        text: The address.
        where: What the user calls the setting or flag, for the message.

    Raises:
        ConfigError: It is none that can be asked, or it holds a password.
    """
    mend = "write http://HOST:PORT/PATH or https://…"
    try:
        url = httpx.URL(text.strip())
    except httpx.InvalidURL as error:
        raise ConfigError(f"{where}: not an address ({error}); {mend}") from error
    if url.userinfo:
        # It would stand in reports, as a part of the agent's name.
        raise ConfigError(f"{where}: user and password do not belong into an address; set a header")
    is_known = url.scheme in ("http", "https") and url.host and (url.port or 1) < 65536
    if not is_known:
        raise ConfigError(f"{where}: {shown(url)!r} is not an address; {mend}")
    return url


async def chunks(response: httpx.Response) -> AsyncIterator[bytes]:
    """Give the body of a response as it comes in, decoded.

    Raises:
        BrokenOff: It broke off (a ``TransportError``).
        TransportError: It is too long.
    """
    url = response.request.url
    count = 0
    try:
        async for chunk in response.aiter_bytes():
            count += len(chunk)
            if count > MOST_BYTES:
                raise TransportError(
                    f"{shown(url)}: the answer is longer than {MOST_BYTES // 10**6}MB"
                )
            yield chunk
    except (httpx.HTTPError, OSError) as error:
        raise broken_off(error, url) from error


async def read(response: httpx.Response) -> bytes:
    """Read the whole body of a response, decoded.

    Raises:
        TransportError: It broke off, or is too long.
    """
    return b"".join([chunk async for chunk in chunks(response)])


async def check(response: httpx.Response) -> None:
    """Let a response of success through; read any other one, and raise what it says.

    Raises:
        RateLimited: 429, or 503 with ``Retry-After``.
        TransportError: The agent was not reached; retryable for 502, 503 and 504.
        AgentError: The agent refused the request, or failed.
    """
    if not response.is_success:
        raise refused(response, await read(response))


def json_of(body: bytes, url: httpx.URL) -> object:
    """Read a body as JSON.

    Raises:
        TransportError: It is none.
    """
    text = body.decode("utf-8-sig", "replace")
    try:
        return loads(text)
    except JsonError as error:
        said = f": {brief(text)}" if text.strip() else "; it is empty"
        raise TransportError(f"{shown(url)}: the answer is not JSON ({error}){said}") from error
