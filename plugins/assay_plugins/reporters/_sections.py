"""The section of one case in a Markdown report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from assay import ABSENT
from assay.duration import format_ms
from assay_plugins.reporters._diff import diff
from assay_plugins.reporters._facts import (
    STATUS_NAMES,
    amount,
    answer_notes,
    attempt_error,
    attempt_reason,
    check_label,
    check_message,
    evidence,
    failed_checks,
    input_of,
    outputs,
    runs_phrase,
    tries_phrase,
)
from assay_plugins.reporters._markdown import fenced_diff, field, heading, inline, lines, table

if TYPE_CHECKING:
    from assay import Attempt, CaseResult, CheckResult

_ICONS: Final[Mapping[str, str]] = {
    "passed": "✅",
    "failed": "❌",
    "error": "💥",
    "timeout": "⏱️",
    "skipped": "⏭️",
}
_MAX_CHECKS: Final = 20
"""Failed checks of an attempt that are shown."""
_MAX_OUTPUTS: Final = 5
"""Different outputs of a case with several runs that are shown."""
_MAX_RUNS: Final = 100
"""Runs of a case that get a row of their own."""


def section(result: CaseResult, level: int = 3) -> Iterator[str]:
    """Give the lines of the section of a case that ran."""
    attempt = result.shown
    icon, status = _ICONS[result.status], STATUS_NAMES[result.status]
    yield from heading(level, f"{icon} {inline(result.case.id)} - {status} ({_figures(result)})")
    where = str(result.case.where)
    if where:
        yield from (inline(where), "")
    if not result.case.has_checks:
        yield from ("*Unasserted: the case has no check, an answer is enough.*", "")
    if result.incomplete:
        yield from ("*Incomplete: the run was stopped before all runs of the case were done.*", "")
    yield from field("Input", input_of(result.case))
    if result.several:
        yield from _runs(result)
    elif attempt is not None and attempt.output is not ABSENT:
        yield from field("Output", attempt.output)
    if attempt is not None:
        yield from _verdicts(result, attempt)


def _figures(result: CaseResult) -> str:
    time = format_ms(result.duration_ms)
    figures = result.stability
    if not result.several or figures is None:
        return time
    return f"{figures.passed} of {amount(figures.runs, 'run')} passed, {time} on average"


def _runs(result: CaseResult) -> Iterator[str]:
    yield from ("**Runs**", "")
    yield from table(
        ("Run", "Status", "Duration", "Reason"),
        (
            (
                str(attempt.number),
                STATUS_NAMES[attempt.status],
                format_ms(attempt.duration_ms),
                attempt_reason(attempt),
            )
            for attempt in result.attempts[:_MAX_RUNS]
        ),
    )
    if len(result.attempts) > _MAX_RUNS:
        yield from (f"*{len(result.attempts) - _MAX_RUNS} more runs.*", "")
    shown, others = outputs(result, _MAX_OUTPUTS)
    for output in shown:
        yield from field(f"Output of {runs_phrase(output.runs)}", output.value)
    if others:
        yield from (f"*{amount(others, 'other output')}.*", "")


def _verdicts(result: CaseResult, attempt: Attempt) -> Iterator[str]:
    of_run = f" of run {attempt.number}" if result.several else ""
    error = attempt_error(attempt)
    if error is not None:
        yield from field(f"Error{of_run}", error, 5_000)
    tries = tries_phrase(attempt)
    if tries is not None:
        yield from (f"*Tries:* {lines(tries)}", "")
    for note in answer_notes(attempt):
        yield from (f"*Note:* {lines(note)}", "")
    failed = failed_checks(attempt)
    if failed:
        yield from (f"**Failed checks{of_run}** ({len(failed)} of {len(attempt.verdicts)})", "")
    for check in failed[:_MAX_CHECKS]:
        yield from _check(check, attempt)
    if len(failed) > _MAX_CHECKS:
        yield from (f"*{len(failed) - _MAX_CHECKS} more failed checks.*", "")


def _check(check: CheckResult, attempt: Attempt) -> Iterator[str]:
    message = lines(check_message(check), 2_000)
    yield f"- {inline(check_label(check))}" + (f": {message}" if message else "")
    yield ""
    shown = evidence(check, attempt)
    if shown.is_comparison:
        yield from fenced_diff(diff(shown.expected, shown.actual))
        return
    for label, value in (("Expected", shown.expected), ("Actual", shown.actual)):
        if value is not ABSENT:
            yield from field(label, value, 5_000)
