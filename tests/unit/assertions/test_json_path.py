"""The ``json_path`` assertion."""

from __future__ import annotations

import re
from collections.abc import Callable

import attrs
import pytest

from assay import Outcome
from assay_plugins.assertions.json_path import JsonPath, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

DATA = {
    "need_search": False,
    "confidence": 0.99,
    "none": None,
    "tags": ["a", "b"],
    "items": [{"price": 1}, {"price": 2}, {"price": 3}],
    "user": {"name": "Ann", "first name": "A"},
}
TEXT = 'Here:\n```json\n{"a": {"b": [1, 2]}}\n```\n'


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.need_search", False),
        ("need_search", False),
        ("items[1].price", 2),
        ("$.items[-1].price", 3.0),
        ("['user']['first name']", "A"),
        ("$.none", None),
        ("$.user", {"first name": "A", "name": "Ann"}),
        ("$", DATA),
        # A list: that list, or one of its elements for a match that is no list.
        ("$.tags", ["a", "b"]),
        ("$.confidence", [0.5, 0.99]),
        ("$.none", [None]),
        ("$.user", [{"name": "x"}, {"name": "Ann", "first name": "A"}]),
        # Several matches: as a list.
        ("$.items[*].price", [1, 2, 3]),
        ("$..price", [1, 2, 3]),
        ("$.items[?@.price > 1].price", [2, 3]),
        ("$.items[?@.price > 2].price", 3),
        ("$.items[0, 2].price", [1, 3]),
    ],
)
def test_value(outcome_of: OutcomeOf, path: str, value: object) -> None:
    verdict = JsonPath(path=path, value=value).check(outcome_of(DATA))

    assert verdict.passed
    assert verdict.expected == value


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("need_search", True, "$.need_search: expected true, got false"),
        ("need_search", 0, "$.need_search: expected 0, got false"),
        ("items[1].price", "2", '$.items[1].price: expected "2", got 2'),
        ("none", False, "$.none: expected false, got null"),
        ("user", {"name": "Bob", "first name": "A"}, '$.user.name: expected "Bob", got "Ann"'),
        ("tags", ["a", "c"], '$.tags[1]: expected "c", got "b"'),
        # A match that is a list is never taken as one of the elements.
        ("tags", [["a", "b"], ["c"]], '$.tags[0]: expected ["a","b"], got "a"'),
        ("confidence", [0.5, 0.6], "$.confidence: expected one of [0.5,0.6], got 0.99"),
        ("confidence", [], "$.confidence: expected one of [], got 0.99"),
        (
            "$..price",
            [1, 2, 4],
            "3 matches for $..price, as a list: $[2]: expected 4, got 3",
        ),
        (
            "$..price",
            [1, 2],
            "3 matches for $..price, as a list: $: expected 2 elements, got 3",
        ),
        (
            "$..price",
            1,
            "3 matches for $..price, expected 1; "
            'compare them with a list, or allow values for each with "in"',
        ),
    ],
)
def test_value_that_differs(outcome_of: OutcomeOf, path: str, value: object, message: str) -> None:
    verdict = JsonPath(path=path, value=value).check(outcome_of(DATA))

    assert not verdict.passed
    assert not verdict.is_unmet
    assert verdict.message == message


def test_actual_is_the_match(outcome_of: OutcomeOf) -> None:
    outcome = outcome_of(DATA)

    assert JsonPath(path="tags", value=1).check(outcome).actual == ["a", "b"]
    assert JsonPath(path="$..price", value=1).check(outcome).actual == [1, 2, 3]


@pytest.mark.parametrize(
    ("path", "choices", "passed"),
    [
        ("confidence", (0.5, 0.99), True),
        ("confidence", (0.5, 0.6), False),
        ("confidence", ("0.99",), False),
        ("none", (None,), True),
        ("need_search", (0,), False),
        ("tags", (["x"], ["a", "b"]), True),
        ("tags", ("a", "b"), False),
        ("$.tags[*]", ("a", "b", "c"), True),
        ("$..price", (1, 2), False),
    ],
)
def test_in(outcome_of: OutcomeOf, path: str, choices: tuple[object, ...], passed: bool) -> None:
    verdict = JsonPath(path=path, in_=choices).check(outcome_of(DATA))

    assert verdict.passed is passed
    assert verdict.expected == list(choices)
    assert "one of" in verdict.message


