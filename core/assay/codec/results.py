"""Results of cases as JSON and back: the ``result`` lines of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.codec.attempts import (
    add_outcome,
    attempt_from_json,
    attempt_to_json,
    status_from_json,
)
from assay.codec.exchanges import add_exchanges
from assay.codec.figures import add_stability, stability_from_json
from assay.codec.narrow import flag, integer, tables, text, text_or_none
from assay.codec.written import add_case, case_from_json
from assay.model.result import CaseResult

if TYPE_CHECKING:
    from assay.codec.narrow import Line
    from assay.model.case import Case
    from assay.model.result import Attempt


def result_to_json(result: CaseResult) -> dict[str, object]:
    """Write the ``result`` line of a case.

    A case that ran once has its attempt in the line itself; one that ran several times has all
    of them in ``run_details``, and in the line the output of the one that stands for it.
    """
    case = result.case
    line: dict[str, object] = {
        "type": "result",
        "id": case.id,
        "status": result.status,
        "duration_ms": result.duration_ms,
    }
    if result.replayed:
        line["replayed"] = True
    if result.reason is not None:
        line["reason"] = result.reason
    alone = _alone(result)
    shown = alone or result.shown
    if shown is not None:
        add_outcome(line, shown)
    line["index"] = result.index
    line["suite"] = result.suite
    line["agent_id"] = result.agent_id
    add_case(line, case)
    if result.stability is not None:
        add_stability(line, result.stability, alone)
    if result.incomplete:
        line["incomplete"] = True
    if alone is not None:
        add_exchanges(line, alone, case, result.suite)
    elif result.attempts or result.several or result.status != "skipped":
        line["run_details"] = [
            attempt_to_json(attempt, case, result.suite) for attempt in result.attempts
        ]
        if not result.several:
            line["several"] = False
    line["hash"] = case_hash(case)
    return line


def case_hash(case: Case) -> str:
    """Give the hash of a case as lines bear it: it tells whether the case was changed since."""
    return f"{case.digest:016x}"


def _alone(result: CaseResult) -> Attempt | None:
    """The attempt that can be written as the line itself."""
    if result.several or len(result.attempts) != 1:
        return None
    attempt = result.attempts[0]
    if (
        attempt.number == 1
        and attempt.status == result.status != "skipped"
        and attempt.duration_ms == result.duration_ms
    ):
        return attempt
    return None


def result_from_json(line: Line) -> CaseResult:
    """Read a ``result`` line.

    Raises:
        ValueError: It is none.
    """
    case = case_from_json(line)
    suite = text(line, "suite")
    status = status_from_json(line)
    attempts: tuple[Attempt, ...] = ()
    alone = "run_details" not in line and status != "skipped"
    if alone:
        attempts = (attempt_from_json({**line, "run": 1}, case, suite),)
    else:
        attempts = tuple(
            [attempt_from_json(entry, case, suite) for entry in tables(line, "run_details")]
        )
    return CaseResult(
        case=case,
        index=integer(line, "index"),
        suite=suite,
        agent_id=text(line, "agent_id"),
        status=status,
        duration_ms=integer(line, "duration_ms"),
        reason=text_or_none(line, "reason"),
        attempts=attempts,
        stability=stability_from_json(line, attempts) if "pass_rate" in line else None,
        several=flag(line, "several", default="run_details" in line),
        incomplete=flag(line, "incomplete"),
    )
