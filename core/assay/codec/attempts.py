"""Attempts as JSON and back: what became of one run of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.absent import ABSENT
from assay.codec.answers import tries_from_json
from assay.codec.exchanges import add_exchanges, exchanges_from_json
from assay.codec.narrow import flag, integer, tables, text, text_or_none
from assay.codec.verdicts import check_result_from_json, check_result_to_json
from assay.model.case import Case
from assay.model.result import STATUSES, Attempt

if TYPE_CHECKING:
    from assay.codec.narrow import Line
    from assay.model.result import Status

NO_CASE: Final = Case(id="", messages=())
"""Stands in where an attempt is written without its case: its line is complete then."""


def attempt_to_json(attempt: Attempt, case: Case = NO_CASE, suite: str = "") -> dict[str, object]:
    """Write an attempt.

    Args:
        attempt: The attempt.
        case: The case it belongs to: what it says already is left out.
        suite: The key of the case's suite.
    """
    line: dict[str, object] = {
        "run": attempt.number,
        "status": attempt.status,
        "duration_ms": attempt.duration_ms,
    }
    if attempt.replayed:
        line["replayed"] = True
    add_outcome(line, attempt)
    add_exchanges(line, attempt, case, suite)
    return line


def attempt_from_json(line: Line, case: Case = NO_CASE, suite: str = "") -> Attempt:
    """Read an attempt, with the case and the suite that it was written with.

    Raises:
        ValueError: It is none; so for all functions of this module.
    """
    number = integer(line, "run")
    return Attempt(
        number=number,
        status=status_from_json(line),
        duration_ms=integer(line, "duration_ms"),
        output=line.get("output", ABSENT),
        error=text_or_none(line, "error"),
        verdicts=tuple([check_result_from_json(entry) for entry in tables(line, "assertions")]),
        exchanges=exchanges_from_json(line, number, case, suite),
        tries=tries_from_json(line),
        unreached=flag(line, "unreached"),
        replayed=flag(line, "replayed"),
    )


def status_from_json(line: Line) -> Status:
    """Read a status."""
    status = text(line, "status")
    if status in STATUSES:
        return status
    raise ValueError(f"status: {status!r} is none of {', '.join(STATUSES)}")


def add_outcome(line: dict[str, object], attempt: Attempt) -> None:
    """Add to a line what came out: ``output`` and ``error`` where there are, ``assertions``."""
    if attempt.output is not ABSENT:
        line["output"] = attempt.output
    if attempt.error is not None:
        line["error"] = attempt.error
    line["assertions"] = [check_result_to_json(verdict) for verdict in attempt.verdicts]
