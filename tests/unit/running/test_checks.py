"""What becomes of a verdict: negation, messages, what is unmet and what cannot be checked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, cast

import pytest
from attrs import frozen

from assay.errors import CannotCheck
from assay.model.case import Case, Check
from assay.model.exchange import Exchange, Request, Response
from assay.model.outcome import CheckResult, Outcome, Services, Verdict
from assay.running.checks import evaluate


@frozen
class Made:
    """An assertion that does what a test says."""

    name: ClassVar[str] = "made"
    judge: Callable[[], Any]

    def check(self, outcome: Outcome) -> Verdict | Awaitable[Verdict]:
        verdict: Verdict | Awaitable[Verdict] = self.judge()
        return verdict


def outcome(response: Response) -> Outcome:
    return Outcome(
        case=Case(id="a", messages=()),
        exchange=Exchange(request=Request(messages=()), response=response),
        output=response.output,
        services=cast("Services", None),
    )


SAID = outcome(Response(text="said"))


def judged(
    judge: Callable[[], Any],
    *,
    negate: bool = False,
    message: str | None = None,
    of: Outcome = SAID,
) -> CheckResult:
    check = Check(type="made", assertion=Made(judge), negate=negate, message=message)
    return asyncio.run(evaluate(check, of))


def yes() -> Verdict:
    return Verdict(passed=True, message="it holds", expected=1, actual=2, score=0.5)


def no() -> Verdict:
    return Verdict(passed=False, message="it does not")


def unmet() -> Verdict:
    return Verdict.unmet("nothing there")


async def later() -> Verdict:
    await asyncio.sleep(0)
    return yes()


def test_a_verdict_as_it_is() -> None:
    assert judged(yes) == CheckResult(
        type="made", passed=True, message="it holds", expected=1, actual=2, score=0.5
    )
    assert judged(later) == judged(yes)


@pytest.mark.parametrize(
    ("judge", "passed", "message"),
    [
        (yes, False, "negated, but it holds: it holds"),
        (lambda: Verdict(passed=True), False, "negated, but it holds"),
        (no, True, "it does not"),
        (unmet, False, "nothing there"),
        (later, False, "negated, but it holds: it holds"),
    ],
)
def test_negation_turns_all_but_what_is_unmet(
    judge: Callable[[], Any], passed: bool, message: str
) -> None:
    result = judged(judge, negate=True)
    assert (result.passed, result.message, result.negate) == (passed, message, True)
    assert result.error is None


@pytest.mark.parametrize(
    ("judge", "negate", "message"),
    [
        (no, False, "own"),
        (yes, False, "it holds"),
        (yes, True, "own"),
        (no, True, "it does not"),
        (unmet, True, "own"),
    ],
)
def test_a_message_of_the_case_is_for_what_did_not_pass(
    judge: Callable[[], Any], negate: bool, message: str
) -> None:
    assert judged(judge, negate=negate, message="own").message == message


def cannot() -> Verdict:
    raise CannotCheck("no judge")


def broken() -> Verdict:
    raise KeyError("gone")


async def broken_later() -> Verdict:
    raise KeyError("gone")


@pytest.mark.parametrize("negate", [False, True])
@pytest.mark.parametrize(
    ("judge", "error"),
    [
        (cannot, "no judge"),
        (broken, "assertion 'made' failed: KeyError: 'gone'"),
        (broken_later, "assertion 'made' failed: KeyError: 'gone'"),
        (lambda: True, "assertion 'made' gave bool, no verdict"),
        (lambda: None, "assertion 'made' gave NoneType, no verdict"),
    ],
)
def test_what_cannot_be_checked_is_an_error_negated_or_not(
    judge: Callable[[], Any], error: str, negate: bool
) -> None:
    result = judged(judge, negate=negate, message="own")
    assert (result.passed, result.error, result.message) == (False, error, error)
    assert result.negate is negate


def test_an_answer_that_cannot_be_seen_is_not_checked() -> None:
    hidden = outcome(Response(unknown=frozenset({"data"})))
    result = judged(no, negate=True, of=hidden)
    assert not result.passed
    assert result.error is not None
    assert result.error.startswith("not observable: ")
    text = outcome(Response(text="said", unknown=frozenset({"data"})))
    assert judged(yes, of=text).passed
