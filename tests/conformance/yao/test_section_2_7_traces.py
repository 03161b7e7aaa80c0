"""§2.7: what only a trace knows, and what stays unknown without one."""

from __future__ import annotations

from typing import Any

import pytest

from assay import ABSENT
from yao_server import (
    ALICE,
    USER_SCOPES,
    Account,
    Agent,
    Call,
    Delegate,
    Next,
    RawReply,
    Reply,
    Say,
    Seen,
    Use,
)

TOOLS = (
    Say(text="Looking. "),
    Call(name="weather__now", arguments={"city": "Oslo"}, result={"celsius": 4}),
    Call(name="weather__later", arguments={}, error="no such day"),
    Say(text="Four."),
)


def traces(yao: Any) -> list[Seen]:
    """Give the requests for traces."""
    return [seen for seen in yao.server.log.all if "/trace/" in seen.path]


def test_tool_results_and_data_come_from_the_trace(yao: Any) -> None:
    attempt = yao.attempt(*TOOLS, Next(data={"celsius": 4}))

    response = attempt.exchanges[0].response
    assert [(call.result, call.error) for call in response.tool_calls] == [
        ({"celsius": 4}, None),
        (ABSENT, "no such day"),
    ]
    assert response.data == {"celsius": 4}
    assert attempt.output == {"celsius": 4}
    assert not response.unknown & {"data", "tool_results"}
    assert all("stream" not in seen.query for seen in traces(yao))


def test_a_trace_without_data_tells_that_there_are_none(yao: Any) -> None:
    attempt = yao.attempt(*TOOLS)

    response = attempt.exchanges[0].response
    assert response.data is ABSENT
    assert not response.unknown & {"data", "tool_results"}
    assert attempt.output == "Four."


@pytest.mark.parametrize("data", [0, False, "text", [], {}, [1], {"a": None}])
def test_any_data_are_taken_as_they_are(yao: Any, data: object) -> None:
    response = yao.response(Say(text="fine"), Next(data=data))

    assert response.data == data


def test_the_text_never_comes_from_the_trace(yao: Any) -> None:
    told = {"completion": {"content": "from the trace"}, "next": 1}
    node = {"id": "N1", "type": "agent_completion"}
    events = [
        {"type": "node_start", "node_id": "N1", "data": {"node": node}},
        {"type": "node_complete", "node_id": "N1", "data": {"output": told}},
    ]
    reply = Reply(body={"events": events})
    yao.server.plan("GET", "/v1/trace/traces/*/events", reply, for_ever=True)

    response = yao.response(Say(text="from the stream"))

    assert (response.text, response.data) == ("from the stream", 1)


def test_other_agents_do_not_hide_the_one_that_was_asked(yao: Any) -> None:
    other = Delegate(agent="x", acts=(Call(name="b__y", result=2), Say(text="x"), Next(data="x")))

    response = yao.response(Call(name="a__x", result=1), other, Say(text="own"), Next(data="own"))

    assert response.data == "own"
    results = {call.name: call.result for call in response.tool_calls}
    assert results["a__x"] == 1


def test_a_trace_that_is_written_late_is_waited_for(yao: Any) -> None:
    agent = Agent(id="a", script=(*TOOLS, Next(data=1)), trace_lag=2)

    response = yao.response(agent=agent)

    assert response.data == 1
    assert len(traces(yao)) >= 3


def test_a_trace_that_is_never_finished_stays_unknown(yao: Any) -> None:
    agent = Agent(id="a", script=(*TOOLS, Next(data=1)), trace_lag=1_000_000)

    response = yao.response(agent=agent)

    assert (response.text, response.data) == ("Four.", ABSENT)
    assert {"data", "tool_results"} <= response.unknown


def test_without_traces_they_stay_unknown(serve: Any) -> None:
    yao = serve(traces=False)

    response = yao.response(*TOOLS, Next(data={"x": 1}), Use(prompt_tokens=1, completion_tokens=1))

    assert response.text == "Four."
    assert response.data is ABSENT
    assert {"data", "tool_results"} <= response.unknown
    assert "usage" not in response.unknown
    assert all(call.result is ABSENT for call in response.tool_calls)


