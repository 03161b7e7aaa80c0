"""The cases of several files in one order, each once: some sixty bytes a case."""

from __future__ import annotations

from collections import Counter
from struct import Struct
from typing import TYPE_CHECKING

from attrs import define, field

from assay.cases.ids import Ids, digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PLACE = Struct(">IQIQQ")
"""Suite, index, file, offset and key of a result. As bytes, they sort in this order."""


@define
class Order:
    """Where the results of several files stand, in the order of suites and of their cases.

    Args:
        suites: The keys of the suites, in order.
    """

    suites: Iterable[str]
    _places: list[bytes] = field(factory=list[bytes], init=False)
    _keys: Ids = field(factory=Ids, init=False)
    _numbers: dict[str, int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._numbers = {suite: number for number, suite in enumerate(dict.fromkeys(self.suites))}

    def add(self, suite: str, case_id: str, index: int, file: int, offset: int) -> None:
        """Note a result.

        Args:
            suite: The key of its suite; one that nobody named stands behind the others.
            case_id: The id of its case.
            index: The place of the case in its run.
            file: The number of its file.
            offset: Where in the file it stands.
        """
        key = f"{suite}\0{case_id}"
        self._keys.add(key)
        number = self._numbers.setdefault(suite, len(self._numbers))
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

    def counts(self) -> Counter[str]:
        """Count the results of each suite."""
        numbers = Counter(_PLACE.unpack(place)[0] for place in self._places)
        return Counter({suite: numbers[number] for suite, number in self._numbers.items()})

    def __len__(self) -> int:
        return len(self._places)
