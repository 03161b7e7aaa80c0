"""What can go wrong between here and a server, before it has a message for people."""

from __future__ import annotations


class WireError(Exception):
    """Anything of it."""


class NotSendable(WireError):  # noqa: N818 - reads as a statement, as do those below
    """The request cannot be sent as it is."""


class NoProtocol(WireError):  # noqa: N818
    """The address is not one of HTTP."""


class ConnectTimedOut(WireError):  # noqa: N818
    """There is no connection in time."""


class NotConnected(WireError):  # noqa: N818
    """There is no connection."""


class ProxyFailed(WireError):  # noqa: N818
    """The proxy refused."""


class Dropped(WireError):  # noqa: N818
    """The connection was closed where an answer was to come."""


class Broke(WireError):  # noqa: N818
    """The connection broke."""


class NotHttp(WireError):  # noqa: N818
    """What came is no answer of HTTP."""


class NotDecoded(WireError):  # noqa: N818
    """The body is not compressed as its headers say."""
