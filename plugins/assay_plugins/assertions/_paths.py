"""JSON paths as cases write them: RFC 9535, and the short forms ``a.b`` and ``a[0].b``."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from assay import CannotCheck
from assay.jsonvalue import is_array, is_object
from assay.jsonvalue.paths import render
from assay_plugins.assertions._shown import a_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    import attrs
    from jsonpath_rfc9535.segments import JSONPathSegment

    from assay_plugins.assertions._jsonpath import Node

_MEND = "write names as $.a.b or $['a b'], and indexes as $.a[0]"
_NAMES_SHOWN = 8


class Path:
    """A path that can be looked up."""

    def __init__(self, segments: Sequence[JSONPathSegment]) -> None:
        self.segments = segments

    def find(self, value: object) -> list[Node]:
        """Give the matches in ``value``, in the order of RFC 9535.

        Raises:
            CannotCheck: The path is nested too deeply to be looked up.
        """
        from assay_plugins.assertions._jsonpath import Node, select

        try:
            return select(self.segments, Node(value), value)
        except RecursionError as error:
            raise CannotCheck(
                "the path is nested too deeply to be looked up; write shorter filters"
            ) from error

    def why_missing(self, value: object) -> str:
        """Say how far a path leads that has no match in ``value``."""
        from assay_plugins.assertions._jsonpath import Node, select

        node = Node(value)
        for segment in self.segments:
            found = select((segment,), node, value)
            if not found:
                return _why(segment, node)
            node = found[0]
        # Its first steps led somewhere each, but not to one place.
        return "nothing matches"


@lru_cache(maxsize=256)
def parse_path(text: str) -> Path:
    """Read a path. The same few stand in most cases of a file, hence the cache.

    Raises:
        ValueError: It is no path; the text says what is wrong, where, and how to mend it.
    """
    import jsonpath_rfc9535

    if not text:
        raise ValueError(f"the path is empty; {_MEND}")
    if text.startswith("."):
        raise ValueError(f"the path begins with a dot; write ${text}")
    before = "" if text.startswith("$") else "$" if text.startswith("[") else "$."
    try:
        path = Path(jsonpath_rfc9535.compile(before + text).segments)
    except jsonpath_rfc9535.JSONPathError as error:
        token = error.token
        at = "" if token is None else f" at character {max(token.index - len(before), 0) + 1}"
        raise ValueError(f"not a JSON path{at}: {error.args[0]}; {_MEND}") from error
    except (OverflowError, ValueError) as error:
        raise ValueError("a number in the path is too large; write a smaller one") from error
    except RecursionError as error:
        raise ValueError("the path is nested too deeply; write shorter filters") from error
    _check_patterns(path, len(before))
    return path


def check_path(_: object, __: attrs.Attribute[Any], value: str | None) -> None:
    """Refuse what is no path: an attrs validator.

    Raises:
        ValueError: What is wrong.
    """
    if value is not None:
        parse_path(value)


def _check_patterns(path: Path, before: int) -> None:
    # RFC 9535 lets a wrong pattern match nothing. In a test it would be a check that says
    # nothing of the agent.
    from assay_plugins.assertions._jsonpath import compile_pattern, patterns

    for pattern, index in patterns(path.segments):
        try:
            compile_pattern(pattern, whole=False)
        except ValueError as error:
            raise ValueError(
                f"the pattern at character {index - before + 1} is wrong: {error}; "
                "write it in the syntax of RE2"
            ) from error


def _why(segment: JSONPathSegment, node: Node) -> str:
    from jsonpath_rfc9535.segments import JSONPathChildSegment
    from jsonpath_rfc9535.selectors import IndexSelector, NameSelector

    value, where = node.value, render(node.place)
    if isinstance(segment, JSONPathChildSegment) and len(segment.selectors) == 1:
        selector = segment.selectors[0]
        if isinstance(selector, NameSelector):
            if not is_object(value):
                return f"{where} is {a_type(value)}, no object"
            return f"{where} has no {render((None, selector.name))[1:]}{_names(value)}"
        if isinstance(selector, IndexSelector):
            if not is_array(value):
                return f"{where} is {a_type(value)}, no array"
            noun = "element" if len(value) == 1 else "elements"
            return f"{where} has {len(value)} {noun}, none at [{selector.index}]"
    return f"nothing in {where} matches {segment}"


def _names(value: dict[str, object]) -> str:
    if not value:
        return ": it is empty"
    names = [render((None, name))[1:].removeprefix(".") for name in list(value)[:_NAMES_SHOWN]]
    more = ", …" if len(value) > _NAMES_SHOWN else ""
    return f", only {', '.join(names)}{more}"
