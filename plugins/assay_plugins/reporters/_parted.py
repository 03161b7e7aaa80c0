"""Text that is written in the order in which it comes, and read part by part."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterator
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Final, Self

_IN_MEMORY: Final = 1 << 20
_PIECE: Final = 1 << 16


class PartedText:
    """Keeps texts by the part that they belong to, in a temporary file when they are many."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile[bytes](_IN_MEMORY)
        self._end = 0
        self._places: dict[str, list[list[int]]] = {}
        """Start and end of each run of texts, by part: one where a part is not interrupted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, part: str, text: str) -> None:
        """Add a text, which must be writable as UTF-8, to the end of a part."""
        data = text.encode()
        places = self._places.setdefault(part, [])
        if not places or places[-1][1] != self._end:
            places.append([self._end, self._end])
        self._file.write(data)
        self._end += len(data)
        places[-1][1] = self._end

    def read(self, part: str) -> Iterator[str]:
        """Give the texts of a part, in pieces; nothing may be added any more."""
        for start, end in self._places.get(part, ()):
            self._file.seek(start)
            decoder = getincrementaldecoder("utf-8")()
            while start < end:
                data = self._file.read(min(_PIECE, end - start))
                start += len(data)
                yield decoder.decode(data)
