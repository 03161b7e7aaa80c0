"""Standard output as the log of a workflow, whose lines GitHub Actions looks at for commands."""

from __future__ import annotations

import os
import stat
from typing import IO, TYPE_CHECKING, cast

from assay.escape import workflow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def as_log(stream: IO[str], environ: Mapping[str, str]) -> IO[str]:
    """Give a stream on which nothing that an agent says is a command.

    Args:
        stream: Standard output. What leads to a file is given as it is: nobody looks at it.
        environ: The variables; ``GITHUB_ACTIONS`` says that lines are looked at.
    """
    if not environ.get("GITHUB_ACTIONS"):
        return stream
    try:
        is_file = stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return stream
    return stream if is_file else cast("IO[str]", _Log(stream))


class _Log:
    """Stands for a stream, and hands whole lines on; like it in all other respects."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._begun: list[str] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write the lines that are whole now, and keep the rest."""
        whole, end, rest = text.rpartition("\n")
        if end:
            self._begun.append(whole + end)
            self._write()
        if rest:
            self._begun.append(rest)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Write what is left, too."""
        self._write()
        self._stream.flush()

    def _write(self) -> None:
        text, self._begun = "".join(self._begun), []
        if text:
            self._stream.write(workflow(text))
