"""Expected against actual on a terminal: two lines, or a diff, with what differs in bold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from assay.jsonvalue import is_array, is_object
from assay_plugins.reporters._diff import DiffLine, diff
from assay_plugins.reporters._facts import flat
from assay_plugins.reporters.terminal.text import cells

if TYPE_CHECKING:
    from assay_plugins.reporters._facts import Evidence
    from assay_plugins.reporters.terminal.text import Color, Look

_INDENT: Final = 6
_LABEL: Final = 10
"""Cells of a label and the space after it."""
_MAX_LINES: Final = 30
_SIDES: Final[Mapping[str, tuple[str, Color]]] = {
    "expected": ("-", "green"),
    "actual": ("+", "red"),
    "same": (" ", "dim"),
}


def compared(look: Look, found: Evidence) -> Iterator[str]:
    """Give the lines that set two values against one another; none when there are not two."""
    if not found.is_comparison:
        return
    pad = " " * _INDENT
    if not _is_long(found.expected) and not _is_long(found.actual):
        for line in _differences(found, look.width - _INDENT - _LABEL):
            yield pad + _painted(look, line, f"{line.side:{_LABEL}}")
        return
    yield pad + look.paint("- expected", "green") + "   " + look.paint("+ actual", "red")
    for line in _differences(found, look.width - _INDENT - 2):
        sign = "" if line.side == "note" else f"{_SIDES[line.side][0]} "
        yield pad + _painted(look, line, sign)


def _differences(found: Evidence, width: int) -> Sequence[DiffLine]:
    lines = diff(found.expected, found.actual, width=width, max_lines=_MAX_LINES)
    if any(cells(line.text) > width for line in lines):
        # Of wide characters half as many fit, and what differs must not be cut off.
        return diff(found.expected, found.actual, width=width // 2, max_lines=_MAX_LINES)
    return lines


def _painted(look: Look, line: DiffLine, lead: str) -> str:
    room = look.width - _INDENT - len(lead)
    if line.side == "note":
        mark = look.marks.more
        return look.paint(f"{mark} {look.line(line.text, room - len(mark) - 1)}", "dim")
    color = _SIDES[line.side][1]
    text = flat(line.text)
    if line.mark is None or cells(text) > room:
        return look.paint((lead + look.clip(text, room)).rstrip(), color)
    start, end = line.mark
    before, marked, behind = map(flat, (line.text[:start], line.text[start:end], line.text[end:]))
    painted = look.paint(lead + before, color) + look.paint(marked, color, "bold")
    return (painted + look.paint(behind, color)).rstrip()


def _is_long(value: object) -> bool:
    """Whether a value takes more than one line."""
    if isinstance(value, str):
        return "\n" in value or "\r" in value
    return (is_object(value) or is_array(value)) and bool(value)
