"""A response as it comes in, its body decoded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay_plugins.transports._wire_errors import NotDecoded

if TYPE_CHECKING:
    import zlib
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping

    from assay_plugins.transports._address import Address

_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


@define(eq=False)
class Incoming:
    """A response whose head is here.

    Args:
        address: What was asked.
        status: Such as 200.
        reason: The words behind it; they may be missing.
        headers: By their names in lower case; ``headers_of`` makes them.
        raw: The body as it comes in, still compressed.
        end: Called once, when nobody reads on.
    """

    address: Address
    status: int
    reason: str
    headers: Mapping[str, str]
    raw: AsyncIterator[bytes]
    end: Callable[[], Awaitable[None]]
    content: bytes = field(default=b"", init=False)
    """The whole body, where whoever asked for it has read it."""

    @property
    def is_success(self) -> bool:
        """Whether the status says so."""
        return 200 <= self.status < 300

    @property
    def charset(self) -> str | None:
        """The encoding of a text, where the headers tell it."""
        found = _CHARSET.search(self.headers.get("content-type", ""))
        return None if found is None else found[1]

    def body(self) -> AsyncIterator[bytes]:
        """Give the body as it comes in, decoded.

        Raises:
            WireError: It broke off, or cannot be decoded.
        """
        names = self.headers.get("content-encoding")
        return self.raw if names is None else _decoded(self.raw, names)


def headers_of(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Make headers of their bytes: one that is repeated is joined by commas."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key = name.decode("latin-1").lower()
        text = _text(value)
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


async def _decoded(raw: AsyncIterator[bytes], names: str) -> AsyncIterator[bytes]:
    """Decode pieces, the last encoding first; unknown ones are left as they are."""
    import zlib

    decoders = [
        _Inflater(name.strip().lower())
        for name in reversed(names.split(","))
        if name.strip().lower() in ("gzip", "deflate")
    ]
    try:
        async for piece in raw:
            for decoder in decoders:
                piece = decoder.decode(piece)
            if piece:
                yield piece
    except zlib.error as error:
        raise NotDecoded(str(error)) from error


class _Inflater:
    """Decodes ``gzip`` or ``deflate``; the latter comes with a header of zlib and without."""

    def __init__(self, name: str) -> None:
        import zlib

        self._may_be_bare = name == "deflate"
        bits = zlib.MAX_WBITS if self._may_be_bare else zlib.MAX_WBITS | 16
        self._inflate: zlib._Decompress = zlib.decompressobj(bits)  # pyright: ignore[reportPrivateUsage] - the type has no public name

    def decode(self, data: bytes) -> bytes:
        import zlib

        try:
            plain = self._inflate.decompress(data)
        except zlib.error:
            if not self._may_be_bare:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            plain = self._inflate.decompress(data)
        if data:
            self._may_be_bare = False
        return plain
