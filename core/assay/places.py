"""Where lines of a file begin, found again by a hash: sixteen bytes a line."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHELVES: Final = 256
"""Of a million lines, each holds some four thousand: what is put in order at a time."""


@define
class _Shelf:
    """Some of the lines, by their hashes."""

    hashes: array[int] = field(factory=lambda: array("Q"))
    offsets: array[int] = field(factory=lambda: array("Q"))
    is_sorted: bool = True

    def sort(self) -> None:
        """Put them in the order of their hashes, and those of one hash in that of the file."""
        order = sorted(range(len(self.hashes)), key=self.hashes.__getitem__)
        self.offsets = array("Q", (self.offsets[place] for place in order))
        self.hashes = array("Q", (self.hashes[place] for place in order))
        self.is_sorted = True


@define
class Places:
    """Offsets of lines by a hash of 64 bits. Lines are added first, and looked for afterwards."""

    _shelves: list[_Shelf] = field(factory=lambda: [_Shelf() for _ in range(_SHELVES)], init=False)

    def __len__(self) -> int:
        """How many lines there are."""
        return sum(len(shelf.offsets) for shelf in self._shelves)

    def add(self, hashed: int, offset: int) -> None:
        """Note where a line begins."""
        shelf = self._shelves[hashed % _SHELVES]
        shelf.hashes.append(hashed)
        shelf.offsets.append(offset)
        shelf.is_sorted = False

    def find(self, hashed: int) -> Sequence[int]:
        """Give where the lines with a hash begin, in the order in which they were noted."""
        shelf = self._shelves[hashed % _SHELVES]
        if not shelf.is_sorted:
            shelf.sort()
        start = bisect_left(shelf.hashes, hashed)
        return shelf.offsets[start : bisect_right(shelf.hashes, hashed, start)]

    def hashes(self) -> int:
        """Count the different hashes."""
        return sum(len(set(shelf.hashes)) for shelf in self._shelves)
