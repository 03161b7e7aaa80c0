"""A case on a terminal: what failed and where, or all of it with ``-v``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from attrs import frozen

from assay import ABSENT
from assay_plugins.reporters._facts import (
    amount,
    answer_notes,
    attempt_error,
    check_label,
    check_message,
    evidence,
    failed_checks,
    flat,
    input_of,
    outputs,
    runs_phrase,
    time_phrase,
    tries_phrase,
)
from assay_plugins.reporters.terminal.compare import compared
from assay_plugins.reporters.terminal.text import cells

if TYPE_CHECKING:
    from assay import Attempt, CaseResult, CheckResult
    from assay_plugins.reporters.terminal.text import Color, Look

_CHECKS: Final = 10
"""Failed checks of a case that are shown."""
_LABEL: Final = 10
"""Cells of a label and the space after it."""


@frozen
class CaseView:
    """Lays cases out as lines for a terminal."""

    look: Look

    def brief(self, result: CaseResult) -> list[str]:
        """One line for a case, with the place where it stands in its file."""
        look = self.look
        name = look.line(result.case.id, 40)
        head = f"{self._sign(result)} {look.paint(name, 'bold')} "
        words = look.clip(flat(_outcome(result)), look.width - cells(name) - 3)
        where = look.line(str(result.case.where), look.width - 4)
        if not where:
            return [head + words]
        if cells(name) + cells(words) + cells(where) + 6 <= look.width:
            return [f"{head}{words} {look.paint(f'{look.marks.dot} {where}', 'dim')}"]
        return [head + words, f"  {look.paint(where, 'dim')}"]

    def failure(self, result: CaseResult) -> list[str]:
        """A case that did not pass: every failed check, and what differs."""
        lines = self.brief(result)
        attempt = result.shown
        if attempt is None:
            return lines
        lines += self._run(result, attempt)
        lines += self._reasons(attempt, failed_checks(attempt))
        if not _tells_actual(attempt):
            lines += self._field("output", attempt.output, 5)
        return lines

    def whole(self, result: CaseResult) -> list[str]:
        """A case with its input, its output and every check."""
        lines = self.brief(result)
        lines += self._field("input", input_of(result.case), 20)
        attempt = result.shown
        if attempt is None:
            return lines
        if result.several:
            shown, others = outputs(result, 5)
            for output in shown:
                runs = runs_phrase(output.runs)
                lines.append("  " + self.look.paint(f"{runs} of {len(result.attempts)}:", "dim"))
                lines += self._field("output", output.value, 20)
            if others:
                lines.append(f"  {self.look.marks.more} {amount(others, 'other output')}")
        else:
            lines += self._field("output", attempt.output, 20)
        for note in answer_notes(attempt):
            lines += self._field("note", note, 3)
        if not result.case.has_checks:
            lines += self._field("checks", "none: an answer is enough", 1)
        reasons = list(self._reasons(attempt, attempt.verdicts, shown=attempt))
        return [*lines, *(self._run(result, attempt) if reasons else ()), *reasons]

    def _run(self, result: CaseResult, attempt: Attempt) -> Sequence[str]:
        """Which run is shown, of several."""
        return [self.look.paint(f"  run {attempt.number}:", "dim")] if result.several else ()

    def _reasons(
        self, attempt: Attempt, checks: Sequence[CheckResult], *, shown: Attempt | None = None
    ) -> Iterator[str]:
        error = attempt_error(attempt)
        if error is not None:
            yield from self._field("error", error, 10, "red")
        tries = tries_phrase(attempt)
        if tries is not None:
            yield from self._field("tries", tries, 3)
        for check in checks[:_CHECKS]:
            yield from self._check(check, shown)
        if len(checks) > _CHECKS:
            yield f"  {self.look.marks.more} {amount(len(checks) - _CHECKS, 'more check')}"

    def _check(self, check: CheckResult, shown: Attempt | None) -> Iterator[str]:
        look = self.look
        label = look.line(check_label(check), 30)
        message = check_message(check)
        text = f"{label}: {message}" if message else label
        sign = look.marks.passed if check.passed else look.marks.failed
        first, *others = look.block(text, look.width - 4, 6) or [label]
        yield f"  {look.paint(sign, 'green' if check.passed else 'red')} {first}"
        yield from (f"    {line}" for line in others)
        if not check.passed:
            found = evidence(check, shown)
            yield from compared(self.look, found)
            if not found.is_comparison:
                yield from self._field("expected", found.expected, 5, "green", indent=6)
                yield from self._field("actual", found.actual, 5, "red", indent=6)

    def _field(
        self, label: str, value: object, most: int, color: Color | None = None, *, indent: int = 2
    ) -> list[str]:
        if value is ABSENT:
            return []
        look = self.look
        lines = look.block(value, look.width - indent - _LABEL, most)
        name = f"{label:{_LABEL}}"
        heads = [look.paint(name, color or "dim"), *(" " * _LABEL for _ in lines[1:])]
        pad = " " * indent
        return [(pad + head + line).rstrip() for head, line in zip(heads, lines, strict=False)]

    def _sign(self, result: CaseResult) -> str:
        marks = self.look.marks
        if result.status == "passed":
            return self.look.paint(marks.passed, "green")
        if result.status == "skipped":
            return self.look.paint(marks.skipped, "yellow")
        return self.look.paint(marks.failed, "red", "bold")


def _outcome(result: CaseResult) -> str:
    """How a case ended: ``failed (1.2s)``, ``failed (2 of 3 runs passed, 1.2s on average)``."""
    if result.status == "skipped":
        return f"skipped: {(result.reason or 'no reason given')[:200]}"
    words = time_phrase(result)
    stability = result.stability
    if result.several and stability is not None:
        runs = amount(stability.runs, "run")
        words = f"{stability.passed} of {runs} passed, {words} on average"
    if result.incomplete:
        words += ", stopped early"
    return f"{result.status} ({words})"


def _tells_actual(attempt: Attempt) -> bool:
    """Whether a failed check that is shown tells what it looked at."""
    checks = islice(failed_checks(attempt), _CHECKS)
    return any(check.error is None and check.actual is not ABSENT for check in checks)
