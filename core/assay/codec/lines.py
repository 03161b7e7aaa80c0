"""Model to JSON and back, and the lines of a report: the one place that knows their shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from assay.codec.answers import (
    agent_info_from_json,
    agent_info_to_json,
    response_from_json,
    response_to_json,
    try_to_json,
    usage_to_json,
)
from assay.codec.attempts import attempt_from_json, attempt_to_json
from assay.codec.narrow import as_object
from assay.codec.results import case_hash, result_from_json, result_to_json
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
from assay.codec.tasks import done_from_json, done_to_json, task_from_json, task_to_json
from assay.codec.verdicts import check_result_to_json, verdict_to_json
from assay.codec.wire import (
    environment_to_json,
    message_to_json,
    request_from_json,
    request_to_json,
    tool_call_to_json,
)
from assay.contracts import Done, Task
from assay.model.case import Environment
from assay.model.exchange import AgentInfo, Request, Response, Try, Usage
from assay.model.message import Message, ToolCall
from assay.model.outcome import CheckResult, Verdict
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import Attempt, CaseResult, Counts, SuiteSummary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")

__all__ = [
    "FORMAT",
    "attempt_from_json",
    "attempt_line",
    "from_json",
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
    Done: done_to_json,
    Environment: environment_to_json,
    Message: message_to_json,
    Request: request_to_json,
    Response: response_to_json,
    RunInfo: run_info_to_json,
    SuiteInfo: suite_info_to_json,
    SuiteSummary: suite_summary_to_json,
    Summary: summary_to_json,
    Task: task_to_json,
    ToolCall: tool_call_to_json,
    Try: try_to_json,
    Usage: usage_to_json,
    Verdict: verdict_to_json,
}

_READERS: Mapping[type, Callable[[Mapping[str, object]], object]] = {
    AgentInfo: agent_info_from_json,
    Attempt: attempt_from_json,
    CaseResult: result_from_json,
    Done: done_from_json,
    Request: request_from_json,
    Response: response_from_json,
    RunInfo: run_info_from_json,
    Summary: summary_from_json,
    Task: task_from_json,
}


def to_json(value: object) -> dict[str, object]:
    """Make the JSON object of a model value, as reports write it.

    A ``RunInfo`` becomes a ``start`` line, a ``CaseResult`` a ``result`` line, a ``Summary`` a
    ``summary`` line. What is absent is left out. The values within are those of the model: text
    of an agent is as hostile as it was.

    Args:
        value: A ``Message``, ``ToolCall``, ``Environment``, ``Request``, ``Response``, ``Usage``,
            ``Try``, ``AgentInfo``, ``Verdict``, ``CheckResult``, ``Attempt``, ``CaseResult``,
            ``Counts``, ``SuiteInfo``, ``SuiteSummary``, ``RunInfo``, ``Summary``, ``Task`` or
            ``Done``.

    Raises:
        TypeError: It is none of these.
    """
    writer = _WRITERS.get(type(value))
    if writer is None:
        raise TypeError(f"a {type(value).__name__} has no JSON form")
    return writer(value)


def from_json(cls: type[_T], value: object) -> _T:
    """Make a model value again of the JSON object that ``to_json`` made of an equal one.

    Args:
        cls: ``Request``, ``Response``, ``AgentInfo``, ``Attempt``, ``CaseResult``, ``RunInfo``,
            ``Summary``, ``Task`` or ``Done``. The checks of a case do not come back, its verdicts
            do.
        value: The JSON object.

    Raises:
        TypeError: The class is none of these.
        ValueError: The value is no such object.
    """
    reader = _READERS.get(cls)
    if reader is None:
        raise TypeError(f"a {cls.__name__} cannot be read from JSON")
    return cast("_T", reader(as_object(value, cls.__name__)))


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
        "hash": case_hash(case),
    }
