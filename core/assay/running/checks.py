"""The verdicts of an attempt: every check is carried out, so that a report shows each."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from assay.errors import CannotCheck
from assay.model.outcome import CheckResult, Verdict

if TYPE_CHECKING:
    from assay.model.case import Check
    from assay.model.outcome import Outcome


async def evaluate(check: Check, outcome: Outcome) -> CheckResult:
    """Carry a check out, with ``negate`` and ``message``.

    ``negate`` turns a verdict round, except one that is unmet; what cannot be checked stays an
    error. ``message`` replaces the message of a check that did not pass.
    """
    try:
        _require_observable(outcome)
        verdict = _verdict_of(check, await _awaited(check.assertion.check(outcome)))
    except CannotCheck as error:
        return _error(check, str(error))
    except Exception as error:  # noqa: BLE001 - a broken plugin is an error of this check alone
        return _error(check, f"assertion {check.type!r} failed: {type(error).__name__}: {error}")
    passed = verdict.passed
    message = verdict.message
    if check.negate and not verdict.is_unmet:
        passed = not passed
        if not passed:
            message = f"negated, but it holds: {message}" if message else "negated, but it holds"
    if not passed and check.message is not None:
        message = check.message
    return CheckResult(
        type=check.type,
        passed=passed,
        message=message,
        expected=verdict.expected,
        actual=verdict.actual,
        negate=check.negate,
        score=verdict.score,
    )


async def _awaited(given: object) -> object:
    return await given if inspect.isawaitable(given) else given


def _verdict_of(check: Check, given: object) -> Verdict:
    if isinstance(given, Verdict):
        return given
    raise CannotCheck(f"assertion {check.type!r} gave {type(given).__name__}, no verdict")


def _require_observable(outcome: Outcome) -> None:
    response = outcome.exchange.response
    if not response.text and "data" in response.unknown:
        raise CannotCheck(
            "not observable: the agent answered no text, and its data cannot be seen over this"
            " transport; switch traces on at the server"
        )


def _error(check: Check, error: str) -> CheckResult:
    return CheckResult(
        type=check.type, passed=False, message=error, negate=check.negate, error=error
    )
