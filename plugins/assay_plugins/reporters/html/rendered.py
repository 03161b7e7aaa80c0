"""Answers of agents as HTML: Markdown by CommonMark's rules, and nothing that could harm."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt

from assay.escape import terminal

if TYPE_CHECKING:
    from assay import CaseResult

_LONGEST: Final = 20_000
"""Characters of an answer that is rendered; a longer one is shown as it is."""
_QUOTES: Final = 200
"""Signs that could open a block quote. Many of them take quadratic time, so that quotes are off."""
_BRACKETS: Final = 1_000
"""Brackets that could open a link. Many take quadratic time: a text with more is not rendered."""
_BUDGETS: Final = {True: 2_000_000, False: 4_000_000}
"""Characters that are rendered in all, of cases that passed and of those that did not: a page of
ten thousand results is written in seconds."""

_MARKS = re.compile(r"[\n*_`~#>\[\]<\\&|]")
"""A text without any of these is no Markdown, which is seen at once."""
_SYNTAX = re.compile(
    r"""
    ^\ {0,3}(?: \#{1,6}\ | [-+*]\ | \d{1,9}[.)]\ | > | ```|~~~ | (?:[-*_]\ *){3,}$ | =+\ *$ )
    | ^(?:\ {4}|\t)\S
    | ^\ {0,3}\|?\ *:?-+:?\ *\|
    | \*\S|\S\* | (?<!\w)_\S | ~~ | ` | \]\( | <\w+:[^>\s]+> | \\[!-/:-@\[-`{-~] | &\#?\w+;
    | (?:\ \ |\\)$(?!\Z)
    """,
    re.MULTILINE | re.VERBOSE,
)
_LINK = re.compile(r"(?:https?://|mailto:|data:image/(?:gif|png|jpeg|webp);)", re.IGNORECASE)
_ALIGNED = re.compile(r' style="text-align:(left|center|right)"')


class _Parser(MarkdownIt):
    """Knows the links that lead out of the page, and no others."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name is markdown-it's
        return _LINK.match(url) is not None


class Renderer:
    """Renders answers that are Markdown, as long as the page can afford it."""

    def __init__(self) -> None:
        self._parser = _Parser("js-default", {"linkify": False, "typographer": False})
        self._unquoted = _Parser("js-default", {"linkify": False, "typographer": False})
        self._unquoted.disable("blockquote")
        self._left = dict(_BUDGETS)

    def html(self, output: object, result: CaseResult) -> str | None:
        """Give an answer as HTML; None where the text itself shows as much, or is too long.

        Raw HTML of the answer becomes text, and what would steer the text's direction or a
        terminal is shown as an escape. There is no style, and no link within the page.

        Args:
            output: The answer.
            result: The case that it belongs to: those that did not pass come first.
        """
        if not isinstance(output, str) or len(output) > _LONGEST or not _is_markdown(output):
            return None
        has_passed = result.status == "passed"
        if self._left[has_passed] < len(output):
            return None
        self._left[has_passed] -= len(output)
        parser = self._unquoted if output.count(">") > _QUOTES else self._parser
        html = str(parser.render(terminal(output)))
        # Texts of the answer have their quotes escaped: this is the parser's own.
        return _ALIGNED.sub(r' class="\1"', html)


def _is_markdown(text: str) -> bool:
    if _MARKS.search(text) is None or text.count("[") > _BRACKETS:
        return False
    return _SYNTAX.search(text) is not None
