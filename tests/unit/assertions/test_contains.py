"""The ``contains`` assertion."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Outcome
from assay_plugins.assertions.contains import Contains, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

FENCED = 'Sure:\n```json\n{"user": {"name": "Ann", "tags": ["a", "b"]}, "n": 3}\n```\n'
STRUCTURE = {"b": "Zürich", "a": [1, {"deep": {"x": 1.0, "y": [True, 'say "hi"\nnow']}}]}


@pytest.mark.parametrize(
    ("value", "output"),
    [
        # Text in text: a substring.
        ("need_search", 'prefix {"need_search": false}'),
        ("ü", "Zürich"),
        ("a\nb", "a\nb"),
        # Numbers and booleans in text: by their JSON text.
        (42, "the answer is 42."),
        (1.5, "1.5 litres"),
        (True, "it is true"),
        # Objects and lists in text: in the JSON that it holds.
        ({"name": "Ann"}, FENCED),
        ({"user": {"tags": ["a", "b"]}}, FENCED),
        (["Ann", 3, {"n": 3}], FENCED),
        ({"a": 1}, 'The result is {"a": 1, "b": 2}, as asked.'),
        # Text in structures: in the compact JSON text, keys in their own order.
        ('{"b":"Zürich","a":[1', STRUCTURE),
        ("Zürich", STRUCTURE),
        ('"deep":{"x":1.0', STRUCTURE),
        # ... and in each string, where JSON text escapes it.
        ('say "hi"\nnow', STRUCTURE),
        ("x", ["x", "y"]),
        # Numbers and booleans in structures: an equal element anywhere.
        (1, STRUCTURE),
        (1.0, {"a": [[1]]}),
        (True, STRUCTURE),
        (3, 3),
        # Objects in structures: a sub-structure anywhere.
        ({"x": 1}, STRUCTURE),
        ({"deep": {"y": [True, 'say "hi"\nnow']}}, STRUCTURE),
        # Lists: each element.
        (["Zürich", 1, {"x": 1}, True], STRUCTURE),
        ([[1, 2]], {"a": [1, 2]}),
        ("null", None),
    ],
)
def test_contained(outcome_of: OutcomeOf, value: object, output: object) -> None:
    verdict = Contains(value=value).check(outcome_of(output))

    assert verdict.passed
    assert verdict.message.startswith("found ")


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ("Need", "need"),
        (43, "the answer is 42"),
        (True, "it is True"),
        (1, {"a": True}),
        (True, {"a": 1}),
        (1, {"1": "1"}),
        ({"a": 1}, "no JSON at all"),
        (["a", "b"], "a and b, but no JSON"),
        ({"a": 1, "b": 2}, '{"a": 1}'),
        ({"a": 1}, [["a", 1]]),
        ({"y": [True]}, STRUCTURE),
        ([1, 2], [1]),
        ([[1]], [1, 2]),
        ([[2, 1]], [[1, 2]]),
        ('"deep": {', STRUCTURE),
    ],
)
def test_not_contained(outcome_of: OutcomeOf, value: object, output: object) -> None:
    verdict = Contains(value=value).check(outcome_of(output))

    assert not verdict.passed
    # So that "negate" is as "not_contains" is.
    assert not verdict.is_unmet
    assert verdict.expected == value
    assert verdict.actual == output


@pytest.mark.parametrize(
    ("value", "output"),
    [
        ("ERROR", "an Error occurred"),
        ("STRASSE", "straße"),
        (True, "TRUE"),
        ("ERROR", {"message": "Error!"}),
        ("MESSAGE", {"message": "Error!"}),
        ({"message": "ERROR!"}, {"a": [{"message": "error!", "n": 1}]}),
        (["ANN", {"name": "ann"}], FENCED),
        ('SAY "HI"\nNOW', STRUCTURE),
    ],
)
def test_ignore_case(outcome_of: OutcomeOf, value: object, output: object) -> None:
    assert not Contains(value=value).check(outcome_of(output)).passed
    assert Contains(value=value, ignore_case=True).check(outcome_of(output)).passed


def test_names_that_differ_in_case_stay_two(outcome_of: OutcomeOf) -> None:
    both = outcome_of({"Error": "A", "error": "B"})

    assert Contains(value={"error": "b"}, ignore_case=True).check(both).passed
    assert Contains(value={"Error": "a"}, ignore_case=True).check(both).passed
    assert not Contains(value={"Error": "b"}, ignore_case=True).check(both).passed


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (None, "null cannot be looked for; look at its place with json_path"),
        ("", "empty text is in every output; write the text to look for"),
        ([], "an empty list asks for nothing; list what to look for"),
        ({}, '{} is in every object; use the type check with "object"'),
        (["a", None], "element 2: null cannot be looked for; look at its place with json_path"),
        (["a", ""], "element 2: empty text is in every output; write the text to look for"),
    ],
)
def test_what_says_nothing_is_refused(value: object, what: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(what)}$"):
        Contains(value=value)


@pytest.mark.parametrize(
    ("value", "output", "message"),
    [
        ("x", "abc", '"x" is not in the output'),
        (
            "Abc",
            "abc",
            '"Abc" is not in the output; '
            'it is there in other case: add "ignore_case": true to allow that',
        ),
        (
            "a b",
            "a\n b",
            '"a b" is not in the output; it is there with other white space',
        ),
        ({"a": 1}, "text", 'the text holds no JSON to look for {"a":1} in'),
        (["x", 7, "y"], ["x"], "7 is not in the output (2 of 3 are missing)"),
        (
            {"a": 1, "b": 2},
            {"items": [{"a": 1, "b": 3, "z": 0}, {"b": 9}]},
            '{"a":1,"b":2} is not in the output; '
            "the nearest object differs: $.b: expected 2, got 3",
        ),
        (
            {"a": {"x": 1}, "b": 2},
            [{"a": {"x": 1, "y": 5}}],
            '{"a":{"x":1},"b":2} is not in the output; '
            "the nearest object differs: $.b: missing, expected 2",
        ),
    ],
)
def test_the_message_says_what_is_missing(
    outcome_of: OutcomeOf, value: object, output: object, message: str
) -> None:
    assert Contains(value=value).check(outcome_of(output)).message == message


def test_the_verdict_shows_which_json_was_used(outcome_of: OutcomeOf) -> None:
    text = '```json\n{"a": 1}\n```\n```json\n{"a": 2}\n```\n'

    assert "first of 2" in Contains(value={"a": 1}).check(outcome_of(text)).message
    wrong = Contains(value={"a": 2}).check(outcome_of(text))
    assert not wrong.passed
    assert "first of 2" in wrong.message


@given(before=st.text(), value=st.text(min_size=1), after=st.text())
def test_text_is_found_wherever_it_stands(
    outcome_of: OutcomeOf, before: str, value: str, after: str
) -> None:
    assert Contains(value=value).check(outcome_of(before + value + after)).passed
    assert Contains(value=value).check(outcome_of({"a": [before + value + after]})).passed


@given(value=st.text(min_size=1), texts=st.lists(st.text()))
def test_text_that_no_string_holds_is_found_only_in_the_json_text(
    outcome_of: OutcomeOf, value: str, texts: list[str]
) -> None:
    verdict = Contains(value=value).check(outcome_of(texts))

    in_json = json.dumps(texts, ensure_ascii=False, separators=(",", ":"))
    escaped = any("\ud800" <= letter <= "\udfff" for letter in in_json + value)
    if not escaped:
        assert verdict.passed == (value in in_json or any(value in text for text in texts))


def test_deep_and_large_output(outcome_of: OutcomeOf) -> None:
    deep: object = {"needle": "Found"}
    for _ in range(10_000):
        deep = [deep]
    large = {"rows": [{"id": number, "text": "x" * 20} for number in range(5_000)]}

    assert Contains(value={"needle": "Found"}).check(outcome_of(deep)).passed
    assert Contains(value={"needle": "found"}, ignore_case=True).check(outcome_of(deep)).passed
    assert Contains(value={"id": 4_999}).check(outcome_of(large)).passed
    assert not Contains(value={"id": 5_000, "text": "x" * 20}).check(outcome_of(large)).passed


def test_it_is_a_value() -> None:
    check = Contains(value=["a"])

    assert check == Contains(value=["a"], ignore_case=False)
    assert check != Contains(value=["a"], ignore_case=True)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.value = 2  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["contains"]  # type: ignore[attr-defined] # every class bears its word
