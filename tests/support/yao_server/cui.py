"""``accept=cui-*``: messages as they are (§2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from yao_server import gojson
from yao_server.gojson import Object


class Cui:
    """Writes the messages of one turn."""

    end = b""
    """There is no mark behind ``stream_end``."""

    def events(self, message: Object) -> Iterator[bytes]:
        """Give the one event of a message."""
        yield b"data: " + gojson.dump(message) + b"\n\n"
