from __future__ import annotations

from typing import Any

import pytest

from assay import ABSENT, Response, ToolCall, Usage
from assay_plugins.transports.yao.trace import Trace, read_trace, with_trace

UNKNOWN = frozenset({"data", "tool_results", "usage"})


def start(name: str, kind: str, **more: object) -> dict[str, Any]:
    return {"type": "node_start", "data": {"node": {"id": name, "type": kind, **more}}}


def complete(name: str, output: object) -> dict[str, Any]:
    return {"type": "node_complete", "node_id": name, "data": {"output": output}}


def trace(*events: dict[str, Any]) -> Trace:
    found = read_trace({"trace_id": "t", "events": list(events)})
    assert found is not None
    return found


def of_response(**response: object) -> Trace:
    return trace(start("n1", "agent_completion"), complete("n1", response))


def test_the_last_completion_is_the_response() -> None:
    found = trace(
        start("n1", "agent"),
        start("n2", "agent_completion"),
        complete("n2", {"next": "of an agent below"}),
        start("n3", "agent_completion"),
        complete("n3", {"next": "of the agent"}),
        complete("n1", None),
    )
    assert found.response == {"next": "of the agent"}


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"events": None},
        {"events": [None, {}, {"data": 5}, complete("n9", {"next": 1})]},
        {"events": [start("n1", "agent_completion")]},
        {"events": [start("n1", "agent"), complete("n1", {"next": 1})]},
        {"events": [start("n1", "agent_completion"), complete("n1", "text")]},
    ],
)
def test_a_trace_without_the_response_is_none_yet(answer: object) -> None:
    assert read_trace(answer) is None


def test_results_are_found_by_the_id_of_the_call() -> None:
    calls = (ToolCall(name="shop__find", arguments={}, id="c1"), ToolCall(name="x", id="c2"))
    given: dict[str, Any] = {"tool_call_id": "c1", "server": "shop", "tool": "find"}
    nodes: list[dict[str, Any]] = [
        {"id": "n1", "type": "mcp_tool", "input": given},
        {"id": "n2", "type": "mcp_tool", "input": {"tool_call_id": "c3"}},
    ]
    found = trace(
        {"type": "node_start", "data": {"nodes": nodes}},
        complete("n1", {"found": 3}),
        start("n3", "agent_completion"),
        complete("n3", {"tools": [{"toolcall_id": "c2", "error": "no such thing"}]}),
    )
    answer = with_trace(Response(text="Hi", tool_calls=calls, unknown=UNKNOWN), found)
    assert answer.tool_calls == (
        ToolCall(name="shop__find", arguments={}, id="c1", result={"found": 3}),
        ToolCall(name="x", id="c2", error="no such thing"),
    )
    assert answer.unknown == {"usage"}
    assert answer.text == "Hi"


def test_a_tool_that_failed_has_no_result() -> None:
    found = trace(
        start("n1", "mcp_tool", input={"tool_call_id": "c1"}),
        {"type": "node_failed", "node_id": "n1", "data": {"error": "timeout"}},
        start("n2", "agent_completion"),
        complete("n2", {}),
    )
    asked = Response(tool_calls=(ToolCall(name="x", id="c1"),), unknown=UNKNOWN)
    assert with_trace(asked, found).tool_calls == (ToolCall(name="x", id="c1", error="timeout"),)


def test_calls_that_the_stream_did_not_show_come_from_the_trace() -> None:
    given = {"tool_call_id": "c1", "server": "a.shop", "tool": "find", "arguments": '{"n": 1}'}
    called = {"id": "c2", "type": "function", "function": {"name": "b__two", "arguments": ""}}
    found = trace(
        start("n1", "mcp_tool", input=given),
        complete("n1", "found"),
        start("n2", "agent_completion"),
        complete("n2", {"completion": {"tool_calls": [called]}}),
    )
    unknown = UNKNOWN | {"tool_calls"}
    answer = with_trace(Response(text="Hi", unknown=unknown), found)
    assert answer.tool_calls == (
        ToolCall(name="a_shop__find", arguments={"n": 1}, id="c1", result="found"),
        ToolCall(name="b__two", arguments={}, id="c2"),
    )
    assert answer.unknown == {"usage"}


@pytest.mark.parametrize(
    ("given", "data"),
    [
        (None, ABSENT),
        ({"keywords": ["a"]}, {"keywords": ["a"]}),
        ("text", "text"),
        ([], []),
        ({}, {}),
        ({"metadata": {"a": 1}}, ABSENT),
        ({"delegate": {"agent_id": "x"}, "data": None}, ABSENT),
        ({"data": {"a": 1}, "metadata": {}}, {"a": 1}),
        ({"data": 1, "other": 2}, {"data": 1, "other": 2}),
    ],
)
def test_the_data_of_a_next_hook(given: object, data: object) -> None:
    answer = with_trace(Response(text="Hi", unknown=UNKNOWN), of_response(next=given))
    assert answer.data == data
    assert (answer.data is ABSENT) == (data is ABSENT)
    assert answer.unknown == {"usage"}


def test_without_next_there_is_no_data_and_that_is_known() -> None:
    answer = with_trace(Response(text="Hi", unknown=UNKNOWN), of_response())
    assert answer.data is ABSENT
    assert "data" not in answer.unknown


def test_model_usage_and_the_words_of_a_refusal() -> None:
    completion = {"model": "gpt-4o", "refusal": "I must not.", "usage": {"total_tokens": 7}}
    answer = with_trace(Response(unknown=UNKNOWN), of_response(completion=completion))
    assert (answer.model, answer.refusal, answer.text) == ("gpt-4o", True, "")
    assert answer.usage == Usage(total_tokens=7)
    assert answer.notes == ("the model refused: I must not.",)
    assert answer.unknown == frozenset()


def test_what_the_stream_told_stays() -> None:
    told = Response(text="Hi", usage=Usage(total_tokens=3), model="m", unknown=UNKNOWN)
    answer = with_trace(told, of_response(completion={"content": "other", "usage": {}}))
    assert (answer.text, answer.usage, answer.model) == ("Hi", Usage(total_tokens=3), "m")
