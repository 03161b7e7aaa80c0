"""The section of one case in a Markdown report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Final

from attrs import frozen

from assay import ABSENT
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
    time_phrase,
    tries_phrase,
)
from assay_plugins.reporters._markdown import (
    details,
    fenced_diff,
    field,
    heading,
    inline,
    lines,
    table,
)

if TYPE_CHECKING:
    from assay import Attempt, CaseResult, CheckResult

ICONS: Final[Mapping[str, str]] = {
    "passed": "✅",
    "failed": "❌",
    "error": "💥",
    "timeout": "⏱️",
    "skipped": "⏭️",
}
_MAX_OUTPUTS: Final = 5
"""Different outputs of a case with several runs that are shown."""
_MAX_RUNS: Final = 100
"""Runs of a case that get a row of their own."""


@frozen(kw_only=True)
class SectionView:
    """How much of a case a section shows; the JSON reports hold all of it."""

    level: int = 3
    """Of the heading."""
    checks: int = 20
    """Failed checks of an attempt."""
    message: int = 2_000
    """Characters of a check's message."""
    value: int = 5_000
    """Characters of an error, and of what a check expected and found."""
    text: int = 20_000
    """Characters of an input or output."""
    folds: bool = True
    """Whether input and output are unfolded by a click."""
    passed_checks: bool = False
    """Whether checks that passed are told too."""

    def lines(self, result: CaseResult) -> Iterator[str]:
        """Give the lines of the section of a case: what went wrong first, the rest to unfold."""
        yield from self.head(result)
        attempt = result.shown
        if result.status == "skipped":
            yield from (f"*Skipped: {lines(result.reason or 'no reason given')}*", "")
        if attempt is not None:
            yield from self._verdicts(result, attempt)
        title, texts = self._texts(result)
        yield from details(title, texts) if self.folds else texts

    def head(self, result: CaseResult) -> Iterator[str]:
        """Give the heading, and what is to be known of the case before all else."""
        status = STATUS_NAMES[result.status]
        name = f"{ICONS[result.status]} {inline(result.case.id)} - {status}"
        yield from heading(self.level, f"{name}{_figures(result)}")
        where = str(result.case.where)
        if where:
            yield from (inline(where), "")
        if result.case.tags:
            yield from (f"Tags: {inline(', '.join(result.case.tags))}", "")
        if not result.case.has_checks:
            yield from ("*Unasserted: the case has no check, an answer is enough.*", "")
        if result.incomplete:
            stopped = "the run was stopped before all runs of the case were done"
            yield from (f"*Incomplete: {stopped}.*", "")

    def _texts(self, result: CaseResult) -> tuple[str, Iterable[str]]:
        """What the section holds to be unfolded, below its title."""
        attempt = result.shown
        asked = field("Input", input_of(result.case), self.text)
        if result.several and attempt is not None:
            title = f"Input and {amount(len(result.attempts), 'run')}"
            return title, chain(asked, self._runs(result))
        if attempt is not None and attempt.output is not ABSENT:
            title = "Input and output"
            return title, chain(asked, field("Output", attempt.output, self.text))
        return "Input", asked

    def _runs(self, result: CaseResult) -> Iterator[str]:
        yield from ("**Runs**", "")
        yield from table(
            ("Run", "Status", "Duration", "Reason"),
            (
                (
                    str(attempt.number),
                    STATUS_NAMES[attempt.status],
                    time_phrase(attempt),
                    attempt_reason(attempt),
                )
                for attempt in result.attempts[:_MAX_RUNS]
            ),
        )
        if len(result.attempts) > _MAX_RUNS:
            yield from (f"*{len(result.attempts) - _MAX_RUNS} more runs.*", "")
        shown, others = outputs(result, _MAX_OUTPUTS)
        for output in shown:
            yield from field(f"Output of {runs_phrase(output.runs)}", output.value, self.text)
        if others:
            yield from (f"*{amount(others, 'other output')}.*", "")

    def _verdicts(self, result: CaseResult, attempt: Attempt) -> Iterator[str]:
        of_run = f" of run {attempt.number}" if result.several else ""
        error = attempt_error(attempt)
        if error is not None:
            yield from field(f"Error{of_run}", error, self.value)
        tries = tries_phrase(attempt)
        if tries is not None:
            yield from (f"*Tries:* {lines(tries)}", "")
        for note in answer_notes(attempt):
            yield from (f"*Note:* {lines(note)}", "")
        failed = failed_checks(attempt)
        if failed:
            yield from (f"**Failed checks{of_run}** ({len(failed)} of {len(attempt.verdicts)})", "")
        for check in failed[: self.checks]:
            yield from self._check(check, attempt)
        if len(failed) > self.checks:
            yield from (f"*{amount(len(failed) - self.checks, 'more failed check')}.*", "")
        passed = [check for check in attempt.verdicts if check.passed]
        if passed and self.passed_checks:
            yield from (f"**Passed checks{of_run}**", "")
            for check in passed[: self.checks]:
                yield self._line(check)
            yield ""

    def _check(self, check: CheckResult, attempt: Attempt) -> Iterator[str]:
        yield from (self._line(check), "")
        shown = evidence(check, attempt)
        if shown.is_comparison:
            yield from fenced_diff(diff(shown.expected, shown.actual))
            return
        for label, value in (("Expected", shown.expected), ("Actual", shown.actual)):
            if value is not ABSENT:
                yield from field(label, value, self.value)

    def _line(self, check: CheckResult) -> str:
        message = lines(check_message(check), self.message)
        return f"- {inline(check_label(check))}" + (f": {message}" if message else "")


def _figures(result: CaseResult) -> str:
    if result.status == "skipped":
        return ""
    time = time_phrase(result)
    figures = result.stability
    if not result.several or figures is None:
        return f" ({time})"
    return f" ({figures.passed} of {amount(figures.runs, 'run')} passed, {time} on average)"
