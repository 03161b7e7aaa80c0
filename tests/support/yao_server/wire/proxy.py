"""What stands between server and client, and what it does to the bytes of an answer (§2.1)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Proxy:
    """Changes to the bytes of a stream that a client must live with."""

    line_end: str = "\n"
    """``\\n``, ``\\r\\n`` or ``\\r``."""
    space: bool = True
    """Whether there is one behind ``data:``."""
    bom: bool = False
    comments: bool = False
    """Whether a comment stands before each event."""
    extra_fields: bool = False
    """Whether each event also has ``event:``, ``id:`` and ``retry:``."""
    several_data: bool = False
    """Whether the data of an event stand in two lines."""
    final_line_end: bool = True
    """Whether the stream ends with the line end of its last event."""
    gzip: bool = False
    """Compress for clients that say they take it."""
    segment: int = 0
    """Bytes per segment; 0 is one per event."""
    pause: float = 0.0
    """Seconds between segments."""
    cut: int | None = None
    """The connection drops after so many bytes of the answer, status line and headers included."""
    reset: bool = False
    """Whether a dropped connection is reset rather than closed."""
    chunked: bool = True
    """Without it the end of the connection is the end of the body, as with HTTP/1.0."""

    @property
    def is_plain(self) -> bool:
        """Whether events stay as the server wrote them."""
        is_same = self.line_end == "\n" and self.space
        return is_same and not (self.comments or self.extra_fields or self.several_data)

    def dress(self, event: bytes) -> bytes:
        """Rewrite one event, as the server wrote it: ``data: …`` and an empty line."""
        if self.is_plain:
            return event
        data = event.removeprefix(b"data: ").removesuffix(b"\n\n")
        start = b"data: " if self.space else b"data:"
        lines: list[bytes] = []
        if self.comments:
            lines.append(b": keep-alive")
        if self.extra_fields:
            lines += [b"event: message", b"id: 7", b"retry: 3000"]
        if self.several_data and data.startswith(b"{") and len(data) > 2:
            lines += [start + b"{", start + data[1:]]
        else:
            lines.append(start + data)
        end = self.line_end.encode()
        return b"".join(line + end for line in [*lines, b""])

    def undo_final_line_end(self, last: bytes) -> bytes:
        """Take the line ends off the last event where the stream is to end without them."""
        return last if self.final_line_end else last.rstrip(b"\r\n")

    def segments(self, data: bytes) -> list[bytes]:
        """Cut data into the pieces that arrive one by one."""
        size = self.segment
        if not size or len(data) <= size:
            return [data]
        return [data[place : place + size] for place in range(0, len(data), size)]
