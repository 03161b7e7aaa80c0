"""The ``not_contains`` assertion."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Outcome
from assay_plugins.assertions.contains import Contains
from assay_plugins.assertions.not_contains import NotContains, assay_assertion_types

OutcomeOf = Callable[..., Outcome]

SCALARS = st.booleans() | st.integers(0, 3) | st.text("aB1", min_size=1, max_size=2)
VALUES = (
    SCALARS
    | st.dictionaries(st.sampled_from("ab"), SCALARS, min_size=1)
    | st.lists(SCALARS, min_size=1, max_size=3)
)
OUTPUTS = st.recursive(
    SCALARS | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)


@given(value=VALUES, output=OUTPUTS, ignore_case=st.booleans())
def test_it_passes_wherever_contains_fails(
    outcome_of: OutcomeOf, value: object, output: object, ignore_case: bool
) -> None:
    outcome = outcome_of(output)
    contained = Contains(value=value, ignore_case=ignore_case).check(outcome)
    verdict = NotContains(value=value, ignore_case=ignore_case).check(outcome)

    assert verdict.passed is not contained.passed
    assert not verdict.is_unmet
    assert verdict.message
    assert verdict.expected == value


@pytest.mark.parametrize(
    ("value", "output", "passed", "message"),
    [
        ("error", "all fine", True, '"error" is not in the output'),
        ("error", "ok\nan error", False, 'found "error" at line 2, column 4'),
        ("error", {"a": "error"}, False, 'found "error"'),
        ({"a": 1}, "no JSON", True, '{"a":1} is not in the output'),
        (["a", "b"], ["a"], True, '"b" is not in the output'),
        (["a", "b"], ["a", "b"], False, 'found ["a","b"]'),
        (True, "true", False, "found true"),
    ],
)
def test_verdicts(
    outcome_of: OutcomeOf, value: object, output: object, passed: bool, message: str
) -> None:
    verdict = NotContains(value=value).check(outcome_of(output))

    assert (verdict.passed, verdict.message) == (passed, message)
    assert verdict.actual == output


def test_ignore_case(outcome_of: OutcomeOf) -> None:
    assert NotContains(value="ERROR").check(outcome_of("error")).passed
    verdict = NotContains(value="ERROR", ignore_case=True).check(outcome_of("an error"))
    assert not verdict.passed
    assert verdict.message == 'found "ERROR"'


@pytest.mark.parametrize("value", [None, "", [], {}, [""], [None]])
def test_what_says_nothing_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r".+; .+"):
        NotContains(value=value)


def test_it_is_a_value() -> None:
    check = NotContains(value="a")

    assert check == NotContains(value="a")
    assert check != NotContains(value="b")
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        check.value = "b"  # type: ignore[misc] # that it cannot be set is what is tested


def test_the_plugin_offers_it() -> None:
    assert [kind.name for kind in assay_assertion_types()] == ["not_contains"]  # type: ignore[attr-defined] # every class bears its word
