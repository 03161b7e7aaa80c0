"""Model to JSON and back, and the lines of a report: the one place that knows their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.codec.answers import (
    agent_info_to_json,
    response_from_json,
    response_to_json,
    try_to_json,
    usage_to_json,
)
from assay.codec.attempts import attempt_from_json, attempt_to_json
from assay.codec.results import result_from_json, result_to_json
from assay.codec.runs import (
    FORMAT,
    counts_to_json,
    run_info_from_json,
    run_info_to_json,
    suite_info_to_json,
    suite_summary_to_json,
    summary_from_json,
    summary_to_json,
)
from assay.codec.verdicts import check_result_to_json, verdict_to_json
from assay.codec.wire import (
    environment_to_json,
    message_to_json,
    request_from_json,
    request_to_json,
    tool_call_to_json,
)
from assay.model.case import Environment
from assay.model.exchange import AgentInfo, Request, Response, Try, Usage
from assay.model.message import Message, ToolCall
from assay.model.outcome import CheckResult, Verdict
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import Attempt, CaseResult, Counts, SuiteSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "FORMAT",
    "attempt_from_json",
    "attempt_line",
    "request_from_json",
    "response_from_json",
    "result_from_json",
    "run_info_from_json",
    "summary_from_json",
    "to_json",
]

_WRITERS: Mapping[type, Callable[[Any], dict[str, object]]] = {
    AgentInfo: agent_info_to_json,
    Attempt: attempt_to_json,
    CaseResult: result_to_json,
    CheckResult: check_result_to_json,
    Counts: counts_to_json,
    Environment: environment_to_json,
    Message: message_to_json,
    Request: request_to_json,
    Response: response_to_json,
    RunInfo: run_info_to_json,
    SuiteInfo: suite_info_to_json,
    SuiteSummary: suite_summary_to_json,
    Summary: summary_to_json,
    ToolCall: tool_call_to_json,
    Try: try_to_json,
    Usage: usage_to_json,
    Verdict: verdict_to_json,
}


def to_json(value: object) -> dict[str, object]:
    """Make the JSON object of a model value, as reports write it.

    A ``RunInfo`` becomes a ``start`` line, a ``CaseResult`` a ``result`` line, a ``Summary`` a
    ``summary`` line. What is absent is left out. The values within are those of the model: text
    of an agent is as hostile as it was.

    Args:
        value: A ``Message``, ``ToolCall``, ``Environment``, ``Request``, ``Response``, ``Usage``,
            ``Try``, ``AgentInfo``, ``Verdict``, ``CheckResult``, ``Attempt``, ``CaseResult``,
            ``Counts``, ``SuiteInfo``, ``SuiteSummary``, ``RunInfo`` or ``Summary``.

    Raises:
        TypeError: It is none of these.
    """
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise TypeError(f"a {type(value).__name__} has no JSON form")
    return writer(value)


def attempt_line(result: CaseResult, attempt: Attempt) -> dict[str, object]:
    """Write the ``attempt`` line of a case that runs several times.

    Args:
        result: The case, as far as its result is known.
        attempt: The attempt.
    """
    case = result.case
    return {
        "type": "attempt",
        "id": case.id,
        "suite": result.suite,
        "index": result.index,
        **attempt_to_json(attempt, case, result.suite),
    }
