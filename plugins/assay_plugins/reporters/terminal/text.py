"""Text laid out for a terminal: measured in cells, folded, cut, coloured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias
from unicodedata import category, east_asian_width

from attrs import frozen

from assay.escape import terminal
from assay.jsonvalue import compact
from assay_plugins.reporters._facts import flat
from assay_plugins.reporters._pretty import excerpt

Color: TypeAlias = Literal["red", "green", "yellow", "cyan", "bold", "dim"]

_CODES: Final[Mapping[Color, str]] = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "bold": "1",
    "dim": "2",
}


@frozen
class Marks:
    """The signs of a report, in characters that the stream can encode."""

    passed: str = "✓"
    failed: str = "✗"
    skipped: str = "-"
    more: str = "…"
    dot: str = "·"
    times: str = "×"

    @classmethod
    def of(cls, encoding: str | None) -> Marks:
        """Choose plain ASCII where the encoding has no better."""
        marks = cls()
        try:
            "✓✗…·×".encode(encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return cls(passed="+", failed="x", more="...", dot="-", times="x")
        return marks


@frozen(kw_only=True)
class Look:
    """How wide the terminal is, and what may be written to it."""

    width: int = 80
    """In cells."""
    color: bool = False
    marks: Marks = Marks()

    def paint(self, text: str, *colors: Color) -> str:
        """Put text, which must be escaped, into colours, if there are any."""
        if not self.color or not text:
            return text
        return f"\x1b[{';'.join(_CODES[color] for color in colors)}m{text}\x1b[0m"

    def clip(self, text: str, width: int) -> str:
        """Cut a line to ``width`` cells; a mark at its end says that it was cut."""
        if cells(text) <= width:
            return text
        room = max(width - cells(self.marks.more), 0)
        return text[: _fitting(text, room)].rstrip() + self.marks.more

    def line(self, value: object, width: int) -> str:
        """Give a text from anywhere as one safe line of at most ``width`` cells."""
        text = value if isinstance(value, str) else str(value)
        return self.clip(flat(text[: 2 * width + 2]), width)

    def block(self, value: object, width: int, most: int) -> list[str]:
        """Give a JSON value or text from anywhere as at most ``most`` safe lines, folded.

        What is left out is told in a line of its own, on top of ``most``.
        """
        shown = excerpt(value, 2 * width * most)
        text = shown.text
        if not text.strip():
            # White space alone would look like nothing at all.
            text = compact(text)
        if shown.is_json and not shown.omitted:
            text = _on_one_line(text, width)
        lines = list(_folded(terminal(text).expandtabs(4).rstrip("\n"), width, most + 1))
        if len(lines) <= most and not shown.omitted:
            return lines
        size = f"{len(value):,} characters in all" if isinstance(value, str) else "cut"
        return [*lines[:most], self.paint(f"{self.marks.more} {size}", "dim")]


def cells(text: str) -> int:
    """Count the columns that a text takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(character: str) -> int:
    if character.isascii():
        return 1
    if east_asian_width(character) in "WF":
        return 2
    return 0 if category(character) in ("Mn", "Me", "Cf") else 1


def _fitting(text: str, width: int) -> int:
    """How many characters of a text fit into ``width`` cells."""
    if text.isascii():
        return min(len(text), width)
    used = 0
    for index, character in enumerate(text):
        used += _cells(character)
        if used > width:
            return index
    return len(text)


def _folded(text: str, width: int, most: int) -> Iterator[str]:
    """Give the first ``most`` lines of a text, broken at spaces where there are any."""
    count = 0
    for line in text.split("\n"):
        rest = line
        while True:
            if count == most:
                return
            count += 1
            if cells(rest) <= width:
                yield rest
                break
            end = max(_fitting(rest, width), 1)
            space = rest.rfind(" ", end // 2, end + 1)
            yield (rest[:space] if space > 0 else rest[:end]).rstrip()
            rest = rest[space + 1 :] if space > 0 else rest[end:]


def _on_one_line(text: str, width: int) -> str:
    """Join the lines of indented JSON when they fit into one."""
    if len(text) > 4 * width:
        return text
    joined = ""
    for line in text.split("\n"):
        joined += (" " if joined.endswith(",") else "") + line.strip(" ")
    return joined if cells(joined) <= width else text