def test_a_server_that_keeps_none_is_asked_once(serve: Any) -> None:
    yao = serve(traces=False)
    yao.server.add(Agent(id="a", script=TOOLS))

    yao.report(*({"id": str(number), "input": "hi"} for number in range(5)))

    assert len(traces(yao)) == 1


def test_traces_can_be_switched_off(yao: Any) -> None:
    response = yao.response(*TOOLS, sets=("transport.yao.trace=off",))

    assert {"data", "tool_results"} <= response.unknown
    assert traces(yao) == []


def test_a_token_without_the_scope_leaves_them_unknown(yao: Any) -> None:
    scopes = tuple(scope for scope in USER_SCOPES if not scope.startswith("trace"))
    yao.server.world.accounts.add(Account(token="no.trace.scope", scopes=scopes))

    response = yao.response(*TOOLS, environ={"ASSAY_YAO_TOKEN": "no.trace.scope"})

    assert {"data", "tool_results"} <= response.unknown


@pytest.mark.parametrize(
    "check", [{"type": "contains", "value": "x"}, {"type": "equals", "value": {"x": 1}}]
)
@pytest.mark.parametrize("negate", [False, True])
def test_an_output_that_cannot_be_seen_is_not_checked(
    serve: Any, check: dict[str, object], negate: bool
) -> None:
    yao = serve(traces=False)
    yao.server.add(Agent(id="a", script=(Call(name="a__x"), Next(data={"x": 1}))))
    case = {"id": "A", "input": "hi", "assert": [{**check, "negate": negate}]}

    (result,) = yao.report(case).cases

    assert result.status == "error"
    assert "not observable" in (result.attempts[0].error or "")


def test_and_with_traces_it_is(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=(Call(name="a__x"), Next(data={"x": 1}))))
    case = {"id": "A", "input": "hi", "assert": {"type": "equals", "value": {"x": 1}}}

    (result,) = yao.report(case).cases

    assert result.status == "passed", result.attempts


NAMELESS: dict[str, object] = {"type": "node_complete", "node_id": [], "data": {"output": 1}}
ODD = [
    Reply(body=b"\xff"),
    Reply(body="<html>"),
    Reply(body=[]),
    Reply(body={"events": None}),
    Reply(body={"events": [None, {}, {"type": "node_start"}]}),
    Reply(body={"events": [NAMELESS]}),
    Reply(status=503, body=""),
    Reply(status=500, body={"error": "server_error", "error_description": "broken"}),
    Reply(status=404, body={"error": "invalid_request"}),
    Reply(status=403, body={"error": "forbidden"}),
    Reply(status=302, headers={"Location": "http://127.0.0.1:1/"}),
    RawReply(data=b""),
    RawReply(data=b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", then="reset"),
]


@pytest.mark.parametrize("reply", ODD)
def test_a_trace_that_cannot_be_read_fails_nothing(yao: Any, reply: Any) -> None:
    for kind in ("events", "nodes", "info"):
        yao.server.plan("GET", f"/v1/trace/traces/*/{kind}", reply, for_ever=True)

    response = yao.response(*TOOLS, Next(data=1))

    assert (response.text, response.data) == ("Four.", ABSENT)
    assert {"data", "tool_results"} <= response.unknown
    assert traces(yao)


def test_a_trace_that_hangs_does_not_hold_the_answer_for_ever(yao: Any) -> None:
    yao.server.plan(
        "GET", "/v1/trace/traces/*/events", RawReply(data=b"", then="hang"), for_ever=True
    )

    response = yao.response(*TOOLS)

    assert response.text == "Four."
    assert "tool_results" in response.unknown


def test_a_trace_is_asked_for_with_the_token_of_the_turn(yao: Any) -> None:
    yao.response(*TOOLS)

    assert {seen.account for seen in traces(yao)} == {ALICE}
