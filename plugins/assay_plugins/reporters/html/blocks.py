"""Data of the page in compressed blocks, which a browser unpacks one by one."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Final, Self

_FULL: Final = 256_000
"""Characters of a block: little enough to open one result at once, enough to compress well."""
_IN_MEMORY: Final = 1 << 20
_PIECE: Final = 1 << 18
_LEVEL: Final = 4
"""Of zlib: the usual 6 takes more than twice the time for four percent."""


def pack(text: str) -> str:
    """Compress a text: zlib, in base64, which no HTML parser sees anything in."""
    data = text.encode("utf-8", "surrogatepass")
    return b64encode(zlib.compress(data, _LEVEL)).decode("ascii")


class BlockFile:
    """Blocks of lines, kept on disk until their place in the page comes.

    The page shows its rows before the details of results are even read: so they stand at its
    end, while they are made together with the rows.
    """

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(  # noqa: SIM115 - closed by __exit__
            _IN_MEMORY, mode="w+", encoding="ascii", newline=""
        )
        self._lines: list[str] = []
        self._length = 0
        self._first = 0
        self._next = 0

    def __enter__(self) -> Self:
        """Stand open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what was kept."""
        self._file.close()

    def add(self, *lines: str) -> None:
        """Add the lines of one result."""
        self._lines += lines
        self._length += sum(map(len, lines))
        self._next += 1
        if self._length >= _FULL:
            self._flush()

    def read(self) -> Iterator[str]:
        """Give all blocks as elements of the page; nothing is added any more."""
        self._flush()
        self._file.seek(0)
        while piece := self._file.read(_PIECE):
            yield piece

    def _flush(self) -> None:
        if self._lines:
            packed = pack("\n".join(self._lines))
            self._file.write(element("details", packed, first=self._first) + "\n")
        self._lines.clear()
        self._length = 0
        self._first = self._next


def element(kind: str, packed: str, *, first: int) -> str:
    """Write a block as an element that no browser runs or shows.

    Args:
        kind: Its class.
        packed: What ``pack`` gave.
        first: Place of its first result.
    """
    return f'<script type="text/plain" class="{kind}" data-first="{first}">{packed}</script>'
