"""Duplicate ids, found in eight bytes a case."""

from __future__ import annotations

from array import array
from hashlib import blake2b

from attrs import define, field

_BUCKETS = 256


@define(eq=False)
class Ids:
    """Hashes of ids, in buckets: one bucket at a time is spread out to look for duplicates."""

    _buckets: list[array[int]] = field(
        factory=lambda: [array("Q") for _ in range(_BUCKETS)], init=False
    )

    def add(self, case_id: str) -> None:
        """Note an id."""
        number = digest(case_id)
        self._buckets[number % _BUCKETS].append(number)

    def duplicates(self) -> set[int]:
        """Give the digests of ids that were noted more than once."""
        found: set[int] = set()
        for bucket in self._buckets:
            if len(set(bucket)) == len(bucket):
                continue
            seen: set[int] = set()
            for number in bucket:
                if number in seen:
                    found.add(number)
                seen.add(number)
        return found


def digest(text: str) -> int:
    """Hash a text to 64 bits, the same in every process."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())
