"""The ``type`` assertion."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from assay import Outcome
from assay_plugins.assertions.type import Type, TypeName, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

SAMPLES: list[tuple[object, set[TypeName]]] = [
    ("text", {"string"}),
    ("42", {"string"}),
    ('{"a": 1}', {"string"}),
    (1, {"number", "integer"}),
    (10**400, {"number", "integer"}),
    (1.0, {"number", "integer"}),
    (1e300, {"number", "integer"}),
    (1.5, {"number"}),
    (True, {"boolean"}),
    (False, {"boolean"}),
    (None, {"null"}),
    ([], {"array"}),
    ([1], {"array"}),
    ({"a": 1}, {"object"}),
]
NAMES: tuple[TypeName, ...] = (
    "string",
    "number",
    "integer",
    "boolean",
    "array",
    "object",
    "null",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("output", "names"), SAMPLES)
def test_the_output_as_it_was_delivered(
    outcome_of: OutcomeOf, output: object, names: set[TypeName], name: TypeName
) -> None:
    verdict = Type(value=name).check(outcome_of(output))

    assert verdict.passed is (name in names)
    assert not verdict.is_unmet
    assert verdict.expected == name
    assert verdict.actual in names


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("held", "names"), SAMPLES)
def test_the_json_at_a_path(
    outcome_of: OutcomeOf, held: object, names: set[TypeName], name: TypeName
) -> None:
    verdict = Type(value=name, path="a[1]").check(outcome_of({"a": [0, held]}))

    assert verdict.passed is (name in names)


def test_dollar_is_the_whole_json_of_a_text(outcome_of: OutcomeOf) -> None:
    assert Type(value="object", path="$").check(outcome_of('{"a": 1}')).passed
    assert Type(value="object", path="$").check(outcome_of("```\n{}\n```")).passed
    assert Type(value="integer", path="$").check(outcome_of("42")).passed
    assert not Type(value="string", path="$").check(outcome_of("42")).passed


@pytest.mark.parametrize(
    ("check", "output", "message"),
    [
        (Type(value="string"), "a", "the output is a string"),
        (Type(value="object"), "a", "the output is a string, expected object"),
        (
            Type(value="object"),
            '{"a": 1}',
            'the output is a string that holds an object; add "path": "$" to look at its JSON',
        ),
        (
            Type(value="number"),
            "42",
            'the output is a string that holds an integer; add "path": "$" to look at its JSON',
        ),
        (Type(value="object"), None, "the output is null, expected object"),
        (Type(value="string", path="$.a"), {"a": [1]}, "$.a is an array, expected string"),
        (
            Type(value="string", path="$[*]"),
            ["a", 1, "b"],
            "$[1] is an integer, expected string (2 of 3 matches are as expected)",
        ),
    ],
)
def test_messages(outcome_of: OutcomeOf, check: Type, output: object, message: str) -> None:
    assert check.check(outcome_of(output)).message == message


def test_every_match_must_be_of_the_type(outcome_of: OutcomeOf) -> None:
    assert Type(value="number", path="$..n").check(outcome_of([{"n": 1}, {"n": 2.5}])).passed
    assert not Type(value="number", path="$..n").check(outcome_of([{"n": 1}, {"n": "2"}])).passed


def test_what_is_not_there_is_unmet(outcome_of: OutcomeOf) -> None:
    no_match = Type(value="null", path="$.user.nme").check(outcome_of({"user": {"name": "Ann"}}))
    no_json = Type(value="string", path="$").check(outcome_of("no JSON here"))

    assert no_match.is_unmet
    assert no_match.message == "no match for $.user.nme: $.user has no .nme, only name"
    assert no_json.is_unmet
    assert no_json.message == "the output holds no JSON"


def test_the_verdict_shows_which_json_was_used(outcome_of: OutcomeOf) -> None:
    text = "```json\n[1]\n```\n```json\n{}\n```\n"

    assert "first of 2" in Type(value="array", path="$").check(outcome_of(text)).message
    assert "first of 2" in Type(value="array").check(outcome_of(text)).message


def test_a_bad_path_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not a JSON path at character \d: .+; write "):
        Type(value="string", path="$.a[")


def test_it_is_a_value() -> None:
    check = Type(value="string", path="a")

    assert check == Type(value="string", path="a")
    assert check != Type(value="string")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.value = "null"  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["type"]  # type: ignore[attr-defined] # every class bears its word
