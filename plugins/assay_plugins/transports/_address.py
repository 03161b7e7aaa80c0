"""Addresses that are asked over HTTP, read once and cheap to send."""

from __future__ import annotations

import re
from typing import Final, TypeAlias
from urllib.parse import quote, urlsplit

from attrs import frozen

Origin: TypeAlias = tuple[str, str, int | None]
"""Scheme, host, port: what a connection is made to."""

_OWN_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"[a-z0-9._~!$&'()*+,;=%-]+|[0-9a-f:.]+")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x1f\x7f]")
_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SAFE: Final = "!$%&'()*+,/:;=@[]^_|~"
"""Beside letters and digits, what stands in a path as it is."""


@frozen
class Address:
    """An address, without user, password and fragment."""

    scheme: str
    host: str
    """In lower case; an IPv6 address without its brackets."""
    port: int | None = None
    """None: the one of the scheme."""
    path: str = ""
    """As it is sent; empty for ``/``."""
    query: str = ""
    """As it is sent, without ``?``."""

    @property
    def origin(self) -> Origin:
        """What a connection is made to."""
        return (self.scheme, self.host, self.port)

    @property
    def authority(self) -> str:
        """Host and port, as the header ``Host`` has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def target(self) -> str:
        """Path and query, as the first line of a request has them."""
        path = self.path or "/"
        return f"{path}?{self.query}" if self.query else path

    @property
    def shown(self) -> str:
        """The address without its query, which may be secret."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def own_port(self) -> int | None:
        """The port that is really asked; None for an unknown scheme without one."""
        return self.port or _OWN_PORTS.get(self.scheme)

    def __str__(self) -> str:
        return f"{self.shown}?{self.query}" if self.query else self.shown


def parse_address(text: str) -> Address:
    """Read an address of any scheme; what must not stand in one is escaped where it can be.

    Raises:
        ValueError: It is none.
    """
    if _UNPRINTABLE.search(text):
        raise ValueError("it holds a character that cannot be printed")
    parts = urlsplit(text)
    host = parts.hostname or ""
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    if host and not _HOST.fullmatch(host):
        raise ValueError(f"{host!r} is no name of a host")
    port = parts.port
    return Address(
        scheme=parts.scheme,
        host=host,
        port=None if port == _OWN_PORTS.get(parts.scheme) else port,
        path=_escaped(parts.path, _SAFE),
        query=_escaped(parts.query, f"{_SAFE}?"),
    )


def _escaped(text: str, safe: str) -> str:
    return quote(_PERCENT.sub("%25", text), safe=safe)
