"""What a worker prints: its end is kept for messages, its lines are passed on, both bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.process import Tail

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TOLD = 64 * 1024
"""Bytes that are passed on of what one call prints."""

LAST_LINES = 12
LAST_CHARACTERS = 2000


@define(eq=False)
class Printed:
    """Takes the bytes that a worker writes to its stdout and stderr."""

    tell: Callable[[str], object] | None = None
    """Takes the lines, without line ends and not escaped; None: nobody wants them."""
    _tail: Tail = field(factory=lambda: Tail(most=8 * 1024), init=False)
    _line: bytes = field(default=b"", init=False)
    _room: int = field(default=MOST_TOLD, init=False)

    def fresh(self) -> None:
        """Note that a new call begins, which may print as much as any other."""
        self._room = MOST_TOLD

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        self._tail.feed(data)
        if self.tell is None or self._room <= 0:
            return
        kept = data[: self._room]
        self._room -= len(kept)
        *lines, self._line = (self._line + kept).split(b"\n")
        for line in lines:
            self.tell(_text(line))
        if self._room <= 0:
            self.tell(f"{_text(self._line)} … (the rest of what this call prints is left out)")
            self._line = b""

    def finish(self) -> None:
        """Pass on a last line that has no end."""
        if self._line and self.tell is not None:
            self.tell(_text(self._line))
        self._line = b""

    def last(self) -> str:
        """Give the last lines of all that was printed, for a message; empty when there are none."""
        text = _text(bytes(self._tail))
        lines = [line.rstrip() for line in text.splitlines() if line.strip()]
        return "\n".join(lines[-LAST_LINES:])[-LAST_CHARACTERS:]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
