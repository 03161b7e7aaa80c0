"""Pages of the documentation, taken apart: sections with their tables, code and examples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

from attrs import define, field, frozen
from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@frozen
class Cell:
    """A cell of a table."""

    text: str
    """As it reads, without marks."""
    codes: tuple[str, ...]
    """What stands in backticks."""


Row: TypeAlias = tuple[Cell, ...]


@frozen
class Table:
    """A table; its first row is the heading."""

    heading: Row
    rows: tuple[Row, ...]
    lines: tuple[int, ...]
    """Of the rows, from 1."""

    def column(self, number: int) -> list[str]:
        """Give all codes of a column."""
        return [code for row in self.rows for code in row[number].codes]


@frozen
class Block:
    """A fenced block."""

    language: str
    text: str


@define
class Section:
    """A heading and what stands below it, up to the next one."""

    title: str
    level: int
    codes: set[str] = field(factory=set[str])
    tables: list[Table] = field(factory=list[Table])
    blocks: list[Block] = field(factory=list[Block])


@frozen
class Page:
    """A page."""

    name: str
    sections: tuple[Section, ...]

    def __getitem__(self, title: str) -> Section:
        """Give the section of a title, with those below it.

        Raises:
            KeyError: The page has no such section.
        """
        for number, section in enumerate(self.sections):
            if section.title == title:
                return merged(section, self.sections[number + 1 :])
        raise KeyError(f"{self.name} has no section {title!r}")

    def __contains__(self, title: str) -> bool:
        return any(section.title == title for section in self.sections)

    @property
    def codes(self) -> set[str]:
        """All that stands in backticks."""
        return set().union(*(section.codes for section in self.sections))

    @property
    def blocks(self) -> list[Block]:
        """All fenced blocks."""
        return [block for section in self.sections for block in section.blocks]


def merged(first: Section, rest: tuple[Section, ...]) -> Section:
    """Put a section and those below it together."""
    whole = Section(first.title, first.level)
    for section in (first, *rest):
        if section is not first and section.level <= first.level:
            break
        whole.codes |= section.codes
        whole.tables += section.tables
        whole.blocks += section.blocks
    return whole


@cache
def page(name: str) -> Page:
    """Read a page of ``docs``."""
    path = DOCS / f"{name}.md"
    tokens = MarkdownIt().enable("table").parse(path.read_text(encoding="utf-8"))
    return Page(name, tuple(_sections(tokens)))


@cache
def pages() -> tuple[Page, ...]:
    """Read all pages of ``docs``."""
    return tuple(page(path.stem) for path in sorted(DOCS.glob("*.md")))


def _sections(tokens: list[Token]) -> Iterator[Section]:
    section = Section("", 0)
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            yield section
            section = Section(_cell(tokens[number + 1]).text, int(token.tag[1:]))
        elif token.type == "inline":
            section.codes.update(_cell(token).codes)
        elif token.type == "table_open":
            section.tables.append(_table(tokens[number:]))
        elif token.type == "fence":
            section.blocks.append(Block(token.info.strip(), token.content))
    yield section


def _table(tokens: list[Token]) -> Table:
    rows: list[list[Cell]] = []
    lines: list[int] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
            lines.append((token.map or [0])[0] + 1)
        elif token.type == "inline":
            rows[-1].append(_cell(token))
    heading, *others = [tuple(row) for row in rows]
    return Table(heading, tuple(others), tuple(lines[1:]))


def _cell(token: Token) -> Cell:
    children = token.children or []
    kept = [child for child in children if child.type in ("text", "code_inline")]
    text = "".join("\n" if child.type == "softbreak" else child.content for child in kept)
    return Cell(text, tuple(child.content for child in kept if child.type == "code_inline"))
