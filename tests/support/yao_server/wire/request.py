"""HTTP requests, read from bytes as Go's server reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote, urlsplit

MAX_HEAD = 1 << 20
"""Bytes of request line and headers that Go's server takes."""
_METHODS = frozenset(
    {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE"}
)
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_HEX = frozenset("0123456789abcdefABCDEF")


class BadRequest(Exception):  # noqa: N818 - named as the status that answers it
    """What arrived is no HTTP request.

    Args:
        reason: Behind ``400 Bad Request``, as Go says it.
    """

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpRequest:
    """A request as it arrived."""

    method: str
    target: str
    path: str
    """Percent-decoded."""
    query: Mapping[str, tuple[str, ...]]
    headers: Mapping[str, tuple[str, ...]]
    """By lower-case name."""
    version: str = "1.1"
    peer: str = ""
    """The address of the client."""
    body: bytes = b""

    def header(self, name: str) -> str:
        """Give the first header of that lower-case name; empty when there is none."""
        return self.headers.get(name, ("",))[0]

    def param(self, name: str) -> str:
        """Give the first query value of that name; empty when there is none."""
        return self.query.get(name, ("",))[0]

    def cookies(self) -> dict[str, str]:
        """Give the cookies by name."""
        found: dict[str, str] = {}
        for header in self.headers.get("cookie", ()):
            for pair in header.split(";"):
                name, equals, value = pair.strip().partition("=")
                if equals:
                    found.setdefault(name, value)
        return found

    @property
    def keeps_alive(self) -> bool:
        """Whether the connection stays open for further requests."""
        options = {option.strip().lower() for option in self.header("connection").split(",")}
        if self.version == "1.0":
            return "keep-alive" in options
        return "close" not in options


@dataclass
class RequestReader:
    """Takes bytes in and gives requests out."""

    peer: str = ""
    _buffer: bytearray = field(default_factory=bytearray)
    _head: tuple[HttpRequest, int] | None = None
    """A request without its body, and where in the buffer the body starts."""
    _continued: bool = False

    def feed(self, data: bytes) -> None:
        """Take what arrived."""
        self._buffer += data

    def next(self) -> HttpRequest | None:
        """Give the next request when it is there as a whole.

        Raises:
            BadRequest: There will never be one.
        """
        if self._head is None:
            self._head = self._read_head()
        if self._head is None:
            return None
        request, start = self._head
        found = _body(self._buffer, request, start)
        if found is None:
            return None
        body, end = found
        del self._buffer[:end]
        self._head, self._continued = None, False
        return _with_body(request, body)

    def wants_continue(self) -> bool:
        """Whether the client waits for ``100 Continue``; says so once per request."""
        if self._head is None or self._continued:
            return False
        self._continued = self._head[0].header("expect").lower() == "100-continue"
        return self._continued

    def _read_head(self) -> tuple[HttpRequest, int] | None:
        if self._buffer and not self._buffer[:1].isupper():
            # Such as the hello of TLS, which would never come to an end.
            raise BadRequest("malformed HTTP request line")
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                raise BadRequest("header too large")
            return None
        text = bytes(self._buffer[:end]).decode("latin-1")
        first, *rest = text.split("\r\n")
        return _head(first, _headers(rest), self.peer), end + 4


def _head(line: str, headers: dict[str, tuple[str, ...]], peer: str) -> HttpRequest:
    parts = line.split(" ")
    if len(parts) != 3 or parts[0] not in _METHODS:
        raise BadRequest("malformed HTTP request line")
    method, target, version = parts
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise BadRequest("malformed HTTP version")
    if version == "HTTP/1.1" and len(headers.get("host", ())) != 1:
        raise BadRequest("missing required Host header")
    if not target.startswith("/") or not target.isascii() or not _is_escaped(target):
        raise BadRequest("malformed target")
    parts_of = urlsplit(f"//host{target}")
    return HttpRequest(
        method=method,
        target=target,
        path=unquote(parts_of.path),
        query=_query(parts_of.query),
        headers=headers,
        version=version.removeprefix("HTTP/"),
        peer=peer,
    )


def _headers(lines: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or not _TOKEN.issuperset(name):
            raise BadRequest("malformed MIME header")
        key = name.lower()
        found[key] = (*found.get(key, ()), value.strip(" \t"))
    return found


def _query(text: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, errors="replace"):
        found[name] = (*found.get(name, ()), value)
    return found


def _is_escaped(target: str) -> bool:
    return all(
        len(rest) >= 2 and _HEX.issuperset(rest[:2]) for rest in target.split("%")[1:]
    ) and not any(character <= " " for character in target)


def _body(buffer: bytearray, request: HttpRequest, start: int) -> tuple[bytes, int] | None:
    coding = request.header("transfer-encoding").lower()
    if coding:
        if coding != "chunked" or "content-length" in request.headers:
            raise BadRequest("unsupported transfer encoding")
        return _chunks(buffer, start)
    length = request.header("content-length") or "0"
    if not (length.isascii() and length.isdigit()):
        raise BadRequest("bad Content-Length")
    end = start + int(length)
    return (bytes(buffer[start:end]), end) if len(buffer) >= end else None


def _chunks(buffer: bytearray, place: int) -> tuple[bytes, int] | None:
    body = bytearray()
    while True:
        end = buffer.find(b"\r\n", place)
        if end < 0:
            return None
        size = bytes(buffer[place:end]).partition(b";")[0].decode("latin-1")
        if not size or not _HEX.issuperset(size):
            raise BadRequest("malformed chunked encoding")
        place = end + 2 + int(size, 16)
        if len(buffer) < place + 2:
            return None
        if not buffer.startswith(b"\r\n", place):
            raise BadRequest("malformed chunked encoding")
        if int(size, 16) == 0:
            return bytes(body), place + 2
        body += buffer[end + 2 : place]
        place += 2


def _with_body(request: HttpRequest, body: bytes) -> HttpRequest:
    return HttpRequest(
        method=request.method,
        target=request.target,
        path=request.path,
        query=request.query,
        headers=request.headers,
        version=request.version,
        peer=request.peer,
        body=body,
    )
