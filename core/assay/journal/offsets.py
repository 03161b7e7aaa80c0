"""Where in a journal the result of each case stands: eight bytes a case."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_NONE: Final = -1
_DENSE: Final = 1 << 22
"""Cases with a larger index cost more: nobody's number makes the array as large as it says."""


class Offsets:
    """Offsets by the index of the case; the last one of a case wins."""

    def __init__(self) -> None:
        self._dense = array("q")
        self._sparse: dict[int, int] = {}
        self._count = 0

    def put(self, index: int, offset: int) -> None:
        """Keep the offset of a case."""
        if index >= _DENSE:
            self._count += index not in self._sparse
            self._sparse[index] = offset
            return
        missing = index + 1 - len(self._dense)
        if missing > 0:
            self._dense.extend(array("q", (_NONE,)) * missing)
        self._count += self._dense[index] == _NONE
        self._dense[index] = offset

    def __len__(self) -> int:
        return self._count

    def __contains__(self, index: int) -> bool:
        if index >= _DENSE:
            return index in self._sparse
        return index < len(self._dense) and self._dense[index] != _NONE

    def __iter__(self) -> Iterator[int]:
        """Give the offsets in case order."""
        return (offset for _, offset in self.items())

    def items(self) -> Iterator[tuple[int, int]]:
        """Give index and offset of each case, in case order."""
        for index, offset in enumerate(self._dense):
            if offset != _NONE:
                yield index, offset
        for index in sorted(self._sparse):
            yield index, self._sparse[index]
