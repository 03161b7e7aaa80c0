"""The streams of the command line: stdout for results alone, UTF-8 whatever the locale says."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def results_stream() -> Generator[TextIO]:
    """Keep stdout for results, and give it.

    Meanwhile descriptor 1 and ``sys.stdout`` lead to stderr, so that what agents, plugins and
    the programs that they start print does not get between the results.
    """
    before = sys.stdout
    kept = _duplicate(before)
    if kept is None:
        sys.stdout = sys.stderr
        try:
            yield before
        finally:
            sys.stdout = before
        return
    before.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield kept
    finally:
        sys.stdout = before
        os.dup2(kept.fileno(), 1)
        _close(kept)


def make_safe(stream: TextIO) -> None:
    """Let a stream escape what it cannot show; a pipe or file is UTF-8."""
    if isinstance(stream, io.TextIOWrapper):
        encoding = None if stream.isatty() else "utf-8"
        stream.reconfigure(encoding=encoding, errors="backslashreplace", newline="\n")


def _duplicate(stream: TextIO) -> TextIO | None:
    """Duplicate the descriptor behind stdout; None where there is none (in tests)."""
    try:
        if stream.fileno() != 1:
            return None
        sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):
        return None
    tty = stream.isatty()
    opened: IO[str] = open(  # noqa: SIM115, PTH123 - a descriptor, closed by the caller
        os.dup(1),
        "w",
        encoding=stream.encoding if tty else "utf-8",
        errors="backslashreplace",
        newline="\n",
    )
    return cast("TextIO", opened)


def _close(stream: TextIO) -> None:
    # Whoever read the results may have gone: there is nobody to tell.
    with suppress(BrokenPipeError):
        stream.close()
