"""The ``equals`` assertion."""

from __future__ import annotations

import json
from collections.abc import Callable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Outcome
from assay_plugins.assertions.equals import Equals, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ("hello", "hello"),
        ("", ""),
        ("42", "42"),
        (42, "42"),
        (42, " 42\n"),
        (1, 1.0),
        (1, "1.0"),
        (10**30, "1" + "0" * 30),
        (None, None),
        (None, "null"),
        (True, "true"),
        ([], "[]"),
        ({"a": 1, "b": [True, None]}, {"b": [True, None], "a": 1.0}),
        ({"a": 1}, '{"a": 1}'),
        ({"a": 1}, 'Here it is:\n```json\n{"a": 1}\n```\nBye'),
    ],
)
def test_equal(outcome_of: OutcomeOf, value: object, output: object) -> None:
    assert Equals(value=value).check(outcome_of(output)).passed


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ("hello", "Hello"),
        ("hello", " hello"),
        ("hello", '"hello"'),
        ("42", 42),
        ('{"a": 1}', {"a": 1}),
        (True, 1),
        (1, True),
        (0, False),
        ("", None),
        (None, ""),
        (None, "no answer"),
        (42, "the answer is 42"),
        (10**30, 10**30 + 1),
        ([1, 2], [2, 1]),
        ([True], [1]),
        ({"a": None}, {}),
        ({}, {"a": None}),
        ({"a": 1}, "no JSON here"),
    ],
)
def test_not_equal(outcome_of: OutcomeOf, value: object, output: object) -> None:
    verdict = Equals(value=value).check(outcome_of(output))

    assert not verdict.passed
    # So that "negate" says of any such output that it is something else.
    assert not verdict.is_unmet
    assert verdict.expected == value


@pytest.mark.parametrize(
    ("value", "output", "message"),
    [
        (
            {"items": [{}, {}, {"price": 3}]},
            {"items": [{}, {}, {"price": 4}]},
            "$.items[2].price: expected 3, got 4",
        ),
        ({"a": 1, "b": 2}, {"a": 2, "b": 3}, "$.a: expected 1, got 2; $.b: expected 2, got 3"),
        ({"a": 1}, {}, "$.a: missing, expected 1"),
        ({}, {"a": 1}, "$.a: not expected, got 1"),
        (1, "true", "$: expected 1, got true"),
        ({"a": 1}, "sorry", 'the text holds no JSON, expected {"a":1}'),
        ("a b", "a  b\n", r'only white space differs: expected "a b", got "a  b\n"'),
        ("Yes", "yes", 'only upper and lower case differ: expected "Yes", got "yes"'),
        ("yes", "no", 'expected "yes", got "no"'),
        ("yes", {"a": 1}, 'the output is an object, expected the text "yes"'),
    ],
)
def test_the_message_says_where_they_differ(
    outcome_of: OutcomeOf, value: object, output: object, message: str
) -> None:
    assert Equals(value=value).check(outcome_of(output)).message == message


def test_only_the_first_differences_are_told(outcome_of: OutcomeOf) -> None:
    verdict = Equals(value=list(range(50))).check(outcome_of([-1] * 50))

    assert verdict.message == (
        "$[0]: expected 0, got -1; $[1]: expected 1, got -1; $[2]: expected 2, got -1; …"
    )


def test_long_texts_are_told_from_where_they_part(outcome_of: OutcomeOf) -> None:
    verdict = Equals(value="x" * 500 + "a").check(outcome_of("x" * 500 + "b"))

    assert "from character 501 on" in verdict.message
    assert len(verdict.message) < 250


def test_the_verdict_shows_which_json_was_used(outcome_of: OutcomeOf) -> None:
    text = "First:\n```json\n[1]\n```\nthen:\n```json\n[2]\n```\n"
    right, wrong = (
        Equals(value=[1]).check(outcome_of(text)),
        Equals(value=[2]).check(outcome_of(text)),
    )

    assert right.passed
    assert right.actual == [1]
    assert "first of 2" in right.message
    assert not wrong.passed
    assert "first of 2" in wrong.message
    assert "$[0]: expected 2, got 1" in wrong.message


@given(value=JSON)
def test_every_value_equals_itself(outcome_of: OutcomeOf, value: object) -> None:
    assert Equals(value=value).check(outcome_of(value)).passed


@given(value=JSON.filter(lambda value: not isinstance(value, str)))
def test_every_value_equals_its_text(outcome_of: OutcomeOf, value: object) -> None:
    assert Equals(value=value).check(outcome_of(json.dumps(value, indent=1))).passed


@given(value=JSON, output=JSON)
def test_a_failure_always_says_why(outcome_of: OutcomeOf, value: object, output: object) -> None:
    verdict = Equals(value=value).check(outcome_of(output))

    assert verdict.passed or (verdict.message and verdict.message != "equal")


def test_deep_values_are_compared(outcome_of: OutcomeOf) -> None:
    def nested(core: object) -> object:
        value = core
        for _ in range(10_000):
            value = [value]
        return value

    assert Equals(value=nested(1)).check(outcome_of(nested(1))).passed
    verdict = Equals(value=nested(1)).check(outcome_of(nested(2)))
    assert not verdict.passed
    assert verdict.message.endswith(": expected 1, got 2")


def test_it_is_a_value() -> None:
    check = Equals(value={"a": [1]})

    assert check == Equals(value={"a": [1]})
    assert check != Equals(value={"a": [2]})
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.value = 2  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["equals"]  # type: ignore[attr-defined] # every class bears its word
