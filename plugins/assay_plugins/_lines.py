"""JSON lines, read one at a time: what case files and canned answers are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import ConfigError, Entry, Where
from assay.jsonvalue import JsonError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ONE_PER_LINE = "write one JSON object per line"
_SAVE_AS_UTF_8 = "save the file as UTF-8"


def read_lines(path: Path, name: str) -> Iterator[Entry]:
    """Read a file of JSON lines, anew each time, holding one line at a time.

    Lines end with LF or CRLF and may be of any length. Blank lines and lines that start with
    ``//`` are skipped, a byte order mark is ignored. A line that is not JSON is an entry with a
    ``problem``, so that all faults of a file are found in one reading.

    Args:
        path: The file.
        name: What messages call it.

    Raises:
        ConfigError: The file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if number == 1 and line.startswith(_UTF_16):
                    yield _fault(name, 1, "the file is UTF-16, not UTF-8", _SAVE_AS_UTF_8)
                    return
                entry = _read_line(line, name, number)
                if entry is not None:
                    yield entry
    except OSError as exc:
        raise ConfigError(f"{name}: cannot be read: {exc.strerror or exc}") from exc


def _read_line(line: bytes, name: str, number: int) -> Entry | None:
    """Read one line; None when there is nothing in it."""
    # A mark may also begin a later line, where files were put one behind the other.
    line = line.removeprefix(_BOM)
    stripped = line.strip()
    if not stripped or stripped.startswith(b"//"):
        return None
    try:
        text = line.decode()
    except UnicodeDecodeError as exc:
        column = len(line[: exc.start].decode()) + 1
        what = f"not UTF-8 at column {column} (byte 0x{line[exc.start]:02X})"
        return _fault(name, number, what, _SAVE_AS_UTF_8)
    try:
        return Entry(where=Where(name, number), value=loads(text))
    except JsonError as exc:
        if text.isspace():
            return None
        place = "" if exc.column is None else f" at column {exc.column}"
        # The place is named already, and "at" would point to what follows.
        reason = exc.reason.removesuffix(" starting at").removesuffix(" at")
        return _fault(name, number, f"not JSON{place}: {reason}")


def _fault(name: str, number: int, problem: str, mend: str = _ONE_PER_LINE) -> Entry:
    return Entry(where=Where(name, number), problem=problem, mend=mend)
