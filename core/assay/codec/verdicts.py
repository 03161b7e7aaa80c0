"""What assertions said as JSON and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.absent import ABSENT
from assay.codec.narrow import flag, number_or_none, text, text_or, text_or_none
from assay.model.outcome import CheckResult

if TYPE_CHECKING:
    from assay.codec.narrow import Line
    from assay.model.outcome import Verdict


def check_result_to_json(result: CheckResult) -> dict[str, object]:
    """Write an entry of ``assertions``; what is absent is left out."""
    line: dict[str, object] = {
        "type": result.type,
        "passed": result.passed,
        "message": result.message,
    }
    if result.expected is not ABSENT:
        line["expected"] = result.expected
    if result.actual is not ABSENT:
        line["actual"] = result.actual
    if result.negate:
        line["negate"] = True
    if result.score is not None:
        line["score"] = result.score
    if result.error is not None:
        line["error"] = result.error
    return line


def check_result_from_json(line: Line) -> CheckResult:
    """Read an entry of ``assertions``.

    Raises:
        ValueError: It is none.
    """
    return CheckResult(
        type=text(line, "type"),
        passed=flag(line, "passed"),
        message=text_or(line, "message", ""),
        expected=line.get("expected", ABSENT),
        actual=line.get("actual", ABSENT),
        negate=flag(line, "negate"),
        score=number_or_none(line, "score"),
        error=text_or_none(line, "error"),
    )


def verdict_to_json(verdict: Verdict) -> dict[str, object]:
    """Write what an assertion said; what is absent is left out."""
    line: dict[str, object] = {"passed": verdict.passed, "message": verdict.message}
    if verdict.expected is not ABSENT:
        line["expected"] = verdict.expected
    if verdict.actual is not ABSENT:
        line["actual"] = verdict.actual
    if verdict.score is not None:
        line["score"] = verdict.score
    if verdict.is_unmet:
        line["unmet"] = True
    return line
