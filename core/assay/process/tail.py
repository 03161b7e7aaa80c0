"""The end of what a program writes."""

from __future__ import annotations

from attrs import define, field


@define(eq=False)
class Tail:
    """The end of what a program wrote, however much that was."""

    most: int = 64 * 1024
    """Bytes to keep."""
    _data: bytearray = field(factory=bytearray, init=False)

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        self._data += data[-self.most :]
        # Twice the size before it is cut: cutting moves all bytes.
        if len(self._data) > 2 * self.most:
            del self._data[: -self.most]

    def __bytes__(self) -> bytes:
        return bytes(self._data[-self.most :])
