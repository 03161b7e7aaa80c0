"""Texts of the first cases of a run, whatever the order in which they come."""

from __future__ import annotations

from heapq import heappop, heappush

from attrs import define, field


@define
class FirstTexts:
    """Keeps the texts of the cases that come first in the run, as many as there is room for.

    Attempts that run at a time end in any order: what is kept does not depend on it.
    """

    most: int
    """Texts that are kept, at least 1."""
    room: int
    """Bytes, as UTF-8, of all of them."""
    count: int = field(default=0, init=False)
    """Texts that came."""
    _kept: list[tuple[int, str, int]] = field(factory=list[tuple[int, str, int]], init=False)
    """A heap of place (negative, so that the last case is its top), text and size."""
    _used: int = field(default=0, init=False)
    _end: int | None = field(default=None, init=False)
    """Place of the first case that had to give way: no later one is kept either."""

    def wants(self, place: int) -> bool:
        """Whether the text of a case might be kept: it need not be made otherwise."""
        if self._end is not None and place > self._end:
            return False
        return len(self._kept) < self.most or place < -self._kept[0][0]

    def pass_over(self) -> None:
        """Count a text that is not made."""
        self.count += 1

    def add(self, place: int, text: str) -> None:
        """Offer the text of a case, by its place in the run."""
        self.count += 1
        if not self.wants(place):
            return
        size = len(text.encode())
        heappush(self._kept, (-place, text, size))
        self._used += size
        while self._kept and (len(self._kept) > self.most or self._used > self.room):
            last, _, size = heappop(self._kept)
            self._used -= size
            self._end = -last

    def texts(self) -> list[str]:
        """Give the texts that are kept, in case order."""
        return [text for _, text, _ in sorted(self._kept, reverse=True)]
