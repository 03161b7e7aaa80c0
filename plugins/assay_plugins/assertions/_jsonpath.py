"""Evaluates JSON paths (RFC 9535) that ``jsonpath_rfc9535`` has read and checked.

The library reads; it does not evaluate here, since an agent wrote what is looked at: its
evaluator recurses with the depth of the data, hands patterns to an engine that can hang, holds
``true`` equal to ``1`` inside of lists, and takes ``$`` within a filter within a filter for the
wrong value.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from attrs import define
from jsonpath_rfc9535.filter_expressions import (
    ComparisonExpression,
    Expression,
    FilterExpressionLiteral,
    FilterQuery,
    FunctionExtension,
    IntegerLiteral,
    LogicalExpression,
    PrefixExpression,
    RootFilterQuery,
    StringLiteral,
)
from jsonpath_rfc9535.segments import JSONPathRecursiveDescentSegment, JSONPathSegment
from jsonpath_rfc9535.selectors import (
    FilterSelector,
    IndexSelector,
    JSONPathSelector,
    NameSelector,
    SliceSelector,
    WildcardSelector,
)

from assay.jsonvalue import equal, is_array, is_object
from assay.jsonvalue.paths import Place
from assay_plugins.assertions._patterns import linear_search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay_plugins.assertions._patterns import Search

NOTHING = object()
"""The value of a query within a filter that selects nothing; RFC 9535 calls it so."""


@define(eq=False, repr=False)
class Node:
    """A value, and where it stands."""

    value: object
    place: Place = None


def select(segments: Sequence[JSONPathSegment], start: Node, root: object) -> list[Node]:
    """Find the nodes of a query from ``start`` on; ``root`` is what ``$`` means in its filters."""
    nodes: Iterable[Node] = [start]
    for segment in segments:
        if isinstance(segment, JSONPathRecursiveDescentSegment):
            nodes = _descendants(nodes)
        # One list per segment: chained generators would nest as deep as the path is long.
        nodes = [
            found
            for node in nodes
            for selector in segment.selectors
            for found in _selected(selector, node, root)
        ]
    return list(nodes)


def patterns(segments: Sequence[JSONPathSegment]) -> Iterator[tuple[str, int]]:
    """Give the patterns that stand in a query as text, each with its index there."""
    todo: list[object] = [
        selector.expression.expression
        for segment in segments
        for selector in segment.selectors
        if isinstance(selector, FilterSelector)
    ]
    while todo:
        expression = todo.pop()
        if isinstance(expression, (LogicalExpression, ComparisonExpression)):
            todo += (expression.left, expression.right)
        elif isinstance(expression, PrefixExpression):
            todo.append(expression.right)
        elif isinstance(expression, FilterQuery):
            yield from patterns(expression.query.segments)
        elif isinstance(expression, FunctionExtension):
            todo += expression.args
            if expression.name in ("match", "search"):
                pattern = expression.args[1]
                if isinstance(pattern, StringLiteral):
                    yield pattern.value, pattern.token.index


def compile_pattern(pattern: str, *, whole: bool) -> Search:
    r"""Compile a pattern of ``match`` (``whole``) or ``search`` for RE2.

    The translation is that of RFC 9485, section 5.4. What RE2 knows beyond I-Regexp (``\d``)
    is allowed.

    Raises:
        ValueError: It is no pattern.
    """
    # Alone, so that "a)(b" is a fault instead of a way out of the group.
    linear_search(pattern)
    parts = re.findall(r"\\.|\[(?:\\.|[^\\\]])*\]?|.", pattern, re.DOTALL)
    inner = "".join(r"[^\n\r]" if part == "." else part for part in parts)
    return linear_search(rf"\A(?:{inner})\z" if whole else inner)


def _descendants(nodes: Iterable[Node]) -> Iterator[Node]:
    for start in nodes:
        stack = [start]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(_children(node))


def _children(node: Node) -> list[Node]:
    value, place = node.value, node.place
    if is_object(value):
        return [Node(held, (place, name)) for name, held in value.items()]
    if is_array(value):
        return [Node(held, (place, index)) for index, held in enumerate(value)]
    return []


def _selected(selector: JSONPathSelector, node: Node, root: object) -> Iterable[Node]:
    value, place = node.value, node.place
    if isinstance(selector, NameSelector):
        if is_object(value) and selector.name in value:
            return (Node(value[selector.name], (place, selector.name)),)
    elif isinstance(selector, IndexSelector):
        if is_array(value):
            index = selector.index + (len(value) if selector.index < 0 else 0)
            if 0 <= index < len(value):
                return (Node(value[index], (place, index)),)
    elif isinstance(selector, SliceSelector):
        if is_array(value) and selector.slice.step != 0:
            indexes = range(*selector.slice.indices(len(value)))
            return [Node(value[index], (place, index)) for index in indexes]
    elif isinstance(selector, WildcardSelector):
        return _children(node)
    elif isinstance(selector, FilterSelector):
        test = selector.expression.expression
        return [child for child in _children(node) if _holds(test, child.value, root)]
    return ()


def _holds(test: Expression, current: object, root: object) -> bool:
    if isinstance(test, LogicalExpression):
        left = _holds(test.left, current, root)
        if left is (test.operator == "||"):
            return left
        return _holds(test.right, current, root)
    if isinstance(test, PrefixExpression):
        return not _holds(test.right, current, root)
    if isinstance(test, ComparisonExpression):
        return _compare(
            _value(test.left, current, root), test.operator, _value(test.right, current, root)
        )
    if isinstance(test, FilterQuery):
        return bool(_query(test, current, root))
    assert isinstance(test, FunctionExtension)
    text, pattern = (_value(argument, current, root) for argument in test.args)
    return _matches(text, pattern, whole=test.name == "match")


def _query(query: Expression, current: object, root: object) -> list[Node]:
    assert isinstance(query, FilterQuery)
    start = root if isinstance(query, RootFilterQuery) else current
    return select(query.query.segments, Node(start), root)


def _value(expression: Expression, current: object, root: object) -> object:
    if isinstance(expression, IntegerLiteral):
        # The library's own value went through a float and lost digits beyond 2**53.
        with suppress(ValueError):
            return int(expression.token.value)
        return expression.value
    if isinstance(expression, FilterExpressionLiteral):
        return cast("FilterExpressionLiteral[object]", expression).value
    if isinstance(expression, FilterQuery):
        nodes = _query(expression, current, root)
        return nodes[0].value if nodes else NOTHING
    assert isinstance(expression, FunctionExtension)
    argument = expression.args[0]
    if expression.name == "length":
        measured = _value(argument, current, root)
        if isinstance(measured, str) or is_object(measured) or is_array(measured):
            return len(measured)
        return NOTHING
    nodes = _query(argument, current, root)
    if expression.name == "count":
        return len(nodes)
    return nodes[0].value if len(nodes) == 1 else NOTHING


def _compare(left: object, operator: str, right: object) -> bool:
    if operator == "==":
        return _same(left, right)
    if operator == "!=":
        return not _same(left, right)
    if operator in (">", ">="):
        left, right = right, left
    return _less(left, right) or (operator in ("<=", ">=") and _same(left, right))


def _same(left: object, right: object) -> bool:
    if left is NOTHING or right is NOTHING:
        return left is right
    return equal(left, right)


def _less(left: object, right: object) -> bool:
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left < right
    return False


def _matches(text: object, pattern: object, *, whole: bool) -> bool:
    if not isinstance(text, str) or not isinstance(pattern, str):
        return False
    search = _compiled(pattern, whole)
    return search is not None and search(text) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str, whole: bool) -> Search | None:
    try:
        return compile_pattern(pattern, whole=whole)
    except ValueError:
        return None
