from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import (
    ABSENT,
    AgentError,
    Origin,
    RateLimited,
    Response,
    TimedOut,
    ToolCall,
    TransportError,
    Usage,
)
from assay_plugins.wraps._entries import (
    Entry,
    Failure,
    decoded,
    encoded,
    entry_from_line,
    entry_to_line,
    error_of,
    failure_of,
)

texts = st.text(max_size=20)
optional = st.none() | texts
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, json_values, max_size=3)
maybe = st.just(ABSENT) | json_values
whole = st.integers(min_value=0, max_value=10**9)
calls = st.builds(ToolCall, name=texts, arguments=maybe, id=optional, result=maybe, error=optional)
usage = st.builds(
    Usage,
    prompt_tokens=st.none() | whole,
    completion_tokens=st.none() | whole,
    total_tokens=st.none() | whole,
)
responses = st.builds(
    Response,
    text=texts,
    data=maybe,
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    reasoning=optional,
    refusal=st.booleans(),
    usage=st.none() | usage,
    model=optional,
    finish_reason=optional,
    ids=st.dictionaries(texts, texts, max_size=2),
    unknown=st.frozensets(st.sampled_from(["data", "tool_results", "usage"])),
    notes=st.lists(texts, max_size=2).map(tuple),
    full_text=optional,
)
failures = (
    st.builds(Failure, kind=st.just("agent"), message=texts, partial=optional)
    | st.builds(
        Failure, kind=st.just("transport"), message=texts, partial=optional, retryable=st.booleans()
    )
    | st.builds(
        Failure,
        kind=st.just("rate_limited"),
        message=texts,
        retryable=st.just(True),
        retry_after=st.none() | st.floats(min_value=0, max_value=1e9),
    )
    | st.just(Failure(kind="timeout"))
)
origins = st.builds(
    Origin,
    suite=texts,
    case=texts,
    attempt=st.integers(min_value=1, max_value=1000),
    turn=st.integers(min_value=1, max_value=9),
    purpose=st.sampled_from(["test", "judge", "reporter"]),
)
entries = st.builds(
    Entry,
    agent=texts,
    origin=origins,
    request=objects,
    outcome=responses | failures,
    duration_ms=whole,
    chat_id=texts,
)


@given(entries)
def test_an_entry_comes_back_as_it_was(entry: Entry) -> None:
    line = encoded(entry_to_line(entry))
    assert "\n" not in line
    assert entry_from_line(decoded(line)) == entry


@given(failures, whole)
def test_an_error_comes_back_as_it_was(failure: Failure, took: int) -> None:
    error = error_of(failure, took)
    assert failure_of(error) == failure
    assert error.replayed_ms == took


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (AgentError("a", partial="p"), AgentError),
        (TransportError("t", retryable=True, partial="p"), TransportError),
        (RateLimited("r", retry_after=1.5), RateLimited),
        (TimedOut(7), TimedOut),
    ],
)
def test_each_error_is_of_its_kind_again(error: AgentError, kind: type) -> None:
    again: Any = error_of(failure_of(error), 7)
    assert type(again) is kind
    for name in ("partial", "retryable", "retry_after"):
        assert getattr(again, name, None) == getattr(error, name, None)
    assert str(again) == str(error)


def test_pauses_that_json_has_no_number_for() -> None:
    assert failure_of(RateLimited(retry_after=nan)).retry_after is None
    endless = failure_of(RateLimited(retry_after=inf)).retry_after
    assert endless is not None
    assert endless > 1e9


def test_what_changes_stands_at_the_end_of_the_line() -> None:
    entry = Entry(
        agent="a",
        origin=Origin(suite="s", case="c"),
        request={"messages": []},
        outcome=Response(text="hi", ids={"trace": "4711"}),
        duration_ms=5,
        chat_id="assay-1",
    )
    line = entry_to_line(entry)
    assert list(line)[-3:] == ["duration_ms", "chat_id", "ids"]
    assert line["response"] == {"text": "hi"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"agent": 1}, "agent: expected text"),
        ({"attempt": True}, "attempt: expected a whole number"),
        ({"request": []}, "request: expected an object"),
        ({"response": {"text": 5}}, "text"),
        ({"response": "hi"}, "response: expected an object"),
        ({"ids": {"trace": 1}}, "ids"),
    ],
)
def test_a_line_that_is_wrong_is_told_by_its_key(change: dict[str, object], fault: str) -> None:
    entry = Entry(agent="a", origin=Origin(), request={}, outcome=Response(text="x"))
    with pytest.raises(ValueError, match=fault):
        entry_from_line({**entry_to_line(entry), **change})


def test_an_unknown_kind_of_error_is_told() -> None:
    entry = Entry(agent="a", origin=Origin(), request={}, outcome=Failure(kind="agent"))
    line = {**entry_to_line(entry), "error": {"kind": "bad luck"}}
    with pytest.raises(ValueError, match="'bad luck' is none of agent, transport"):
        entry_from_line(line)


def test_what_cannot_be_read_back_is_not_written() -> None:
    with pytest.raises(ValueError, match="not JSON serializable"):
        encoded({"data": object()})
    deep: object = 1
    for _ in range(400):
        deep = [deep]
    with pytest.raises(ValueError, match="deep"):
        encoded({"data": deep})
