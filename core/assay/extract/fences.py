"""The fenced blocks of a text, and the text around them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from attrs import frozen

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_JSON: Final = frozenset(
    ("", "json", "jsonc", "json5", "geojson", "application/json", "text", "txt", "plaintext")
)
"""What a block may be marked with to be read as JSON, in lower case.

Other languages are left alone: a block of program code is no answer, even where it reads as one.
"""

_YAML: Final = frozenset(("yaml", "yml"))

_MAX_LINES: Final = 50_000
"""How far fences are looked for: the parser needs up to 50 microseconds per line."""


@frozen(kw_only=True)
class Parts:
    """A text, taken apart."""

    json: tuple[str, ...]
    """Contents of the blocks that may be JSON, in order."""
    yaml: tuple[str, ...]
    """Contents of the blocks that are marked as YAML, in order."""
    prose: str | None
    """What stands outside of all blocks; None when the text was too long to tell."""


def split(text: str) -> Parts:
    """Take a text apart at its fences.

    A fence may be indented and may stand in a list; one that is never closed runs to the end.
    """
    # NUL is the one character that the parser replaces: it must not become a valid one.
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\1")
    lines = text.split("\n", _MAX_LINES)
    whole = len(lines) <= _MAX_LINES
    if not whole:
        text = "\n".join(lines[:_MAX_LINES])
    blocks: dict[bool, list[str]] = {True: [], False: []}
    prose: list[str] = []
    end = 0
    for token in _parser().parse(text):
        if token.type != "fence" or token.map is None:
            continue
        if token.map[1] >= _MAX_LINES:
            break  # The rest of this block may be missing.
        prose += lines[end : token.map[0]]
        end = token.map[1]
        word = (token.info.split() or [""])[0].lower()
        if word in _JSON or word in _YAML:
            blocks[word in _JSON].append(token.content)
    prose += lines[end:]
    return Parts(
        json=tuple(blocks[True]),
        yaml=tuple(blocks[False]),
        prose="\n".join(prose) if whole else None,
    )


@cache
def _parser() -> MarkdownIt:
    """A parser that knows fences and lists only, and leaves text alone.

    Block quotes are left out because some need quadratic time, HTML and indented code because
    agents put fences inside of tags and indent them as they like.
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("zero")
    parser.core.ruler.enableOnly(["normalize", "block"])
    parser.block.ruler.enable(["fence", "list"])
    return parser
