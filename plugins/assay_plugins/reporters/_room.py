"""A page of Markdown that never grows beyond its room."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from assay_plugins.reporters._facts import amount
from assay_plugins.reporters._markdown import heading, table_head

_KEPT_FREE: Final = 1_000
"""Bytes for saying what was left out."""
_SHARE: Final = 2
"""A table takes half of what is left at most, so that something is left for what follows."""


class Page:
    """Takes whole blocks as long as there is room, and says what it left out.

    Args:
        most: Bytes of its text, as UTF-8.
    """

    def __init__(self, most: int) -> None:
        self._room = most - _KEPT_FREE
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """What stands on the page."""
        return "".join(self._parts)

    def put(self, lines: Iterable[str]) -> bool:
        """Put all lines on the page, or none when they do not fit."""
        text = "".join(f"{line}\n" for line in lines)
        size = len(text.encode())
        if size > self._room:
            return False
        self._room -= size
        self._parts.append(text)
        return True

    def put_table(
        self, title: str, columns: Sequence[str], rows: Sequence[str], count: int
    ) -> None:
        """Put a table below its title, with as many rows as fit.

        Args:
            title: Plain words.
            columns: Their names.
            rows: Finished rows.
            count: How many rows there would be.
        """
        if not rows or not self.put([*heading(2, title), *table_head(columns)]):
            return
        least = self._room // _SHARE
        shown = 0
        for row in rows:
            if self._room - len(row.encode()) <= least or not self.put([row]):
                break
            shown += 1
        self._say(["", *([f"*{count - shown} more.*", ""] if shown < count else ())])

    def put_sections(self, title: str, sections: Sequence[str], count: int) -> None:
        """Put sections below a title, as many as fit.

        Args:
            title: Plain words.
            sections: Finished sections.
            count: How many there would be.
        """
        if not sections or not self.put(heading(2, title)):
            return
        shown = 0
        for section in sections:
            if not self.put([section]):
                break
            shown += 1
        if shown < count:
            left = amount(count - shown, "more case")
            self._say([f"*Cut here: {left} that did not pass, all in the whole report.*", ""])

    def _say(self, lines: Iterable[str]) -> None:
        self._parts.append("".join(f"{line}\n" for line in lines))
