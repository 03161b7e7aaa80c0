"""A case as the ``testcase`` element of JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from assay.escape import one_line
from assay_plugins.reporters._facts import (
    STATUS_NAMES,
    amount,
    attempt_reason,
    check_label,
    failed_checks,
    percent,
    time_phrase,
)
from assay_plugins.reporters._plain import attempt_text
from assay_plugins.reporters._xml import element, empty, start

if TYPE_CHECKING:
    from assay import Attempt, CaseResult

_NAME: Final = 500
"""Characters of an id or a file: some readers refuse attributes of megabytes."""
_MESSAGE: Final = 500
_REASON: Final = 5_000
_TOLD: Final = 100
"""Attempts of a case, and tries of an attempt, that are told one by one."""


def testcase(result: CaseResult) -> str:
    """Give the element of a case, indented, with the line end behind it."""
    case = result.case
    attributes = {
        "name": _short(case.id),
        "classname": _short(case.where.file or result.suite or "assay"),
        "time": seconds(result.duration_ms),
    }
    inner = list(_inner(result))
    if not inner:
        return f"    {empty('testcase', attributes)}\n"
    lines = [start("testcase", attributes), *(f"  {line}" for line in inner), "</testcase>"]
    return "".join(f"    {line}\n" for line in lines)


def seconds(ms: int) -> str:
    """Write milliseconds as seconds."""
    return f"{ms // 1000}.{ms % 1000:03}"


def _inner(result: CaseResult) -> Iterator[str]:
    if result.replayed:
        told = empty("property", {"name": "replayed", "value": "true"})
        yield f"{start('properties', {})}{told}</properties>"
    if result.status == "skipped":
        why = result.reason or "no reason given"
        yield element("skipped", {"message": one_line(why, _MESSAGE)}, _cut(why))
    elif result.status == "passed":
        yield from _flaky(result)
    else:
        tag = "failure" if result.status == "failed" else "error"
        yield _failure(tag, result)


def _failure(tag: str, result: CaseResult) -> str:
    attempt = result.shown
    if attempt is None:
        return element(tag, {"message": result.status, "type": result.status}, result.status)
    message = one_line(attempt_reason(attempt) or result.status, _MESSAGE)
    text = attempt_text(attempt)
    if result.several and result.stability is not None:
        figures = result.stability
        runs = f"{figures.passed} of {amount(figures.runs, 'run')} passed"
        message = f"{runs}: {message}"
        low, high = figures.pass_rate_interval
        lines = [
            f"{runs} ({percent(figures.pass_rate)}, 95% interval {low:.1f}-{high:.1f}%)",
            *_runs(result),
            "",
            f"Run {attempt.number}:",
        ]
        text = "\n".join([*lines, text])
    return element(tag, {"message": message, "type": _type(attempt)}, text)


def _runs(result: CaseResult) -> Iterator[str]:
    for attempt in result.attempts[:_TOLD]:
        words = f"Run {attempt.number}: {attempt.status} ({time_phrase(attempt)})"
        why = one_line(attempt_reason(attempt), _MESSAGE)
        yield f"{words}: {why}" if why else words
    if len(result.attempts) > _TOLD:
        yield amount(len(result.attempts) - _TOLD, "more run")


def _flaky(result: CaseResult) -> Iterator[str]:
    """What went wrong before a case passed: attempts, and tries at asking."""
    told = 0
    for attempt in result.attempts:
        for number, one in enumerate(attempt.tries, 1):
            told += 1
            if told <= _TOLD:
                yield _flaky_failure("try", f"try {number}: {one.error}", _cut(one.error))
        if attempt.status != "passed":
            told += 1
            if told <= _TOLD:
                why = attempt_reason(attempt) or STATUS_NAMES[attempt.status]
                message = f"run {attempt.number}: {why}"
                yield _flaky_failure(_type(attempt), message, attempt_text(attempt))


def _flaky_failure(kind: str, message: str, text: str) -> str:
    inner = element("stackTrace", {}, text)
    attributes = {"message": one_line(message, _MESSAGE), "type": kind}
    return f"{start('flakyFailure', attributes)}{inner}</flakyFailure>"


def _type(attempt: Attempt) -> str:
    """What kind of thing went wrong."""
    if attempt.status == "timeout":
        return "timeout"
    failed = failed_checks(attempt)
    broken = [check for check in failed if check.error is not None]
    if attempt.status == "error" and not broken:
        return "unreachable" if attempt.unreached else "agent_error"
    of_status = broken if attempt.status == "error" else failed
    return check_label(of_status[0]) if of_status else attempt.status


def _short(text: str) -> str:
    """Cut a name; names that were different stay so."""
    if len(text) <= _NAME:
        return text
    from hashlib import sha256

    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text[:_NAME]}…{digest[:8]}"


def _cut(text: str) -> str:
    return text if len(text) <= _REASON else text[: _REASON - 1] + "…"
