"""What comes back from an agent as JSON and back: responses, tries, what a preflight told."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from assay.absent import ABSENT
from assay.codec.narrow import (
    as_object,
    flag,
    integer,
    integer_or_none,
    table,
    tables,
    text,
    text_or,
    text_or_none,
    texts,
)
from assay.codec.wire import tool_call_from_json, tool_call_to_json
from assay.model.exchange import AgentInfo, Response, Try, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.codec.narrow import Line


def response_to_json(response: Response) -> dict[str, object]:
    """Write a response; ``text`` is always there, what is absent is left out."""
    line: dict[str, object] = {"text": response.text}
    if response.data is not ABSENT:
        line["data"] = response.data
    add_details(line, response)
    return line


def response_from_json(line: Line) -> Response:
    """Read a response.

    Raises:
        ValueError: It is none; so for all functions of this module.
    """
    return read_details(line, text_or(line, "text", ""), line.get("data", ABSENT))


def add_details(line: dict[str, object], response: Response) -> None:
    """Add to a line what a response holds beside its text and data."""
    if response.tool_calls:
        line["tool_calls"] = [tool_call_to_json(call) for call in response.tool_calls]
    if response.reasoning is not None:
        line["reasoning"] = response.reasoning
    if response.refusal:
        line["refusal"] = True
    if response.usage is not None:
        line["usage"] = usage_to_json(response.usage)
    if response.model is not None:
        line["model"] = response.model
    if response.finish_reason is not None:
        line["finish_reason"] = response.finish_reason
    if response.ids:
        line["ids"] = response.ids
    if response.unknown:
        line["unknown"] = sorted(response.unknown)
    if response.notes:
        line["notes"] = list(response.notes)
    if response.full_text is not None:
        line["full_text"] = response.full_text
    if response.replayed_ms is not None:
        line["replayed_ms"] = response.replayed_ms


def read_details(line: Line, answer: str, data: object) -> Response:
    """Make a response of its text, its data, and what ``add_details`` wrote."""
    usage = line.get("usage")
    return Response(
        text=answer,
        data=data,
        tool_calls=tuple([tool_call_from_json(call) for call in tables(line, "tool_calls")]),
        reasoning=text_or_none(line, "reasoning"),
        refusal=flag(line, "refusal"),
        usage=None if usage is None else usage_from_json(as_object(usage, "usage")),
        model=text_or_none(line, "model"),
        finish_reason=text_or_none(line, "finish_reason"),
        ids=_ids(line),
        unknown=frozenset(texts(line, "unknown")),
        notes=texts(line, "notes"),
        full_text=text_or_none(line, "full_text"),
        replayed_ms=integer_or_none(line, "replayed_ms"),
    )


def _ids(line: Line) -> Mapping[str, str]:
    ids = table(line, "ids")
    if all(isinstance(value, str) for value in ids.values()):
        return cast("Mapping[str, str]", ids)
    raise ValueError("ids: expected texts")


def usage_to_json(usage: Usage) -> dict[str, object]:
    """Write token counts; what is not known is left out."""
    counts = {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.total_tokens,
    }
    return {name: count for name, count in counts.items() if count is not None}


def usage_from_json(line: Line) -> Usage:
    """Read token counts."""
    return Usage(
        prompt_tokens=integer_or_none(line, "prompt_tokens"),
        completion_tokens=integer_or_none(line, "completion_tokens"),
        total_tokens=integer_or_none(line, "total_tokens"),
    )


def try_to_json(tried: Try) -> dict[str, object]:
    """Write a try that did not give the answer."""
    return {
        "error": tried.error,
        "waited_ms": tried.waited_ms,
        "duration_ms": tried.duration_ms,
    }


def tries_from_json(line: Line) -> tuple[Try, ...]:
    """Read the tries of a line."""
    return tuple(
        [
            Try(
                error=text(tried, "error"),
                waited_ms=integer(tried, "waited_ms", 0),
                duration_ms=integer(tried, "duration_ms", 0),
            )
            for tried in tables(line, "tries")
        ]
    )


def agent_info_to_json(info: AgentInfo) -> dict[str, object]:
    """Write what a preflight told."""
    line: dict[str, object] = {}
    if info.name is not None:
        line["name"] = info.name
    if info.description is not None:
        line["description"] = info.description
    if info.connector is not None:
        line["connector"] = info.connector
    if info.notes:
        line["notes"] = list(info.notes)
    if info.replayed is not None:
        line["replayed"] = info.replayed
    return line


def agent_info_from_json(value: object) -> AgentInfo | None:
    """Read what a preflight told; None when there was none."""
    if value is None:
        return None
    line = as_object(value, "info")
    return AgentInfo(
        name=text_or_none(line, "name"),
        description=text_or_none(line, "description"),
        connector=text_or_none(line, "connector"),
        notes=texts(line, "notes"),
        replayed=text_or_none(line, "replayed"),
    )
