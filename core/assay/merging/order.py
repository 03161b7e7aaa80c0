"""The cases of several files in one order, each once: some sixty bytes a case."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from attrs import define, field

from assay.cases.ids import Ids, digest

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLACE = Struct(">IQIQQ")
"""Suite, index, file, offset and key of a result. As bytes, they sort in this order."""


@define
class Order:
    """Where the results of several files stand, in the order of suites and of their cases."""

    _places: list[bytes] = field(factory=list[bytes], init=False)
    _keys: Ids = field(factory=Ids, init=False)
    _suites: dict[str, int] = field(factory=dict[str, int], init=False)

    def add(self, suite: str, case_id: str, index: int, file: int, offset: int) -> None:
        """Note a result.

        Args:
            suite: The key of its suite. Suites stand in the order in which they are first named.
            case_id: The id of its case.
            index: The place of the case in its run.
            file: The number of its file.
            offset: Where in the file it stands.
        """
        key = f"{suite}\0{case_id}"
        self._keys.add(key)
        number = self._suites.setdefault(suite, len(self._suites))
        self._places.append(_PLACE.pack(number, index, file, offset, digest(key)))

    def settle(self) -> list[tuple[int, int]]:
        """Sort them, and leave all but the last of each case out.

        Returns:
            File and offset of the results that were left out, in the order of the files.
        """
        several = self._keys.duplicates()
        out: list[tuple[int, int]] = []
        if several:
            last = {
                key: place for place in self._places if (key := _PLACE.unpack(place)[4]) in several
            }
            kept: list[bytes] = []
            for place in self._places:
                _, _, file, offset, key = _PLACE.unpack(place)
                if key in several and last[key] != place:
                    out.append((file, offset))
                else:
                    kept.append(place)
            self._places = kept
        self._places.sort()
        return out

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Give file and offset of each result."""
        for place in self._places:
            _, _, file, offset, _ = _PLACE.unpack(place)
            yield file, offset

    def __len__(self) -> int:
        return len(self._places)
