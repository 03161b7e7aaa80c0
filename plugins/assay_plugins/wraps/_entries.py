"""A line of a record: what an agent was asked, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, isnan
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_args

from attrs import evolve, frozen

from assay import (
    AgentError,
    Origin,
    RateLimited,
    Request,
    Response,
    TimedOut,
    TransportError,
    from_json,
    to_json,
)
from assay.jsonvalue import LINE_DEPTH, dumps, is_object, loads

if TYPE_CHECKING:
    from assay import AgentInfo, Environment

FORMAT: Final = 1
"""Of the lines. Grows when older versions would misread them."""

Kind: TypeAlias = Literal["agent", "transport", "rate_limited", "timeout"]

_FOREVER: Final = 1e12
"""Seconds: stands for a pause without end, which JSON has no number for."""


@frozen(kw_only=True)
class Failure:
    """Why there was no answer."""

    kind: Kind
    message: str = ""
    partial: str | None = None
    retryable: bool = False
    retry_after: float | None = None
    """Seconds."""


@frozen(kw_only=True)
class Entry:
    """One request to an agent and what came of it."""

    agent: str
    """The id that reports show."""
    origin: Origin
    request: Mapping[str, object]
    """Its content, as ``content_of`` gives it."""
    outcome: Response | Failure
    duration_ms: int = 0
    chat_id: str = ""


def head_line() -> dict[str, object]:
    """Make the first line of a record."""
    return {"type": "record", "format": FORMAT}


def is_head(data: bytes) -> bool:
    """Whether a first line is that of a record, of whatever format."""
    try:
        return decoded(data.decode()).get("type") == "record"
    except ValueError:
        return False


def agent_line(agent: str, info: AgentInfo | None, environment: Environment) -> dict[str, object]:
    """Make the line of an agent.

    Args:
        agent: The id that reports show.
        info: What its preflight told.
        environment: In which environment it is really asked, where the usual one is asked for.
    """
    told = None if info is None else to_json(evolve(info, replayed=None))
    return {"type": "agent", "agent": agent, "info": told, "environment": to_json(environment)}


def environment_from(line: Mapping[str, object]) -> Environment:
    """Read an environment.

    Raises:
        ValueError: It is none.
    """
    return from_json(Request, {"environment": line}).environment


def failure_of(error: AgentError) -> Failure:
    """Make of an error what a record holds of it."""
    if isinstance(error, TimedOut):
        return Failure(kind="timeout")
    if isinstance(error, RateLimited):
        return Failure(
            kind="rate_limited",
            message=str(error),
            retryable=True,
            retry_after=_seconds(error.retry_after),
        )
    if isinstance(error, TransportError):
        return Failure(
            kind="transport",
            message=str(error),
            partial=error.partial,
            retryable=error.retryable,
        )
    return Failure(kind="agent", message=str(error), partial=error.partial)


def error_of(failure: Failure, duration_ms: int) -> AgentError:
    """Make the error again, as one that is replayed."""
    error: AgentError
    if failure.kind == "timeout":
        return TimedOut(duration_ms)
    if failure.kind == "rate_limited":
        error = RateLimited(failure.message, retry_after=failure.retry_after)
    elif failure.kind == "transport":
        error = TransportError(
            failure.message, retryable=failure.retryable, partial=failure.partial
        )
    else:
        error = AgentError(failure.message, partial=failure.partial)
    error.replayed_ms = duration_ms
    return error


def _seconds(asked: float | None) -> float | None:
    if asked is None or isnan(asked):
        return None
    return asked if isfinite(asked) else _FOREVER


def entry_to_line(entry: Entry) -> dict[str, object]:
    """Write an entry. What differs from recording to recording stands at the end."""
    origin = entry.origin
    line: dict[str, object] = {
        "type": "send",
        "suite": origin.suite,
        "case": origin.case,
        "attempt": origin.attempt,
        "turn": origin.turn,
        "purpose": origin.purpose,
        "agent": entry.agent,
        "request": entry.request,
    }
    ids: Mapping[str, str] = {}
    if isinstance(entry.outcome, Response):
        ids = entry.outcome.ids
        line["response"] = to_json(evolve(entry.outcome, ids={}, replayed_ms=None))
    else:
        line["error"] = _failure_to_json(entry.outcome)
    line["duration_ms"] = entry.duration_ms
    if entry.chat_id:
        line["chat_id"] = entry.chat_id
    if ids:
        line["ids"] = ids
    return line


def _failure_to_json(failure: Failure) -> dict[str, object]:
    told: dict[str, object] = {"kind": failure.kind}
    if failure.kind != "timeout":
        told["message"] = failure.message
    if failure.partial is not None:
        told["partial"] = failure.partial
    if failure.kind == "transport":
        told["retryable"] = failure.retryable
    if failure.retry_after is not None:
        told["retry_after"] = failure.retry_after
    return told


def entry_from_line(line: Mapping[str, object]) -> Entry:
    """Read an entry.

    Raises:
        ValueError: The line is none; it says which key is wrong.
    """
    origin = Origin(
        suite=_text(line, "suite"),
        case=_text(line, "case"),
        attempt=_whole(line, "attempt"),
        turn=_whole(line, "turn"),
        purpose=_text(line, "purpose"),
    )
    outcome: Response | Failure
    if "response" in line:
        answer = _object(line, "response")
        if "ids" in line:
            answer = {**answer, "ids": line["ids"]}
        outcome = from_json(Response, answer)
    else:
        outcome = _failure_from_json(_object(line, "error"))
    return Entry(
        agent=_text(line, "agent"),
        origin=origin,
        request=_object(line, "request"),
        outcome=outcome,
        duration_ms=_whole(line, "duration_ms") if "duration_ms" in line else 0,
        chat_id=_text(line, "chat_id") if "chat_id" in line else "",
    )


def _failure_from_json(line: Mapping[str, object]) -> Failure:
    kind = line.get("kind")
    if kind not in get_args(Kind):
        raise ValueError(f"kind: {kind!r} is none of {', '.join(get_args(Kind))}")
    after = line.get("retry_after")
    if after is not None and (isinstance(after, bool) or not isinstance(after, (int, float))):
        raise ValueError("retry_after: expected a number")
    return Failure(
        kind=cast("Kind", kind),
        message=_text(line, "message") if kind != "timeout" else "",
        partial=_text(line, "partial") if "partial" in line else None,
        retryable=kind == "rate_limited" or line.get("retryable") is True,
        retry_after=after,
    )


def encoded(line: object) -> str:
    """Write a line that can be read back.

    Raises:
        ValueError: It holds what is no JSON, or is nested too deeply.
    """
    try:
        text = dumps(line)
    except TypeError as error:
        raise ValueError(str(error)) from error
    if text.count("[") + text.count("{") > LINE_DEPTH:
        decoded(text)
    return text


def decoded(text: str) -> Mapping[str, object]:
    """Read a line.

    Raises:
        ValueError: It is no JSON object.
    """
    line = loads(text, max_depth=LINE_DEPTH)
    if not is_object(line):
        raise ValueError("not an object")
    return line


def _text(line: Mapping[str, object], key: str) -> str:
    value = line.get(key)
    if isinstance(value, str):
        return value
    raise ValueError(f"{key}: expected text")


def _whole(line: Mapping[str, object], key: str) -> int:
    value = line.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise ValueError(f"{key}: expected a whole number")


def _object(line: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = line.get(key)
    if is_object(value):
        return value
    raise ValueError(f"{key}: expected an object")
