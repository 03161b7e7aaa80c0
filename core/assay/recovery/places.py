"""Where the lines of each case stand, in sixteen bytes a line."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Iterator

_BUCKETS: Final = 4096
"""Of a million lines, some 250 are looked at to find those of a case."""


def _arrays(code: str) -> list[array[int]]:
    return [array(code) for _ in range(_BUCKETS)]


@define
class Places:
    """Offsets of lines by a hash of 64 bits."""

    _keys: list[array[int]] = field(factory=lambda: _arrays("Q"), init=False)
    _offsets: list[array[int]] = field(factory=lambda: _arrays("q"), init=False)

    def add(self, key: int, offset: int) -> None:
        """Note a line."""
        bucket = key % _BUCKETS
        self._keys[bucket].append(key)
        self._offsets[bucket].append(offset)

    def of(self, key: int) -> Iterator[int]:
        """Give the offsets of the lines with a key, in the order in which they were noted."""
        bucket = key % _BUCKETS
        keys, offsets = self._keys[bucket], self._offsets[bucket]
        place = -1
        for _ in range(keys.count(key)):
            place = keys.index(key, place + 1)
            yield offsets[place]

    def __len__(self) -> int:
        """How many keys there are."""
        return sum(len(set(keys)) for keys in self._keys)