def test_in_names_the_match_that_is_not_allowed(outcome_of: OutcomeOf) -> None:
    verdict = JsonPath(path="$..price", in_=(1, 2)).check(outcome_of(DATA))

    assert verdict.message == "$.items[2].price: expected one of [1,2], got 3"


@pytest.mark.parametrize("path", ["none", "tags", "$..price", "$"])
def test_exists(outcome_of: OutcomeOf, path: str) -> None:
    there = JsonPath(path=path, exists=True).check(outcome_of(DATA))
    absent = JsonPath(path=path, exists=False).check(outcome_of(DATA))

    assert there.passed
    assert not absent.passed
    assert not absent.is_unmet
    assert "$" in absent.message


MISSING = ["nope", "$.tags[2]", "$.user.name.first", "$..nope", "$.items[?@.price > 9]"]


@pytest.mark.parametrize("path", MISSING)
def test_a_missing_path_is_unmet(outcome_of: OutcomeOf, path: str) -> None:
    outcome = outcome_of(DATA)

    for check in (
        JsonPath(path=path, value=None),
        JsonPath(path=path, value=[]),
        JsonPath(path=path, in_=(None,)),
        JsonPath(path=path, exists=True),
    ):
        verdict = check.check(outcome)
        assert not verdict.passed
        assert verdict.is_unmet
        assert verdict.message.startswith(f"no match for {path}: ")


@pytest.mark.parametrize("path", MISSING)
def test_absence_is_said_with_exists(outcome_of: OutcomeOf, path: str) -> None:
    verdict = JsonPath(path=path, exists=False).check(outcome_of(DATA))

    assert verdict.passed
    assert verdict.message.startswith(f"no match for {path}: ")


@pytest.mark.parametrize("output", ["no JSON here", "almost: {a: 1}"])
@pytest.mark.parametrize(
    "check",
    [
        JsonPath(path="a", value=1),
        JsonPath(path="a", in_=(1,)),
        JsonPath(path="a", exists=True),
        JsonPath(path="a", exists=False),
    ],
)
def test_output_without_json_is_unmet(outcome_of: OutcomeOf, check: JsonPath, output: str) -> None:
    verdict = check.check(outcome_of(output))

    assert not verdict.passed
    assert verdict.is_unmet
    assert verdict.message == "the output holds no JSON"


def test_json_in_text(outcome_of: OutcomeOf) -> None:
    assert JsonPath(path="a.b[1]", value=2).check(outcome_of(TEXT)).passed
    assert JsonPath(path="$", value=42).check(outcome_of("42")).passed
    assert JsonPath(path="a", value=1).check(outcome_of('The answer is {"a": 1}.')).passed


def test_the_verdict_shows_which_json_was_used(outcome_of: OutcomeOf) -> None:
    text = '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```\n'

    for check in (
        JsonPath(path="a", value=1),
        JsonPath(path="a", value=2),
        JsonPath(path="b", value=2),
        JsonPath(path="b", exists=False),
        JsonPath(path="a", exists=False),
    ):
        assert "first of 2" in check.check(outcome_of(text)).message


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({}, 'nothing to check; add one of "value", "in" and "exists"'),
        ({"value": 1, "in_": (1,)}, "both value and in are there; keep one of them"),
        ({"value": None, "exists": True}, "both value and exists are there; keep one of them"),
        ({"in_": (1,), "exists": False}, "both in and exists are there; keep one of them"),
        ({"in_": ()}, "an empty list allows nothing; list the values that may be there"),
    ],
)
def test_exactly_one_thing_is_checked(fields: dict[str, object], what: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(what)}$"):
        JsonPath(path="a", **fields)  # type: ignore[arg-type] # the fields vary


def test_a_bad_path_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^not a JSON path at character \d+: .+; write "):
        JsonPath(path="$.a[", value=1)


def test_it_is_a_value() -> None:
    check = JsonPath(path="a", value=[1])

    assert check == JsonPath(path="a", value=[1])
    assert check != JsonPath(path="$.a", value=[1])
    assert JsonPath(path="a", value=None) != JsonPath(path="a", exists=True)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.path = "b"  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["json_path"]  # type: ignore[attr-defined] # every class bears its word
