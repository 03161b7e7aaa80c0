"""What was expected against what came, as lines: for texts and JSON values of any size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final, Literal, TypeAlias

from attrs import frozen

from assay import ABSENT
from assay.jsonvalue import compact, describe, differences
from assay_plugins.reporters._pretty import json_lines, newlines

Side: TypeAlias = Literal["same", "expected", "actual", "note"]

_CONTEXT: Final = 2
"""Equal lines shown before and after a difference."""
_MAX_JSON: Final = 200_000
"""Characters of indented JSON; for values beyond it only the paths that differ are told."""
_MAX_COMPARED: Final = 200
"""Lines that are compared with one another: the time grows with their cube at worst."""
_MAX_MIDDLE: Final = 40_000
"""Characters between the first and the last difference that are looked at."""
_MAX_LINE: Final = 4_000
"""Characters of a line before and after the part that differs; more than any width."""
_BLOCK: Final = 4096


@frozen
class DiffLine:
    """One line of a diff."""

    side: Side
    """Whose line it is; ``note`` is a remark, such as how many lines were left out."""
    text: str
    """Without a line end. As it came from the agent: not escaped."""
    mark: tuple[int, int] | None = None
    """The part of ``text`` that differs from the line's counterpart, where it has one."""


def diff(
    expected: object, actual: object, *, width: int = 200, max_lines: int = 40
) -> tuple[DiffLine, ...]:
    """Compare two JSON values as lines.

    Equal lines are left out but for two around each difference, and a long line is cut to the
    part that differs. Lines of JSON come without commas at their ends, which would differ where
    values do not. Time and result are bounded whatever the size of the values.

    Args:
        expected: Text, or a JSON value, which is compared as indented JSON.
        actual: The same; where one is text and the other is not, text is quoted.
        width: Characters of a line that are shown.
        max_lines: Lines of the result; remarks come on top.
    """
    texts = _as_texts(expected, actual)
    if texts is None:
        return _paths(expected, actual, max_lines)
    middle = _Middle.of(*texts)
    if middle.is_cut and not isinstance(expected, str) and not isinstance(actual, str):
        return _paths(expected, actual, max_lines)
    return tuple(_limited(_lines(middle, width, max_lines), max_lines))


def common_ends(left: str, right: str) -> tuple[int, int]:
    """Count the characters that two texts share at the start and, beside those, at the end."""
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start : start + _BLOCK] == right[start : start + _BLOCK]:
        start += _BLOCK
    start = min(start, shorter)
    while start < shorter and left[start] == right[start]:
        start += 1
    end, room = 0, shorter - start
    while end + _BLOCK <= room and (
        left[len(left) - end - _BLOCK : len(left) - end]
        == right[len(right) - end - _BLOCK : len(right) - end]
    ):
        end += _BLOCK
    while end < room and left[-1 - end] == right[-1 - end]:
        end += 1
    return start, end


@frozen(kw_only=True)
class _Middle:
    """The whole lines between the first and the last difference, and what lies around them."""

    before: Sequence[str]
    left: Sequence[str]
    right: Sequence[str]
    after: Sequence[str]
    lines_before: int
    """Equal lines above ``before`` that are not shown."""
    lines_after: int
    is_cut: bool

    @classmethod
    def of(cls, left: str, right: str) -> _Middle:
        start, end = common_ends(left, right)
        head = left.rfind("\n", 0, start) + 1
        tail = left.find("\n", len(left) - end)
        rest = len(left) - tail if tail >= 0 else 0
        before, lines_before = _tail(left[:head])
        after, lines_after = _head(left[len(left) - rest :])
        # Of a line of megabytes only the surroundings of the difference are of use.
        first = max(head, start - _MAX_LINE)
        rest = max(rest, end - _MAX_LINE)
        middles = [text[first : len(text) - rest] for text in (left, right)]
        pieces = [middle[:_MAX_MIDDLE].split("\n") for middle in middles]
        return cls(
            before=before,
            left=pieces[0],
            right=pieces[1],
            after=after,
            lines_before=lines_before,
            lines_after=lines_after,
            is_cut=any(len(middle) > _MAX_MIDDLE for middle in middles),
        )


def _tail(text: str) -> tuple[Sequence[str], int]:
    """The last lines of a text that ends with a line end, and how many come before them."""
    if not text:
        return (), 0
    count = text.count("\n")
    shown = text[-_MAX_MIDDLE:].split("\n")[:-1][-_shown_of(count) :]
    return shown, count - len(shown)


def _head(text: str) -> tuple[Sequence[str], int]:
    """The first lines of a text that begins with a line end, and how many come after them."""
    if not text:
        return (), 0
    count = text.count("\n")
    shown = text[:_MAX_MIDDLE].split("\n")[1 : 1 + _shown_of(count)]
    return shown, count - len(shown)


