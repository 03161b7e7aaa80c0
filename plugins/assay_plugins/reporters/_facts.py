"""What reports for people say of cases and runs, in the same words everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from attrs import frozen

from assay import ABSENT
from assay.duration import format_ms
from assay.escape import terminal
from assay.jsonvalue import compact, equal, is_array, is_object

if TYPE_CHECKING:
    from assay import (
        Attempt,
        Case,
        CaseResult,
        CheckResult,
        Counts,
        Message,
        RunInfo,
        Stability,
        Summary,
    )

STATUS_NAMES: Final[Mapping[str, str]] = {
    "passed": "Passed",
    "failed": "Failed",
    "error": "Error",
    "timeout": "Timeout",
    "skipped": "Skipped",
}
CLASS_NAMES: Final[Mapping[str, str]] = {
    "stable": "stable",
    "mostly_stable": "mostly stable",
    "unstable": "unstable",
    "highly_unstable": "highly unstable",
}
_SHORT: Final = 120
"""Characters of a value that a message can be expected to repeat."""


def counts_phrase(counts: Counts, *, kinds: bool = True) -> str:
    """Say how the cases ended: ``40 passed, 2 failed (1 error), 1 skipped``.

    Args:
        counts: Of a run or suite.
        kinds: Whether to tell errors and timeouts among those that failed.
    """
    parts = [f"{counts.passed} passed"]
    if counts.failed:
        told = [(counts.errors, "error"), (counts.timeouts, "timeout")] if kinds else []
        words = ", ".join(amount(count, word) for count, word in told if count)
        parts.append(f"{counts.failed} failed" + (f" ({words})" if words else ""))
    if counts.skipped:
        parts.append(f"{counts.skipped} skipped")
    if counts.unasserted:
        parts.append(f"{counts.unasserted} unasserted")
    return ", ".join(parts)


def flat(text: str) -> str:
    """Make a text from anywhere safe to write, as one line that keeps its spaces."""
    return terminal(text, keep_newlines=False)


def amount(count: int, word: str, plural: str | None = None) -> str:
    """Say a number of things: ``1 case``, ``2 cases``."""
    return f"{count} {word}" if count == 1 else f"{count} {plural or word + 's'}"


def agent_phrase(agent: str | None, connector: str | None) -> str:
    """Name an agent with its connector: ``keyword (deepseek.v3)``."""
    name = agent if agent is not None else "several agents"
    return f"{name} ({connector})" if connector else name


def time_phrase(of: Attempt | CaseResult) -> str:
    """Say how long an attempt or case took: ``1.2s``, or ``1.2s, replayed``."""
    time = format_ms(of.duration_ms)
    return f"{time}, replayed" if of.replayed else time


def replay_phrase(info: RunInfo) -> str | None:
    """Say of a run's answers that they are replayed, and from where; None when they are not."""
    if not info.replayed:
        return None
    return f"replayed from {', '.join(flat(name) for name in info.replayed)}"


def percent(rate: float) -> str:
    """Write a rate that is in percent, with one decimal: ``66.7%``."""
    return f"{rate:.1f}%"


def verdict(summary: Summary) -> str:
    """Say in a word how a run ended: ``PASSED``, ``FAILED``, ``STOPPED``."""
    return "FAILED" if summary.counts.failed else "STOPPED" if summary.stopped else "PASSED"


def failed_checks(attempt: Attempt) -> Sequence[CheckResult]:
    """The checks of an attempt that said no or could not be carried out."""
    return [check for check in attempt.verdicts if not check.passed]


def check_label(check: CheckResult) -> str:
    """What a check is called: ``contains``, ``not contains``."""
    return f"not {check.type}" if check.negate else check.type


def check_message(check: CheckResult) -> str:
    """Why a check did not pass, as one text."""
    if check.error is not None:
        return f"could not be carried out: {check.error}"
    return check.message


def attempt_error(attempt: Attempt) -> str | None:
    """What went wrong with an attempt beside its failed checks, which tell their own reasons."""
    if attempt.status != "timeout" and failed_checks(attempt):
        return None
    return attempt.error


def attempt_reason(attempt: Attempt) -> str:
    """Why an attempt did not pass: the first reason there is; empty for one that passed."""
    error = attempt_error(attempt)
    if error is not None:
        return error
    for check in failed_checks(attempt):
        message = check_message(check)
        return f"{check_label(check)}: {message}" if message else check_label(check)
    return ""


