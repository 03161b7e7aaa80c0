"""The ``json_path`` assertion: what stands at a path of the output's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from attrs import evolve, field, frozen

from assay import ABSENT, AssertionType, Outcome, Verdict, hookimpl
from assay.jsonvalue import describe, differences, equal, is_array
from assay.jsonvalue.paths import render
from assay_plugins.assertions._paths import check_path, parse_path
from assay_plugins.assertions._shown import inside, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import attrs

    from assay_plugins.assertions._jsonpath import Node


def _check_choices(_: object, __: attrs.Attribute[Any], choices: tuple[object, ...] | None) -> None:
    if choices is not None and not choices:
        raise ValueError("an empty list allows nothing; list the values that may be there")


@frozen(kw_only=True)
class JsonPath:
    """Pass when what stands at ``path`` is as said by one of ``value``, ``in`` and ``exists``.

    The path is one of RFC 9535; ``a.b`` and ``a[0].b`` are short for ``$.a.b`` and
    ``$.a[0].b``. A path without a match fails, negated or not, unless ``exists`` is false: a
    missing value is not null.
    """

    name: ClassVar[str] = "json_path"

    path: str = field(validator=check_path)
    value: object = ABSENT
    """One match is compared with it; where it is a list and the match is none, the match may
    also be one of its elements. Several matches are compared with it as a list."""
    in_: tuple[object, ...] | None = field(default=None, validator=_check_choices)
    """Every match must equal one of these."""
    exists: bool | None = None
    """Whether there must be a match, or none."""

    def __attrs_post_init__(self) -> None:
        """Refuse several things to check, and none."""
        given = [
            word
            for word, absent in (
                ("value", self.value is ABSENT),
                ("in", self.in_ is None),
                ("exists", self.exists is None),
            )
            if not absent
        ]
        if not given:
            raise ValueError('nothing to check; add one of "value", "in" and "exists"')
        if len(given) > 1:
            raise ValueError(f"both {given[0]} and {given[1]} are there; keep one of them")

    def check(self, outcome: Outcome) -> Verdict:
        """Look the path up, and compare what is there."""
        found = outcome.json
        if found is None:
            return self._unmet("the output holds no JSON")
        path = parse_path(self.path)
        nodes = path.find(found.value)
        where = inside(found)
        if not nodes:
            message = f"no match for {self.path}: {path.why_missing(found.value)}{where}"
            if self.exists is False:
                return Verdict(passed=True, message=message)
            return self._unmet(message)
        if self.exists is not None:
            message = f"{_matches(nodes)}{where}"
            return Verdict(passed=self.exists, message=message, actual=_actual(nodes))
        passed, message = self._compare(nodes)
        return Verdict(
            passed=passed,
            message=f"{message}{where}",
            expected=self._expected(),
            actual=_actual(nodes),
        )

    def _compare(self, nodes: list[Node]) -> tuple[bool, str]:
        if self.in_ is not None:
            return _compare_choices(nodes, self.in_)
        if len(nodes) > 1:
            return self._compare_several(nodes)
        actual, place = nodes[0].value, render(nodes[0].place)
        if equal(self.value, actual):
            return True, _matches(nodes)
        if is_array(self.value) and not is_array(actual):
            return _compare_choices(nodes, self.value)
        difference = differences(self.value, actual, 1)[0]
        return False, describe(evolve(difference, path=place + difference.path[1:]))

    def _compare_several(self, nodes: list[Node]) -> tuple[bool, str]:
        count = f"{len(nodes)} matches for {self.path}"
        actual = [node.value for node in nodes]
        if equal(self.value, actual):
            return True, count
        if not is_array(self.value):
            return False, (
                f"{count}, expected {shown(self.value)}; "
                'compare them with a list, or allow values for each with "in"'
            )
        return False, f"{count}, as a list: {describe(differences(self.value, actual, 1)[0])}"

    def _expected(self) -> object:
        return self.value if self.in_ is None else list(self.in_)

    def _unmet(self, message: str) -> Verdict:
        return Verdict.unmet(message, expected=self._expected())


def _compare_choices(nodes: list[Node], choices: Sequence[object]) -> tuple[bool, str]:
    for node in nodes:
        if not any(equal(choice, node.value) for choice in choices):
            place = render(node.place)
            return False, f"{place}: expected one of {shown(choices)}, got {shown(node.value)}"
    return True, f"{_matches(nodes)}, one of {shown(choices)}"


def _matches(nodes: list[Node]) -> str:
    first = f"{render(nodes[0].place)} is {shown(nodes[0].value)}"
    return first if len(nodes) == 1 else f"{len(nodes)} matches, the first: {first}"


def _actual(nodes: list[Node]) -> object:
    return nodes[0].value if len(nodes) == 1 else [node.value for node in nodes]


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``json_path``."""
    return [JsonPath]
