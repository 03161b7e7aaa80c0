"""Server-sent events from bytes, in whatever pieces they come."""

from __future__ import annotations

from typing import Final, TypeAlias

from attrs import define, field, frozen

_BOM: Final = b"\xef\xbb\xbf"


@frozen
class Event:
    """One event."""

    data: str
    """Its ``data`` lines, joined by newlines."""
    name: str = ""
    """What ``event`` says; empty when nothing does."""


@frozen
class Stray:
    """A line that is no field of an event, such as a bare JSON error behind the events."""

    text: str


Item: TypeAlias = Event | Stray


@define
class SseParser:
    """Reads events, as the HTML standard describes them, and keeps what the standard drops.

    Lines may end with LF, CRLF or CR, be as long as they like, and be cut anywhere, also within
    a character or a line end. Comments, ``id`` and ``retry`` are left out. What is no field is
    given as ``Stray``. The work is linear in the bytes, however small the pieces.
    """

    _rest: bytearray = field(factory=bytearray, init=False)
    """The line that is not ended yet."""
    _data: list[str] = field(factory=list[str], init=False)
    _name: str = field(default="", init=False)
    _ended_by_cr: bool = field(default=False, init=False)
    """Whether the bytes so far end with a CR, whose LF may be still to come."""
    _started: bool = field(default=False, init=False)

    def feed(self, chunk: bytes) -> list[Item]:
        """Take some bytes, and give what they complete."""
        if not chunk:
            return []
        if self._ended_by_cr:
            chunk = chunk.removeprefix(b"\n")
        items: list[Item] = []
        # For bytes, these are the three line ends of the standard and no others.
        for line in chunk.splitlines(keepends=True):
            body = line.rstrip(b"\r\n")
            if len(body) == len(line):
                self._rest += body
                continue
            if self._rest:
                self._rest += body
                body = bytes(self._rest)
                self._rest.clear()
            self._take(body, items)
        self._ended_by_cr = chunk.endswith(b"\r")
        return items

    def close(self) -> list[Item]:
        """Say that no more bytes come, and give what they leave: ends of lines may be missing."""
        items: list[Item] = []
        if self._rest:
            self._take(bytes(self._rest), items)
            self._rest.clear()
        self._dispatch(items)
        return items

    def _take(self, line: bytes, items: list[Item]) -> None:
        """Take a whole line, and add what it completes."""
        if not self._started:
            self._started = True
            line = line.removeprefix(_BOM)
        if not line:
            self._dispatch(items)
            return
        key, _, value = line.partition(b":")
        if key == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        elif key == b"event":
            self._name = value.removeprefix(b" ").decode("utf-8", "replace")
        elif key not in (b"", b"id", b"retry"):
            items.append(Stray(line.decode("utf-8", "replace")))

    def _dispatch(self, items: list[Item]) -> None:
        if self._data:
            data = self._data[0] if len(self._data) == 1 else "\n".join(self._data)
            items.append(Event(data, self._name))
            self._data.clear()
        self._name = ""
