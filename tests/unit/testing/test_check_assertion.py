from __future__ import annotations

import itertools
from typing import Any, ClassVar

import pytest
from attrs import define, field, frozen, validators

from assay import Agent, CannotCheck, Check, Outcome, Verdict
from assay.testing import check_assertion


@frozen(kw_only=True)
class Longer:
    """Pass when the output is text of more characters."""

    name: ClassVar[str] = "longer"

    value: int = field(validator=validators.ge(0))
    in_: tuple[str, ...] = ()

    def check(self, outcome: Outcome) -> Verdict:
        """Count."""
        if not isinstance(outcome.output, str):
            return Verdict.unmet("the output is no text")
        length = len(outcome.output)
        return Verdict(passed=length > self.value, message=f"{length} characters", actual=length)


GOOD: list[dict[str, object]] = [{"value": 3, "in": ["a"]}, {"value": 0}]
BAD: list[dict[str, object]] = [{}, {"value": -1}, {"value": "3"}, {"value": 1, "vlaue": 2}]


def test_a_good_type_passes() -> None:
    check_assertion(Longer, good=GOOD, bad=BAD)


def test_a_type_that_groups_others_passes() -> None:
    @frozen(kw_only=True)
    class Both:
        name: ClassVar[str] = "both"
        checks: tuple[Check, ...]

        async def check(self, outcome: Outcome) -> Verdict:
            results = [await outcome.services.evaluate(each, outcome) for each in self.checks]
            passed = all(result.passed for result in results)
            return Verdict(passed=passed, message="not all" if not passed else "all")

    inner: list[object] = [{"type": "equals", "value": 1}, {"type": "both", "checks": []}]
    check_assertion(Both, good=[{"checks": inner}], bad=[{"checks": [{"type": "nothing"}]}])


def variant(**members: Any) -> type:
    """Make ``Longer`` anew with other members."""
    cls: type = frozen(kw_only=True)(type("Longer", (Longer,), {"__annotations__": {}, **members}))
    return cls


def returns(value: object) -> Any:
    """Make a method that gives one value."""

    def method(*_: object) -> object:
        return value

    return method


COUNT = itertools.count()


def counted(self: object, outcome: Outcome) -> Verdict:
    return Verdict(passed=True, score=next(COUNT))


def counted_agents(self: object) -> list[Agent]:
    return [Agent(str(next(COUNT)))]


def verdict(passed: bool, **fields: Any) -> Any:
    return returns(Verdict(passed=passed, **fields))


def raises(error: BaseException) -> Any:
    def check(self: object, outcome: Outcome) -> Verdict:
        raise error

    return check


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"name": 5}, "has no 'name'"),
        ({"check": None}, "has no method 'check'"),
        ({"check": verdict(False)}, "does not say why"),
        ({"check": verdict(True, is_unmet=True)}, "unmet and passed at once"),
        ({"check": verdict(True, actual={1, 2})}, "'actual' of its verdict"),
        ({"check": verdict(True, expected=float("nan"))}, "'expected' of its verdict"),
        ({"check": returns(True)}, "it gives bool"),
        ({"check": raises(KeyError("x"))}, "it raises KeyError"),
        ({"check": raises(CannotCheck(""))}, "does not say why"),
        ({"check": counted}, "and then Verdict"),
        ({"needs": returns(["agent"])}, "no Script, Agent or File"),
        ({"needs": counted_agents}, "it must not change"),
        ({"Settings": 5}, "Settings is not an attrs class"),
    ],
)
def test_a_type_that_breaks_a_rule_is_caught(members: dict[str, Any], rule: str) -> None:
    with pytest.raises(AssertionError, match="Longer") as raised:
        check_assertion(variant(**members), good=GOOD, bad=BAD)
    assert rule in str(raised.value)


def test_a_type_that_cannot_check_anything_keeps_the_contract() -> None:
    check_assertion(variant(check=raises(CannotCheck("not today"))), good=GOOD, bad=BAD)


def test_a_type_that_is_not_frozen_is_caught() -> None:
    @define(kw_only=True)
    class Loose:
        name: ClassVar[str] = "loose"
        value: int

        def check(self, outcome: Outcome) -> Verdict:
            return Verdict(passed=True)

    with pytest.raises(AssertionError, match="'value' can be set"):
        check_assertion(Loose, good=[{"value": 1}])


def next_after(value: int) -> int:
    return value + 1


def test_a_type_whose_value_does_not_come_back_is_caught() -> None:
    @frozen(kw_only=True)
    class Changing:
        name: ClassVar[str] = "changing"
        value: int = field(converter=next_after)

        def check(self, outcome: Outcome) -> Verdict:
            return Verdict(passed=True)

    with pytest.raises(AssertionError, match="another check when it is read from its JSON"):
        check_assertion(Changing, good=[{"value": 1}])


EXAMPLES: list[tuple[list[dict[str, object]], list[dict[str, object]], str]] = [
    ([], [], "at least one example"),
    ([{"value": 1}], [], "no example gives the field 'in'"),
    ([{"value": "x", "in": []}], [], "it does not take"),
    (GOOD, [{"value": 5}], "which is a fault"),
    ([{"value": 1, "in": [], "negate": True}], [], "'negate' is read by assay itself"),
]


@pytest.mark.parametrize(("good", "bad", "rule"), EXAMPLES)
def test_examples_that_show_nothing_are_caught(
    good: list[dict[str, object]], bad: list[dict[str, object]], rule: str
) -> None:
    with pytest.raises(AssertionError, match="Longer") as raised:
        check_assertion(Longer, good=good, bad=bad)
    assert rule in str(raised.value)


def silent(instance: object, attribute: object, value: int) -> None:
    if value != 3:
        raise ValueError


def test_a_fault_that_says_nothing_is_caught() -> None:
    @frozen(kw_only=True)
    class Silent:
        name: ClassVar[str] = "silent"
        value: int = field(validator=silent)

        def check(self, outcome: Outcome) -> Verdict:
            return Verdict(passed=True)

    with pytest.raises(AssertionError, match="does not say what is wrong"):
        check_assertion(Silent, good=[{"value": 3}], bad=[{"value": 4}])
