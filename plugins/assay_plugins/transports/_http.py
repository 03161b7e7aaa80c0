"""The HTTP client of all HTTP transports; its errors are those of assay."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

from attrs import define, field

from assay import ABSENT, ConfigError, TransportError, __version__
from assay.jsonvalue import JsonError, compact, loads
from assay_plugins.transports._address import Address, Origin, parse_address
from assay_plugins.transports._connections import Connections
from assay_plugins.transports._failures import brief, broken_off, refused, unanswered
from assay_plugins.transports._outgoing import Outgoing
from assay_plugins.transports._proxies import proxy_of
from assay_plugins.transports._trust import trusting_context
from assay_plugins.transports._wire_errors import WireError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Mapping
    from ssl import SSLContext
    from types import TracebackType

    from assay_plugins.transports._incoming import Incoming

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


class Sender(Protocol):
    """Sends requests, over connections that it keeps."""

    async def send(self, outgoing: Outgoing) -> Incoming:
        """Send a request, and give its response when the head has come.

        Raises:
            WireError: There is none.
        """
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


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
    """

    ca_file: Path | None = None
    headers: Mapping[str, str] = field(factory=dict[str, str])
    connect_timeout: float = CONNECT_TIMEOUT
    _direct: Connections = field(init=False)
    _by_origin: dict[Origin, Sender] = field(factory=dict[Origin, Sender], init=False)
    _proxied: dict[str, Sender] = field(factory=dict[str, Sender], init=False)
    _headers: Mapping[str, str] = field(init=False)
    _context: SSLContext | None = field(default=None, init=False)

    async def __aenter__(self) -> Self:
        """Look at ``ca_file``; connections are made when they are needed.

        Raises:
            ConfigError: It cannot be read, or is none.
        """
        if self.ca_file is not None:
            self._tls()
        self._headers = {**_HEADERS, **self.headers}
        self._direct = Connections(self.connect_timeout, self._tls)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        for sender in (self._direct, *self._proxied.values()):
            await sender.close()

    async def request(
        self,
        method: str,
        url: Address,
        *,
        json: object = ABSENT,
        headers: Mapping[str, str] | None = None,
    ) -> Incoming:
        """Ask, and read the whole answer, whatever its status, as ``content``.

        Args:
            method: Such as ``"GET"``.
            url: The whole address, made by ``address``.
            json: A JSON value for the body.
            headers: Beside those of every request.

        Raises:
            TransportError: There is no answer, or it broke off.
        """
        async with self.stream(method, url, json=json, headers=headers) as response:
            response.content = await read(response)
        return response

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        url: Address,
        *,
        json: object = ABSENT,
        headers: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[Incoming]:
        """Ask, and give the response when its head is here; read it with ``chunks`` or ``read``.

        The connection is closed when it is left before the end of the answer.

        Args: see ``request``.

        Raises:
            TransportError: There is no answer.
        """
        sender = self._sender(url)
        try:
            response = await sender.send(self._outgoing(method, url, json, headers))
        except (WireError, OSError) as error:
            proxy = None if sender is self._direct else proxy_of(url)
            through = None if proxy is None else parse_address(proxy)
            raise unanswered(error, url, self.connect_timeout, through) from error
        try:
            yield response
        finally:
            await response.end()

    def _outgoing(
        self, method: str, url: Address, json: object, headers: Mapping[str, str] | None
    ) -> Outgoing:
        sent = {**self._headers, **headers} if headers else self._headers
        if json is ABSENT:
            return Outgoing(method, url, sent)
        sent = {**sent, "Content-Type": "application/json"}
        return Outgoing(method, url, sent, compact(json).encode())

    def _sender(self, url: Address) -> Sender:
        known = self._by_origin.get(url.origin)
        if known is None:
            proxy = proxy_of(url)
            known = self._direct if proxy is None else self._through(proxy)
            self._by_origin[url.origin] = known
        return known

    def _through(self, proxy: str) -> Sender:
        if proxy not in self._proxied:
            from assay_plugins.transports._proxied import Proxied

            try:
                parse_address(proxy)
                self._proxied[proxy] = Proxied(proxy, self._tls())
            except (ImportError, ValueError) as error:
                # It may hold a password.
                place = proxy.rpartition("@")[2]
                raise TransportError(
                    f"the proxy {place!r} of HTTP_PROXY, HTTPS_PROXY or ALL_PROXY cannot be used:"
                    f" {brief(str(error))}; mend the variable"
                ) from error
        return self._proxied[proxy]

    def _tls(self) -> SSLContext:
        if self._context is None:
            self._context = trusting_context(self.ca_file)
        return self._context


def address(text: str, where: str) -> Address:
    """Read an address that a user wrote.

    Args:
        text: The address.
        where: What the user calls the setting or flag, for the message.

    Raises:
        ConfigError: It is none that can be asked, or it holds a password.
    """
    mend = "write http://HOST:PORT/PATH or https://…"
    try:
        url = parse_address(text.strip())
    except ValueError as error:
        raise ConfigError(f"{where}: not an address ({error}); {mend}") from error
    if "@" in text.partition("://")[2].partition("/")[0]:
        # It would stand in reports, as a part of the agent's name.
        raise ConfigError(f"{where}: user and password do not belong into an address; set a header")
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigError(f"{where}: {text.partition('?')[0]!r} is not an address; {mend}")
    return url


async def chunks(response: Incoming) -> AsyncIterator[bytes]:
    """Give the body of a response as it comes in, decoded.

    Raises:
        BrokenOff: It broke off (a ``TransportError``).
        TransportError: It is too long.
    """
    count = 0
    try:
        async for chunk in response.body():
            count += len(chunk)
            if count > MOST_BYTES:
                raise TransportError(
                    f"{response.address.shown}: the answer is longer than {MOST_BYTES // 10**6}MB"
                )
            yield chunk
    except (WireError, OSError) as error:
        raise broken_off(error, response.address) from error


async def read(response: Incoming) -> bytes:
    """Read the whole body of a response, decoded.

    Raises:
        TransportError: It broke off, or is too long.
    """
    return b"".join([chunk async for chunk in chunks(response)])


async def check(response: Incoming) -> None:
    """Let a response of success through; read any other one, and raise what it says.

    Raises:
        RateLimited: 429, or 503 with ``Retry-After``.
        TransportError: The agent was not reached; retryable for 502, 503 and 504.
        AgentError: The agent refused the request, or failed.
    """
    if not response.is_success:
        raise refused(response, await read(response))


def json_of(body: bytes, url: Address) -> object:
    """Read a body as JSON.

    Raises:
        TransportError: It is none.
    """
    text = body.decode("utf-8-sig", "replace")
    try:
        return loads(text)
    except JsonError as error:
        said = f": {brief(text)}" if text.strip() else "; it is empty"
        raise TransportError(f"{url.shown}: the answer is not JSON ({error}){said}") from error
