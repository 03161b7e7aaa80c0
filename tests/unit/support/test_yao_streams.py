"""The stand-in streams in both formats as the reference says (§2.1 to §2.3, §2.6)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from yao_server import (
    ALICE,
    Agent,
    Broken,
    Call,
    Calls,
    Delegate,
    Fail,
    Hold,
    Next,
    Raw,
    Refuse,
    Say,
    Send,
    Think,
    Together,
    Use,
    Vanish,
)

LINK = re.compile(r"^(🚀|🔍) .+ - \[.+\]\(\S*/trace/(\d{20})/view\)\n$")
WEATHER = (
    Think(text="Hm…"),
    Say(text="Looking. "),
    Call(name="weather__now", arguments={"city": "Ōsaka <&>"}, result=4),
    Say(text="Four."),
    Use(prompt_tokens=3, completion_tokens=2),
    Next(data={"celsius": 4}),
)


def events(messages: list[dict[str, Any]]) -> list[str]:
    return [m["props"]["event"] for m in messages if m["type"] == "event"]


def deltas(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [chunk["choices"][0]["delta"] for chunk in chunks]


def test_headers_and_events_are_those_of_the_server(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="<&> ü \u2028\n", pieces=1),)))

    answer = client.ask("a", accept="cui-web")

    assert answer.headers["Content-Type"] == "text/event-stream;charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert "Content-Encoding" not in answer.headers
    assert '{"content":"\\u003c\\u0026\\u003e ü \\u2028\\n"}' in answer.text


def test_a_turn_in_the_format_of_the_front_end(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=WEATHER, description="d"))

    said = client.cui("a", chat_id="c1")

    assert events(said)[0] == "stream_start"
    assert events(said)[-1] == "stream_end"
    (turn,) = client.server.log.turns
    start, end = said[0]["props"]["data"], said[-1]["props"]["data"]
    assert start["context_id"] == start["request_id"] == turn.context_id
    assert (start["chat_id"], start["trace_id"]) == ("c1", turn.trace_id)
    assert start["assistant"] == {
        "assistant_id": "a",
        "type": "assistant",
        "name": "A",
        "description": "d",
    }
    assert (end["status"], "error" in end) == ("completed", False)
    assert end["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    texts = [m for m in said if m["type"] == "text"]
    assert {m["message_id"] for m in texts} == {"M2", "M4"}
    assert "".join(m["props"]["content"] for m in texts) == "Looking. Four."
    assert all(m["delta"] is True and "delta_action" not in m for m in texts)
    assert len({m["chunk_id"] for m in said}) == len(said)
    assert not [m for m in said if m["type"] in ("text", "thinking") and "metadata" in m]


def test_a_tool_call_is_named_first_and_its_arguments_appended(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=WEATHER))

    said = [m for m in client.cui("a") if m["type"] == "tool_call"]

    first, *rest = said
    assert first["props"] == {
        "id": "call_1",
        "type": "function",
        "index": 0,
        "name": "weather__now",
    }
    assert first["delta_action"] == "merge"
    assert all(m["delta_path"] == "arguments" and m["delta_action"] == "append" for m in rest)
    assert json.loads("".join(m["props"]["arguments"] for m in rest)) == {"city": "Ōsaka <&>"}


def test_message_events_surround_what_the_model_says(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(*WEATHER, Refuse(text="no"))))

    told = [m["props"] for m in client.cui("a") if m["type"] == "event"]

    starts = [p["data"] for p in told if p["event"] == "message_start"]
    ends = [p["data"] for p in told if p["event"] == "message_end"]
    kinds = ["thinking", "text", "tool_call", "text"]
    assert [start["type"] for start in starts] == [*kinds, "refusal"]
    assert [end["type"] for end in ends] == kinds
    assert starts[2]["tool_call"] == {"id": "call_1", "name": "weather__now", "index": 0}
    assert ends[1]["extra"] == {"content": "Looking. "}
    with pytest.raises(ValueError, match="Extra data"):
        json.loads(ends[2]["extra"]["content"])


def test_several_calls_of_one_delta_stay_together(serve: Callable[..., Any]) -> None:
    calls = (Call(name="a__x", arguments={"n": 1}), Call(name="b__y", arguments={}))
    client = serve(Agent(id="a", script=(Calls(calls=calls),)))

    (said,) = [m for m in client.cui("a") if m["type"] == "tool_call"]

    assert [call["function"] for call in said["props"]["calls"]] == [
        {"name": "a__x", "arguments": '{"n": 1}'},
        {"name": "b__y", "arguments": "{}"},
    ]


def test_agents_at_the_same_time_alternate_and_count_from_one(serve: Callable[..., Any]) -> None:
    others = tuple(
        Delegate(agent=name, acts=(Say(text=name * 2, pieces=2),), thread_id=f"T-{name}")
        for name in "xy"
    )
    client = serve(Agent(id="a", script=(Together(delegates=others), Say(text="z"))))

    texts = [m for m in client.cui("a") if m["type"] == "text"]

    assert [(m.get("thread_id"), m["message_id"], m["props"]["content"]) for m in texts] == [
        ("T-x", "M1", "x"),
        ("T-y", "M1", "y"),
        ("T-x", "M1", "x"),
        ("T-y", "M1", "y"),
        (None, "M1", "z"),
    ]


def test_what_a_hook_sends_goes_out_field_by_field(serve: Callable[..., Any]) -> None:
    sent = Send(
        type="text",
        props={"content": "new"},
        message_id="M9",
        delta=True,
        delta_path="content",
        delta_action="replace",
        type_change=True,
    )
    client = serve(Agent(id="a", script=(sent, Send(type="todo", props={"tool": "x"}))))

    first, second = client.cui("a")[1:-1]

    del first["chunk_id"]
    assert first == {
        "type": "text",
        "props": {"content": "new"},
        "message_id": "M9",
        "delta": True,
        "delta_path": "content",
        "delta_action": "replace",
        "type_change": True,
    }
    assert set(second) == {"type", "props", "chunk_id", "message_id", "metadata"}


def test_a_turn_in_the_standard_format_loses_what_it_loses(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=WEATHER))

    answer = client.ask("a", locale="en-us")
    chunks = client.chunks("a")

    assert answer.text.endswith("data: [DONE]\n\n")
    link, *rest = chunks
    assert link["id"] == ""
    assert all(chunk["id"].startswith("M") for chunk in rest)
    assert {chunk["model"] for chunk in chunks} == {"yao-agent"}
    assert {chunk["choices"][0]["finish_reason"] for chunk in chunks} == {None}
    found = deltas(rest)
    assert found[0] == {"role": "assistant", "reasoning_content": "Hm"}
    assert not [delta for delta in found[1:] if "role" in delta]
    assert [d["tool_calls"] for d in found if "tool_calls" in d] == [
        [{"id": "call_1", "type": "function"}],
        [],
        [],
    ]
    assert "".join(d.get("content", "") for d in found) == "Looking. Four."
    for lost in ("usage", "weather__now", "saka", "celsius"):
        assert lost not in answer.text


@pytest.mark.parametrize(
    ("locale", "words"),
    [("en-us", "View process"), ("zh-cn", "查看"), ("", "output.view_trace"), ("fr", "output.")],
)
def test_the_first_chunk_links_to_the_trace(
    serve: Callable[..., Any], locale: str, words: str
) -> None:
    client = serve(Agent(id="a", script=WEATHER), Agent(id="r", script=WEATHER, reasons=True))

    (plain,) = deltas(client.chunks("a", locale=locale)[:1])
    (reasoning,) = deltas(client.chunks("r", locale=locale)[:1])

    found = LINK.match(plain["content"])
    assert found
    assert (found[1], found[2]) == ("🚀", client.server.log.of("a")[0].trace_id)
    assert words in plain["content"]
    assert LINK.match(reasoning["reasoning_content"])


def test_other_messages_become_links_or_nothing(serve: Callable[..., Any]) -> None:
    script = (
        Send(type="loading", props={"message": "Wait"}),
        Send(type="loading"),
        Send(type="action", props={"name": "open"}),
        Send(type="image", props={"alt": "A", "url": "/a.png"}),
        Send(type="file", props={"title": "B", "url": "/b.txt"}),
        Send(type="todo", props={"title": "C", "url": "/c"}, delta=True, message_id="M1"),
        Send(type="todo", props={"title": "C", "url": "/c"}, delta=True, message_id="M1"),
        Send(type="error", props={"message": "odd", "code": "x", "details": "d"}),
        Send(type="text", props={"content": "ab"}),
        Send(type="text", props={"content": "cd"}, delta_action="replace", delta=True),
    )
    client = serve(Agent(id="a", script=script))

    chunks = client.chunks("a")[1:]

    assert chunks[6] == {"error": {"message": "odd", "type": "error", "code": "x"}}
    del chunks[6]
    assert deltas(chunks) == [
        {"reasoning_content": "Wait"},
        {"reasoning_content": "Processing..."},
        {"content": "![A](/a.png)"},
        {"content": "📎 [B](/b.txt)"},
        {"content": "[/c](C)"},
        {"content": "[/c](C)"},
        {"role": "assistant", "content": "ab"},
        {"content": "cd"},
    ]


def test_a_failure_after_the_first_byte_is_appended_bare(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="Well"), Fail(message="overloaded"))))
    appended = '{"error":"server_error","error_description":"Failed to stream: overloaded"}'

    standard = client.ask("a")
    cui = client.ask("a", accept="cui-web")

    assert (standard.status_code, cui.status_code) == (200, 200)
    assert standard.text.endswith("\n\n" + appended)
    assert "[DONE]" not in standard.text
    assert '"error":{"message":"overloaded"' in standard.text
    assert cui.text.endswith("\n\n" + appended)
    *_, error, end, _ = cui.text.split("\n\n")
    assert json.loads(error[6:])["props"] == {"message": "overloaded", "code": "stream_error"}
    ended = json.loads(end[6:])["props"]["data"]
    assert (ended["status"], ended["error"]) == ("error", "overloaded")
    assert {turn.ending for turn in client.server.log.turns} == {"failed"}


def test_a_failure_before_the_first_byte(serve: Callable[..., Any]) -> None:
    client = serve(
        Agent(id="a", broken=Broken(message="no model")),
        Agent(id="race", broken=Broken(message="no model", race=True)),
    )

    clean = client.ask("a")
    ended = client.ask("a", accept="cui-web")
    mixed = client.ask("race", accept="cui-web")
    linked = client.ask("race")

    assert (clean.status_code, clean.json()["error"]) == (500, "server_error")
    assert ended.status_code == 200
    assert ended.text.count("data: ") == 1
    assert ended.text.endswith('"Failed to stream: no model"}')
    assert (mixed.status_code, linked.status_code) == (500, 500)
    assert mixed.text.startswith('{"error":"server_error"')
    assert mixed.text.count("data: ") == 2
    assert linked.text.count("data: ") == 1


def test_an_early_end_and_foreign_bytes(serve: Callable[..., Any]) -> None:
    client = serve(
        Agent(id="early", script=(Say(text="Well"), Vanish())),
        Agent(id="odd", script=(Raw(data=b"data: {oops\n\n"), Say(text="x"))),
        Agent(id="late", script=(Say(text="x"),), after_end=b"trailing"),
    )

    early = client.ask("early").text
    assert early.endswith("}\n\n")
    assert "[DONE]" not in early
    assert "data: {oops\n\n" in client.ask("odd").text
    assert client.ask("late").text.endswith("data: [DONE]\n\ntrailing")


def test_skip_output_streams_nothing_at_all(serve: Callable[..., Any]) -> None:
    client = serve()
    body = {"messages": [{"role": "user", "content": "hi"}], "skip": {"output": True}}

    answer = client.ask("echo", body=body)

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Type"].startswith("text/event-stream")


def test_a_forced_interrupt_cuts_the_text_and_completes(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="Well"), Hold(), Say(text="never"))))
    with client.http.stream(
        "POST",
        client.server.base + "/chat/completions",
        params={"assistant_id": "a", "accept": "cui-web"},
        headers={"Authorization": f"Bearer {ALICE.token}"},
        json={"messages": [{"role": "user", "content": "hi"}]},
    ) as stream:
        lines = stream.iter_lines()
        start = json.loads(next(lines)[6:])["props"]["data"]
        appended = client.http.post(
            f"{client.server.base}/chat/completions/{start['context_id']}/append",
            headers={"Authorization": f"Bearer {ALICE.token}"},
            json={"type": "force", "messages": []},
        )
        rest = "".join(f"{line}\n" for line in lines)

    assert appended.status_code == 200
    assert "never" not in rest
    assert '"status":"completed"' in rest
    turn = client.server.log.turn("a", "answered")
    assert turn.interrupts == [{"type": "force", "messages": [], "metadata": {}}]


def test_an_interrupt_must_name_a_running_turn_and_a_known_kind(
    serve: Callable[..., Any],
) -> None:
    client = serve()

    def append(body: object) -> tuple[int, str]:
        answer = client.ask("", path="/chat/completions/ctx-gone/append", body=body)
        return answer.status_code, answer.json()["error_description"]

    assert append({"type": "force", "messages": []})[0] == 500
    assert append({"type": "kill"}) == (
        400,
        "Invalid interrupt type. Must be 'graceful' or 'force'",
    )
    assert append({"type": "force", "messages": "x"})[0] == 400
    assert append(b"")[0] == 400


def test_an_unknown_connector_is_silently_replaced(serve: Callable[..., Any]) -> None:
    client = serve()
    user = {"role": "user", "content": "hi"}

    for model in ("openai.gpt-4o-mini", "openai.nope", "x-yao_echo"):
        client.ask("echo", body={"messages": [user], "model": model})

    used = [turn.connector for turn in client.server.log.turns]
    assert used == ["openai.gpt-4o-mini", "openai.gpt-4o", "openai.gpt-4o"]
