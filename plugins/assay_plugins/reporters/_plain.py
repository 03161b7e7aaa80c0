"""Why an attempt did not pass, as plain text for tools that show text alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay import ABSENT
from assay.duration import format_ms
from assay.escape import terminal
from assay_plugins.reporters._diff import diff
from assay_plugins.reporters._facts import (
    amount,
    attempt_error,
    check_label,
    check_message,
    evidence,
    failed_checks,
    flat,
    tries_phrase,
)
from assay_plugins.reporters._pretty import excerpt

if TYPE_CHECKING:
    from assay import Attempt, CheckResult

_CHECKS: Final = 20
"""Failed checks that are told."""
_MESSAGE: Final = 2_000
_VALUE: Final = 5_000
_OUTPUT: Final = 10_000
"""Characters, each at most: the JSON reports hold all of them."""
_SIGNS: Final = {"same": " ", "expected": "-", "actual": "+", "note": "@"}


def attempt_text(attempt: Attempt) -> str:
    """Tell the error, each failed check with what differs, and the output; safe to be shown."""
    return "\n".join(_lines(attempt))


def _lines(attempt: Attempt) -> Iterator[str]:
    error = attempt_error(attempt)
    if error is not None:
        yield _cut(error, _MESSAGE)
    if attempt.replayed:
        yield f"Replayed: it took {format_ms(attempt.duration_ms)} when it was recorded"
    tries = tries_phrase(attempt)
    if tries is not None:
        yield f"Tries: {_cut(tries, _MESSAGE)}"
    failed = failed_checks(attempt)
    for check in failed[:_CHECKS]:
        yield from _check(check, attempt)
    if len(failed) > _CHECKS:
        yield amount(len(failed) - _CHECKS, "more failed check")
    if attempt.output is not ABSENT:
        yield from _field("Output", attempt.output, _OUTPUT)


def _check(check: CheckResult, attempt: Attempt) -> Iterator[str]:
    message = check_message(check)
    yield _cut(f"{check_label(check)}: {message}" if message else check_label(check), _MESSAGE)
    shown = evidence(check, attempt)
    if shown.is_comparison:
        yield "  - expected, + actual"
        for line in diff(shown.expected, shown.actual):
            yield f"  {_SIGNS[line.side]} {flat(line.text)}".rstrip()
        return
    for label, value in (("Expected", shown.expected), ("Actual", shown.actual)):
        if value is not ABSENT:
            yield from _field(label, value, _VALUE)


def _field(label: str, value: object, most: int) -> Iterator[str]:
    shown = excerpt(value, most)
    yield f"{label}:"
    yield from (f"  {line}".rstrip() for line in terminal(shown.text).split("\n"))
    if shown.omitted:
        yield f"  … {shown.omitted}"


def _cut(text: str, most: int) -> str:
    return terminal(text if len(text) <= most else text[: most - 1] + "…")
