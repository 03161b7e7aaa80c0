"""The stand-in tells of assistants, models and traces as the reference says (§2.7, §2.8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from yao_server import (
    BOB,
    CLI,
    Agent,
    Call,
    Delegate,
    Fail,
    Next,
    Refuse,
    Say,
    Think,
    Together,
    Use,
)

SCRIPT = (
    Say(text="Looking. "),
    Call(name="weather__now", arguments={"city": "Oslo"}, result={"celsius": 4}),
    Call(name="weather__later", arguments="{oops", error="no such day"),
    Think(text="Four."),
    Say(text="It is 4 °C."),
    Use(prompt_tokens=3, completion_tokens=2),
    Next(data={"celsius": 4}),
)


def traced(client: Any, agent: str) -> str:
    client.ask(agent)
    trace_id: str = client.server.log.of(agent)[-1].trace_id
    return f"/trace/traces/{trace_id}"


def completion(client: Any, trace: str) -> Any:
    found = [n for n in client.get(f"{trace}/nodes").json()["nodes"] if "completion" in n["type"]]
    return client.get(f"{trace}/nodes/{found[-1]['id']}").json()["output"] if found else None


def test_the_last_completion_node_holds_the_response(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT))

    trace = traced(client, "a")

    response = completion(client, trace)
    (turn,) = client.server.log.turns
    assert response["context_id"] == response["request_id"] == turn.context_id
    assert (response["trace_id"], response["assistant_id"]) == (turn.trace_id, "a")
    assert response["chat_id"] == turn.asked.chat_id
    assert response["next"] == {"celsius": 4}
    last = response["completion"]
    assert (last["content"], last["reasoning_content"]) == ("It is 4 °C.", "Four.")
    assert (last["model"], last["finish_reason"]) == ("gpt-4o", "stop")
    assert last["usage"]["total_tokens"] == 5
    assert "tool_calls" not in last
    assert response["tools"] == [
        {
            "toolcall_id": "call_1",
            "server": "weather",
            "tool": "now",
            "arguments": {"city": "Oslo"},
            "result": {"celsius": 4},
        },
        {
            "toolcall_id": "call_2",
            "server": "weather",
            "tool": "later",
            "arguments": "{oops",
            "error": "no such day",
        },
    ]


def test_nodes_are_listed_without_what_went_in_and_out(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT))

    listed = client.get(traced(client, "a") + "/nodes").json()

    assert listed["count"] == len(listed["nodes"])
    kinds = [node["type"] for node in listed["nodes"]]
    assert kinds == ["agent", "llm", "mcp_tool", "mcp_tool", "llm", "agent_completion"]
    assert not [node for node in listed["nodes"] if "output" in node or "input" in node]
    assert [node["status"] for node in listed["nodes"]].count("failed") == 1


def test_events_tell_the_same_in_one_answer(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT))
    trace = traced(client, "a")

    events = client.get(f"{trace}/events").json()["events"]

    kinds = {e["node_id"]: e["data"]["node"]["type"] for e in events if e["type"] == "node_start"}
    outputs = {e["node_id"]: e["data"]["output"] for e in events if e["type"] == "node_complete"}
    (done,) = [node for node, kind in kinds.items() if kind == "agent_completion"]
    assert outputs[done] == completion(client, trace)
    streamed = client.get(f"{trace}/events?stream=true").text
    assert streamed.count("data: ") == len(events)


def test_other_agents_have_nodes_of_their_own_before_the_last(serve: Callable[..., Any]) -> None:
    one = Delegate(agent="x", acts=(Say(text="x"), Next(data=1)))
    two = Delegate(agent="y", acts=(Say(text="y"),), thread_id="T2")
    client = serve(Agent(id="a", script=(Together(delegates=(one, two)), Refuse(text="No."))))

    trace = traced(client, "a")

    response = completion(client, trace)
    assert response["assistant_id"] == "a"
    assert response["completion"]["refusal"] == "No."
    assert "next" not in response
    starts = [e["data"] for e in client.get(f"{trace}/events").json()["events"]]
    (together,) = [data["nodes"] for data in starts if "nodes" in data]
    assert [node["label"] for node in together] == ["x", "y"]


def test_a_failed_turn_has_no_completion_but_its_tools(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(*SCRIPT, Fail(message="overloaded"))))

    trace = traced(client, "a")

    assert completion(client, trace) is None
    kinds = [node["type"] for node in client.get(f"{trace}/nodes").json()["nodes"]]
    assert kinds.count("mcp_tool") == 2
    assert client.get(f"{trace}/info").json()["status"] == "failed"


def test_the_end_of_a_trace_can_be_written_late(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT, trace_lag=2))

    trace = traced(client, "a")

    kinds = [
        [node["type"] for node in client.get(f"{trace}/nodes").json()["nodes"]] for _ in range(3)
    ]
    assert [("agent_completion" in found) for found in kinds] == [False, False, True]


def test_traces_are_their_users_own(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT))
    trace = traced(client, "a")

    assert client.get(f"{trace}/nodes", BOB.token).status_code == 403
    assert client.get(f"{trace}/nodes", CLI.token).json()["error"] == "insufficient_scope"
    assert client.get("/trace/traces/20260101000000000000/nodes").status_code == 404
    assert client.get(f"{trace}/nodes/N99").status_code == 404
    assert client.get(f"{trace}/logs").json()["count"] == 0
    assert client.get(f"{trace}/spaces").json()["count"] == 0


def test_a_server_may_keep_no_traces(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=SCRIPT), traces=False)

    refused = client.get(traced(client, "a") + "/nodes")

    assert refused.status_code == 500
    assert refused.json()["error_description"] == "trace is disabled (driver=none)"


def test_information_on_an_assistant(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="shop.help", description="Sells.", connector="anthropic.claude"))

    info = client.get("/agent/assistants/shop.help/info").json()
    record = client.get("/agent/assistants/shop.help").json()
    gone = client.get("/agent/assistants/nobody/info")

    assert (info["assistant_id"], info["name"]) == ("shop.help", "Shop Help")
    assert (info["description"], info["connector"]) == ("Sells.", "anthropic.claude")
    assert record["connector_raw"] == "anthropic.claude"
    assert (gone.status_code, gone.json()["error"]) == (404, "invalid_request")


def test_assistants_are_listed_by_page(serve: Callable[..., Any]) -> None:
    client = serve(*(Agent(id=f"a{number}") for number in range(5)))

    page = client.get("/agent/assistants?page=2&pagesize=2").json()

    assert [row["assistant_id"] for row in page["data"]] == ["a2", "a3"]
    figures = [page[name] for name in ("total", "page", "pagesize", "pagecount", "next", "prev")]
    assert figures == [5, 2, 2, 3, 3, 1]
    assert client.get("/agent/assistants?keywords=a4").json()["total"] == 1
    assert client.get("/agent/assistants?pagesize=1000").json()["pagesize"] == 100
    assert client.get("/agent/assistants?page=x").status_code == 400


def test_models_are_named_after_assistant_and_model(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="shop.help"), Agent(id="b", connector=""))

    listed = client.get("/models").json()

    ids = [row["id"] for row in listed["data"]]
    assert ids == ["yao-agents-shop-help-gpt-4o-yao_shop.help", "yao-agents-b-unknown-yao_b"]
    assert client.get(f"/models/{ids[0]}").json()["object"] == "model"
    assert client.get("/models/none").status_code == 404
