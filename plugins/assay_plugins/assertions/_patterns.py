"""Patterns in RE2's syntax, searched in linear time whatever pattern and text hold."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

if TYPE_CHECKING:
    from types import ModuleType

Span: TypeAlias = tuple[int, int]
"""Where a match is: the index of its first character, and the one behind its last."""

Search: TypeAlias = Callable[[str], Span | None]
"""Finds the first match in a text; None when there is none."""


class _Match(Protocol):
    def span(self) -> Span: ...


class _Regexp(Protocol):
    def search(self, text: str) -> _Match | None: ...


@lru_cache(maxsize=64)
def linear_search(pattern: str) -> Search:
    """Compile a pattern in RE2's syntax. The same few stand in most cases, hence the cache.

    Raises:
        ValueError: The pattern is wrong; its text says what is, without a mend.
    """
    import re2  # type: ignore[import-untyped]  # it has no type information

    return _compile(cast("ModuleType", re2), pattern).search_span


class _Compiled:
    """A compiled pattern that takes any text."""

    def __init__(self, regexp: _Regexp) -> None:
        self._regexp = regexp

    def search_span(self, text: str) -> Span | None:
        try:
            match = self._regexp.search(text)
        except UnicodeEncodeError:
            # JSON can hold halves of surrogate pairs, UTF-8 and so RE2 cannot. The replacement
            # has the same length, so that the span is still that of the text.
            match = self._regexp.search(re.sub("[\ud800-\udfff]", "\ufffd", text))
        return None if match is None else match.span()


def _compile(re2: ModuleType, pattern: str) -> _Compiled:
    options = re2.Options()
    # RE2 would write every error to stderr by itself.
    options.log_errors = False
    # Nothing here reads groups, and tracking them makes RE2 leave its fast path: seconds per
    # 100 kB with nested counted repetitions.
    options.never_capture = True
    try:
        return _Compiled(cast("_Regexp", re2.compile(pattern, options)))
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair stands in it") from error
    except re2.error as error:
        told: object = error.args[0] if error.args else "not understood"
        text = told.decode(errors="replace") if isinstance(told, bytes) else str(told)
        raise ValueError(text) from error
