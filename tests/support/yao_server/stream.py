"""The bytes of a stream of events, after whatever stands between server and client."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from yao_server.gojson import Object
    from yao_server.wire.answer import Answer

HEADERS = {
    "Content-Type": "text/event-stream;charset=utf-8",
    "Cache-Control": "no-cache",
    "X-Accel-Buffering": "no",
}
BOM = b"\xef\xbb\xbf"


class Format(Protocol):
    """How messages become events."""

    @property
    def end(self) -> bytes:
        """The end mark of success."""
        ...

    def events(self, message: Object) -> Iterator[bytes]:
        """Give the events of a message."""
        ...


@dataclass
class EventStream:
    """Writes the messages of a turn.

    Args:
        answer: Where they go.
        form: How they are written.
        is_silent: Whether the client wants none of them (``skip.output``).
    """

    answer: Answer
    form: Format
    is_silent: bool = False
    _held: bytes = field(default=b"", init=False)
    """The last event, where the proxy may have to shorten it."""
    _has_started: bool = field(default=False, init=False)

    async def message(self, message: Object) -> None:
        """Write one message."""
        if not self.is_silent:
            for event in self.form.events(message):
                await self._event(self.answer.proxy.dress(event))

    async def finish(self) -> None:
        """Write the end mark of success."""
        if self.form.end and not self.is_silent:
            await self._event(self.answer.proxy.dress(self.form.end))

    async def bare(self, data: bytes) -> None:
        """Write bytes as they are."""
        await self.flush()
        await self._write(data)

    async def flush(self, *, last: bool = False) -> None:
        """Write what was held back; of the very last event perhaps without its line ends."""
        held, self._held = self._held, b""
        if held:
            await self._write(self.answer.proxy.undo_final_line_end(held) if last else held)

    async def _event(self, event: bytes) -> None:
        if self.answer.proxy.final_line_end:
            await self._write(event)
        else:
            await self.flush()
            self._held = event

    async def _write(self, data: bytes) -> None:
        if not self._has_started and self.answer.proxy.bom:
            data = BOM + data
        self._has_started = True
        await self.answer.write(data)
