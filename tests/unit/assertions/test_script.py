"""The ``script`` assertion."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

from assay import ABSENT, CannotCheck, Outcome, Script
from assay_plugins.assertions.script import ScriptCheck, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

pytestmark = pytest.mark.anyio


def returning(value: object) -> dict[str, Callable[[object, object, object], object]]:
    return {"scripts.test.Check": lambda output, input_, expected: value}


@pytest.mark.parametrize(
    ("returned", "passed", "message", "score"),
    [
        (True, True, "scripts.test.Check said yes", None),
        (False, False, "scripts.test.Check said no", None),
        ({"pass": True}, True, "scripts.test.Check said yes", None),
        ({"pass": False, "message": "too short"}, False, "too short", None),
        ({"pass": True, "message": "fine", "score": 0.75}, True, "fine", 0.75),
        (
            {"pass": False, "message": None, "score": None},
            False,
            "scripts.test.Check said no",
            None,
        ),
        ({"pass": True, "score": 3, "details": [1]}, True, "scripts.test.Check said yes", 3),
    ],
)
async def test_what_it_returns_is_the_verdict(
    outcome_of: OutcomeOf, returned: object, passed: bool, message: str, score: float | None
) -> None:
    outcome = outcome_of("answer", functions=returning(returned))
    verdict = await ScriptCheck(script="scripts.test.Check").check(outcome)

    assert (verdict.passed, verdict.message, verdict.score) == (passed, message, score)
    assert verdict.actual == "answer"
    assert not verdict.is_unmet


@pytest.mark.parametrize(
    ("returned", "what"),
    [
        (None, "returned null (null)"),
        (1, "returned an integer (1)"),
        ("yes", 'returned a string ("yes")'),
        ([True], "returned an array ([true])"),
        ({}, "returned an object ({})"),
        ({"passed": True}, 'returned an object ({"passed":true})'),
        ({"pass": 1}, 'returned an integer as "pass" ({"pass":1})'),
        ({"pass": None}, 'returned null as "pass" ({"pass":null})'),
        ({"pass": True, "message": 3}, 'returned an integer as "message"'),
        ({"pass": True, "score": "high"}, 'returned a string as "score"'),
        ({"pass": True, "score": True}, 'returned a boolean as "score"'),
        ({"pass": True, "score": float("inf")}, 'returned a number as "score"'),
    ],
)
async def test_anything_else_cannot_be_judged(
    outcome_of: OutcomeOf, returned: object, what: str
) -> None:
    outcome = outcome_of("answer", functions=returning(returned))

    with pytest.raises(CannotCheck) as caught:
        await ScriptCheck(script="scripts.test.Check").check(outcome)

    assert str(caught.value).startswith(f"scripts.test.Check {what}")
    assert '; return true, false, or {"pass": true' in str(caught.value)


async def test_a_script_that_fails_cannot_be_judged(outcome_of: OutcomeOf) -> None:
    def fail(output: object, input_: object, expected: object) -> object:
        raise RuntimeError(f"boom {output} {input_} {expected}")

    with pytest.raises(CannotCheck, match="boom answer question None"):
        await ScriptCheck(script="a.py:f").check(outcome_of("answer", functions={"a.py:f": fail}))


@pytest.mark.parametrize(
    ("value", "of_the_case", "expected"),
    [
        (ABSENT, ABSENT, None),
        (ABSENT, {"a": 1}, {"a": 1}),
        (ABSENT, None, None),
        ("mine", {"a": 1}, "mine"),
        (None, {"a": 1}, None),
        (False, "case", False),
    ],
)
async def test_it_is_called_with_output_input_and_expected(
    outcome_of: OutcomeOf, value: object, of_the_case: object, expected: object
) -> None:
    calls: list[tuple[object, object, object]] = []

    def record(output: object, input_: object, expected: object) -> object:
        calls.append((output, input_, expected))
        return True

    input_ = [{"role": "user", "content": "hi"}]
    outcome = outcome_of({"n": 1}, input=input_, expected=of_the_case, functions={"f": record})
    verdict = await ScriptCheck(script="f", value=value).check(outcome)

    assert calls == [({"n": 1}, input_, expected)]
    assert verdict.expected == (of_the_case if value is ABSENT else value)


async def test_it_needs_the_script() -> None:
    assert ScriptCheck(script="checks.py:ok").needs() == [Script("checks.py:ok")]


@pytest.mark.parametrize("script", ["", "  "])
async def test_an_empty_reference_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="empty; name a function"):
        ScriptCheck(script=script)


async def test_it_is_a_value() -> None:
    check = ScriptCheck(script="f", value=[1])

    assert check == ScriptCheck(script="f", value=[1])
    assert check != ScriptCheck(script="f")
    assert ScriptCheck(script="f") != ScriptCheck(script="f", value=None)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.script = "g"  # type: ignore[misc] # that it cannot be set is what is tested


async def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["script"]  # type: ignore[attr-defined] # every class bears its word
