"""What others print while a live line is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import IO


class Above:
    """Stands for a stream, and hands on what is written to it line by line.

    It looks like the stream in all other respects. The stand-in of ``rich`` does not: it hides
    the encoding, whereupon click writes past it, into the middle of the live line.

    Args:
        stream: What it stands for.
        print_lines: Writes whole lines, each with its end, above the live line.
    """

    def __init__(self, stream: IO[str], print_lines: Callable[[str], None]) -> None:
        self._stream = stream
        self._print = print_lines
        self._lock = threading.Lock()
        self._begun = ""

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Print the lines that are whole now, and keep the rest."""
        with self._lock:
            whole, end, self._begun = (self._begun + text).rpartition("\n")
        if end:
            self._print(whole + end)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Print several texts."""
        self.write("".join(lines))

    def flush(self) -> None:
        """Do nothing: a line that is not whole would be torn by the next redraw."""

    def finish(self) -> None:
        """Write what is left, when there is no live line any more."""
        with self._lock:
            rest, self._begun = self._begun, ""
        if rest:
            self._stream.write(rest)
            self._stream.flush()