def _shown_of(count: int) -> int:
    """How many of some equal lines are shown: a remark takes a line too."""
    return count if count <= _CONTEXT + 1 else _CONTEXT


def _lines(middle: _Middle, width: int, max_lines: int) -> Iterator[DiffLine]:
    if middle.lines_before:
        yield _equal_lines(middle.lines_before)
    yield from (DiffLine("same", _cut(line, width)) for line in middle.before)
    left, right = middle.left, middle.right
    for kind, i, i_end, j, j_end in _operations(left, right):
        if kind == "equal":
            yield from _equal(left[i:i_end], width)
        else:
            yield from _changed(left[i:i_end], right[j:j_end], width, max(max_lines // 2, 1))
    if middle.is_cut:
        yield DiffLine("note", "the rest is too long to compare")
        return
    yield from (DiffLine("same", _cut(line, width)) for line in middle.after)
    if middle.lines_after:
        yield _equal_lines(middle.lines_after)


def _operations(
    left: Sequence[str], right: Sequence[str]
) -> Sequence[tuple[str, int, int, int, int]]:
    if len(left) > _MAX_COMPARED or len(right) > _MAX_COMPARED:
        return [("replace", 0, len(left), 0, len(right))]
    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def _equal(lines: Sequence[str], width: int) -> Iterator[DiffLine]:
    hidden = len(lines) - 2 * _CONTEXT
    if hidden > 1:
        yield from (DiffLine("same", _cut(line, width)) for line in lines[:_CONTEXT])
        yield _equal_lines(hidden)
        yield from (DiffLine("same", _cut(line, width)) for line in lines[-_CONTEXT:])
    else:
        yield from (DiffLine("same", _cut(line, width)) for line in lines)


def _changed(
    left: Sequence[str], right: Sequence[str], width: int, most: int
) -> Iterator[DiffLine]:
    pairs = [_pair(a, b, width) for a, b in zip(left[:most], right[:most], strict=False)]
    for side, lines, place in (("expected", left, 0), ("actual", right, 1)):
        name: Side = "expected" if side == "expected" else "actual"
        yield from (DiffLine(name, *pair[place]) for pair in pairs)
        yield from (DiffLine(name, _cut(line, width)) for line in lines[len(pairs) : most])
        if len(lines) > most:
            yield DiffLine("note", f"{len(lines) - most} more {name} lines")


_Part: TypeAlias = tuple[str, tuple[int, int] | None]


def _pair(left: str, right: str, width: int) -> tuple[_Part, _Part]:
    """Cut two lines alike, so that the part that differs is seen."""
    if len(left) + len(right) <= _MAX_MIDDLE and left.split() == right.split():
        left, right = compact(left), compact(right)
    start, end = common_ends(left, right)
    marked = start + end > 0
    fits = max(len(left), len(right)) <= width
    first = 0 if fits or start < width // 2 else start - width // 4
    return _window(left, start, end, first, width, marked), _window(
        right, start, end, first, width, marked
    )


def _window(line: str, start: int, end: int, first: int, width: int, marked: bool) -> _Part:
    lead = "…" if first else ""
    shown = _cut(lead + line[first : first + width + 1], width)
    if not marked:
        return shown, None
    offset = len(lead) - first
    stop = min(len(line) - end + offset, len(shown))
    begin = min(start + offset, stop)
    return shown, ((begin, stop) if begin < stop else None)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"


def _equal_lines(count: int) -> DiffLine:
    return DiffLine("note", f"{count} equal line{'' if count == 1 else 's'}")


def _limited(lines: Iterator[DiffLine], most: int) -> Iterator[DiffLine]:
    shown = 0
    for line in lines:
        if line.side != "note":
            if shown == most:
                yield DiffLine("note", "more differences")
                return
            shown += 1
        yield line


def _as_texts(expected: object, actual: object) -> tuple[str, str] | None:
    """Both values as texts that can be compared; None when one is too large for it."""
    if isinstance(expected, str) and isinstance(actual, str):
        return newlines(expected), newlines(actual)
    left, right = _as_text(expected, ABSENT), _as_text(actual, expected)
    return None if left is None or right is None else (left, right)


def _as_text(value: object, like: object) -> str | None:
    if isinstance(value, str) and ("\n" in value or len(value) > _MAX_JSON):
        return newlines(value)
    lines: list[str] = []
    room = _MAX_JSON
    for line in json_lines(value, like=like, commas=False):
        room -= len(line) + 1
        if room < 0:
            return None
        lines.append(line)
    return "\n".join(lines)


def _paths(expected: object, actual: object, max_lines: int) -> tuple[DiffLine, ...]:
    found = differences(expected, actual, max_lines + 1)
    lines = [DiffLine("note", describe(difference)) for difference in found[:max_lines]]
    if len(found) > max_lines:
        lines.append(DiffLine("note", "more differences"))
    return tuple(lines)
