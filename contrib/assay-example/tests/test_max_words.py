"""The max_words assertion."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from assay import Case, Exchange, Outcome, Request, Response
from assay.testing import check_assertion
from assay_example.max_words import MaxWords, assay_assertion_types

if TYPE_CHECKING:
    from assay import Services


def outcome(output: object) -> Outcome:
    exchange = Exchange(request=Request(messages=()), response=Response())
    # The assertion asks for nothing.
    services = cast("Services", None)
    return Outcome(
        case=Case(id="a", messages=()), exchange=exchange, output=output, services=services
    )


def test_the_hook_offers_it() -> None:
    assert list(assay_assertion_types()) == [MaxWords]


@pytest.mark.parametrize(
    ("text", "count", "passed"),
    [("", 0, True), ("one two\n three", 3, True), ("one two three four", 4, False)],
)
def test_words_are_counted(text: str, count: int, passed: bool) -> None:
    verdict = MaxWords(value=3).check(outcome(text))

    assert (verdict.passed, verdict.actual, verdict.expected) == (passed, count, 3)
    assert verdict.message == f"{count} words, at most 3 are allowed"


@pytest.mark.parametrize("output", [None, 5, ["a"], {"text": "a"}])
def test_an_output_that_is_not_text_is_unmet(output: object) -> None:
    verdict = MaxWords(value=3).check(outcome(output))

    assert verdict.is_unmet
    assert not verdict.passed


def test_it_keeps_the_contract_of_assertions() -> None:
    check_assertion(
        MaxWords,
        good=[{"value": 1}, {"value": 50}],
        bad=[{}, {"value": 0}, {"value": -1}, {"value": "3"}, {"value": 2.5}, {"valu": 3}],
    )