def reason(result: CaseResult) -> str:
    """Why a case did not pass, or did not run."""
    if result.reason is not None:
        return result.reason
    return attempt_reason(result.shown) if result.shown is not None else ""


def tries_phrase(attempt: Attempt) -> str | None:
    """Say how often the agent was asked in vain; None when the error tells it all."""
    if not attempt.tries:
        return None
    count = len(attempt.tries)
    last = attempt.tries[-1].error
    if attempt.error is not None and last in attempt.error:
        return f"{count} without an answer" if count > 1 else None
    return f"{count} without an answer; the last one: {last}"


@frozen(kw_only=True)
class Evidence:
    """The values that show why a check did not pass; ABSENT where there is none to show."""

    expected: object = ABSENT
    actual: object = ABSENT

    @property
    def is_comparison(self) -> bool:
        """Whether there are two values to set against one another."""
        return self.expected is not ABSENT and self.actual is not ABSENT


def evidence(check: CheckResult, shown: Attempt | None = None) -> Evidence:
    """Give the values of a failed check that its message does not already tell.

    A negated check has nothing to compare: what it found is in its message, else in the output.

    Args:
        check: A check that failed.
        shown: The attempt whose output is shown beside it, if it is: what was looked at is not
            given once more when that is the whole output.
    """
    if check.error is not None:
        return Evidence()
    expected = ABSENT if check.negate else _untold(check.expected, check.message)
    actual = _untold(check.actual, check.message)
    if expected is not ABSENT:
        return Evidence(expected=expected, actual=check.actual)
    if shown is not None and actual is not ABSENT and shown.output is not ABSENT:
        actual = ABSENT if equal(actual, shown.output) else actual
    return Evidence(actual=actual)


def _untold(value: object, message: str) -> object:
    """The value, or ABSENT when the message holds it whole."""
    if value is ABSENT or (isinstance(value, str) and len(value) > _SHORT):
        return value
    if (is_object(value) or is_array(value)) and value:
        return value
    text = compact(value)
    return ABSENT if text in message or (isinstance(value, str) and value in message) else value


@frozen(kw_only=True)
class Output:
    """An answer and the runs that gave it."""

    value: object
    runs: tuple[int, ...]


def outputs(result: CaseResult, most: int) -> tuple[Sequence[Output], int]:
    """Group the answers of a case that are the same.

    Returns:
        The ``most`` most frequent ones, and how many others there are. Answers are the same
        when their JSON texts are.
    """
    groups: dict[str, list[Attempt]] = {}
    for attempt in result.attempts:
        if attempt.output is not ABSENT:
            groups.setdefault(compact(attempt.output), []).append(attempt)
    ordered = sorted(groups.values(), key=lambda group: (-len(group), group[0].number))
    shown = [
        Output(value=group[0].output, runs=tuple(attempt.number for attempt in group))
        for group in ordered[:most]
    ]
    return shown, len(ordered) - len(shown)


def flakiness(stability: Stability) -> tuple[float, float]:
    """How much a case wavers: higher is worse; ``(0.0, 0.0)`` when it does not.

    First comes the share of runs that ended unlike most, then the share of other answers. A case
    that always fails does not waver.
    """
    rare = min(stability.passed, stability.failed) / stability.runs if stability.runs else 0.0
    return (rare, round(1 - stability.consistency, 2)) if rare else (0.0, 0.0)


def runs_phrase(numbers: Sequence[int]) -> str:
    """Name runs by their numbers: ``run 2``, ``runs 1, 3, 4``; many are counted."""
    if len(numbers) > 10:
        return f"{len(numbers)} runs"
    return f"run{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def answer_notes(attempt: Attempt) -> Sequence[str]:
    """What the transport remarked on the answers of an attempt."""
    return [note for exchange in attempt.exchanges for note in exchange.response.notes]


def input_of(case: Case) -> object:
    """The input for a person: text where it is plain text, else the JSON as written.

    A conversation of plain texts becomes a line per message: ``user: …``.
    """
    messages = case.messages
    if not all(isinstance(message.content, str) and not message.tool_calls for message in messages):
        written = case.input
        return written if written is not None else [_message(message) for message in messages]
    if len(messages) == 1 and messages[0].role == "user":
        return messages[0].text
    return "\n".join(f"{message.role}: {message.text}" for message in messages)


def _message(message: Message) -> Mapping[str, object]:
    return {
        "role": message.role,
        "content": message.content,
        **({"tool_calls": message.tool_calls} if message.tool_calls else {}),
    }
