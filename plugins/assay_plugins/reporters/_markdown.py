"""Markdown that nothing breaks out of: tables, headings, fenced blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from assay.escape import fence, markdown
from assay_plugins.reporters._diff import DiffLine
from assay_plugins.reporters._facts import flat
from assay_plugins.reporters._pretty import Excerpt, excerpt

_MAX_FIELD: Final = 20_000
"""Characters of an input or output that are shown: the JSON reports hold all of it."""
_MAX_INLINE: Final = 500
"""Characters of a text in a heading, a table or a sentence."""
_MAX_PADDED: Final = 60
"""Characters of a cell up to which a table's columns are aligned in the source."""

_SIGNS: Final = {"same": " ", "expected": "-", "actual": "+"}


def inline(text: str, most: int = _MAX_INLINE) -> str:
    """Give a text from anywhere as one line that holds no Markdown of its own."""
    return markdown(flat(_cut(text, most)))


def lines(text: str, most: int = _MAX_INLINE) -> str:
    """Give a text from anywhere without Markdown of its own, its lines kept by ``<br>``."""
    return markdown(_cut(text, most))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def heading(level: int, text: str) -> list[str]:
    """Give a heading with an empty line behind it; the text must be safe."""
    return ["#" * level + " " + text, ""]


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Give a table, row by row, with an empty line behind it; its cells are made safe."""
    yield from table_head(header)
    for row in rows:
        yield table_row(row)
    yield ""


def table_head(header: Sequence[str]) -> list[str]:
    """Give the lines above the rows of a table."""
    return [table_row(header), _row(["---"] * len(header))]


def table_row(cells: Iterable[str], most: int = _MAX_INLINE) -> str:
    """Give a row of a table; its cells are made safe, and cut to ``most`` characters."""
    return _row([inline(cell, most) for cell in cells])


def aligned_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Give a small table, its columns aligned in the source; its cells are made safe."""
    cells = [[inline(cell) for cell in row] for row in (header, *rows)]
    widths = [min(max(map(len, column)), _MAX_PADDED) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    for row in cells:
        yield _row([cell.ljust(width) for cell, width in zip(row, widths, strict=True)])
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def field(label: str, value: object, most: int = _MAX_FIELD) -> Iterator[str]:
    """Give a JSON value or text from anywhere in a fenced block below its label.

    Args:
        label: Safe text.
        value: A JSON value.
        most: Characters that are shown; a note says when there are more.
    """
    shown = excerpt(value, most)
    yield f"**{label}**"
    yield ""
    yield from fenced(shown)


def fenced(shown: Excerpt) -> Iterator[str]:
    """Give a part of a value in a fenced block, and say what was left out."""
    yield fence(shown.text, "json" if shown.is_json and not shown.omitted else "text").rstrip("\n")
    yield ""
    if shown.omitted:
        yield f"*Cut: {shown.omitted}.*"
        yield ""


def details(title: str, content: Iterable[str]) -> Iterator[str]:
    """Give lines that are unfolded by a click on their title, which must be plain words."""
    yield from (f"<details><summary>{title}</summary>", "")
    yield from content
    yield from ("</details>", "")


def fenced_diff(difference: Iterable[DiffLine]) -> Iterator[str]:
    """Give a diff in a fenced block, with a legend above it."""
    text = "\n".join(
        f"@@ {line.text} @@" if line.side == "note" else f"{_SIGNS[line.side]} {line.text}"
        for line in difference
    )
    yield "Expected (`-`) and actual (`+`):"
    yield ""
    yield fence(text, "diff").rstrip("\n")
    yield ""
