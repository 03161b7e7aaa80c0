from __future__ import annotations

import json
from typing import Any

from assay import ABSENT, ToolCall, Usage
from assay_plugins.transports.yao.cui import CuiReader
from assay_plugins.transports.yao.turn import Told


def event(name: str, **data: object) -> dict[str, Any]:
    return {"type": "event", "props": {"event": name, "data": data}}


def text(content: str, name: str = "M1", **more: object) -> dict[str, Any]:
    return {
        "type": "text",
        "message_id": name,
        "delta": True,
        "props": {"content": content},
        **more,
    }


def tool(name: str, **more: object) -> dict[str, Any]:
    return {
        "type": "tool_call",
        "message_id": name,
        "props": {"id": f"call_{name}", "name": "shop__find", "arguments": "{}"},
        **more,
    }


START = event("stream_start", context_id="X1", request_id="X1", chat_id="C1", trace_id="2026")
END = event("stream_end", status="completed", usage={"prompt_tokens": 3, "total_tokens": 5})


def read(*chunks: object) -> CuiReader:
    reader = CuiReader()
    for chunk in chunks:
        reader.event(chunk if isinstance(chunk, str) else json.dumps(chunk))
    return reader


def told(*chunks: object) -> Told:
    return read(*chunks).told()


def test_a_turn_with_text_thoughts_a_tool_and_ids() -> None:
    found = told(
        START,
        {"type": "thinking", "message_id": "M0", "delta": True, "props": {"content": "Hm"}},
        {"type": "thinking", "message_id": "M0", "delta": True, "props": {"content": "m."}},
        {
            "type": "tool_call",
            "message_id": "M2",
            "delta": True,
            "delta_action": "merge",
            "props": {"id": "call_1", "type": "function", "index": 0, "name": "echo__ping"},
        },
        {
            "type": "tool_call",
            "message_id": "M2",
            "delta": True,
            "delta_path": "arguments",
            "delta_action": "append",
            "props": {"arguments": '{"n":1}', "index": 0},
        },
        text("Hel", "M3"),
        text("lo", "M3"),
        END,
    )
    assert found == Told(
        text="Hello",
        full_text="Hello",
        reasoning="Hmm.",
        tool_calls=(ToolCall(name="echo__ping", arguments={"n": 1}, id="call_1"),),
        usage=Usage(prompt_tokens=3, total_tokens=5),
        ids={"context": "X1", "chat": "C1", "trace": "2026"},
        unknown=frozenset({"data", "tool_results"}),
    )


def test_the_answer_stands_after_the_last_tool_call() -> None:
    found = told(text("Let me see."), tool("M2"), text("It is ", "M3"), text("red.", "M4"))
    assert (found.text, found.full_text) == ("It is red.", "Let me see.It is red.")


def test_all_texts_are_the_answer_when_none_follows_a_tool_call() -> None:
    assert told(text("One."), tool("M2"), text("", "M3")).text == "One."
    assert told(text("One."), tool("M2")).text == "One."


def test_what_agents_below_say_counts_only_where_the_agent_itself_is_silent() -> None:
    below = text("From below.", "M1", thread_id="T1")
    assert told(below, text("Mine.")).text == "Mine."
    assert told(below, text("", "M1")).text == "From below."
    assert told(below, text("", "M1")).full_text == "From below."


def test_each_agent_below_gives_what_follows_its_own_tool_calls() -> None:
    found = told(
        text("a", "M1", thread_id="T1"),
        text("b", "M1", thread_id="T2"),
        tool("M2", thread_id="T1"),
        text("c", "M3", thread_id="T1"),
    )
    assert found.text == "cb"


def test_a_tool_call_of_an_agent_below_cuts_nothing_off() -> None:
    assert told(text("One. "), tool("M2", thread_id="T1"), text("Two.", "M3")).text == "One. Two."


def test_nothing_else_is_the_answer() -> None:
    kinds = ("thinking", "loading", "error", "action", "execute", "image", "todo")
    chunks = [
        {"type": kind, "message_id": kind, "props": {"content": "no", "message": "no"}}
        for kind in kinds
    ]
    assert told(*chunks).full_text == ""


def test_a_text_that_is_replaced_counts_once() -> None:
    again = text("New.", delta_action="replace")
    assert told(text("Old."), again).text == "New."


def test_several_calls_in_one_delta() -> None:
    found = told(
        {
            "type": "tool_call",
            "message_id": "M1",
            "delta": True,
            "props": {
                "calls": [
                    {"index": 0, "id": "a", "name": "one", "arguments": '{"x"'},
                    {"index": 1, "id": "b", "function": {"name": "two", "arguments": "no JSON"}},
                ]
            },
        },
        {
            "type": "tool_call",
            "message_id": "M1",
            "delta": True,
            "props": {"calls": [{"index": 0, "arguments": ":1}"}]},
        },
    )
    assert found.tool_calls == (
        ToolCall(name="one", arguments={"x": 1}, id="a"),
        ToolCall(name="two", arguments="no JSON", id="b"),
    )


def test_a_tool_that_is_called_without_arguments_has_none() -> None:
    props = {"id": "a", "name": "now"}
    assert told({"type": "tool_call", "props": props}).tool_calls == (
        ToolCall(name="now", arguments={}, id="a"),
    )


def test_steps_of_a_sandbox_show_what_came_of_them() -> None:
    good = {"tool": "bash", "tool_id": "x1", "input": {"cmd": "ls"}, "output": "a b"}
    bad: dict[str, Any] = {
        "tool": "bash",
        "tool_id": "x2",
        "input": {},
        "output": "no",
        "is_error": True,
    }
    found = told(
        {"type": "execute", "message_id": "exec-1", "props": good},
        {"type": "execute", "message_id": "exec-2", "props": bad},
    )
    assert found.tool_calls == (
        ToolCall(name="bash", arguments={"cmd": "ls"}, id="x1", result="a b"),
        ToolCall(name="bash", arguments={}, id="x2", result=ABSENT, error="no"),
    )


def test_a_refusal_is_known_by_its_start_alone() -> None:
    assert told(event("message_start", message_id="M1", type="refusal")).is_refusal
    assert not told(event("message_start", message_id="M1", type="text")).is_refusal


def test_usage_that_is_not_told_is_unknown() -> None:
    ended = told(event("stream_end", status="completed", usage={}))
    assert ended.usage is None
    assert ended.unknown == {"data", "tool_results", "usage"}


def test_the_end_decides() -> None:
    assert read(START, END).ending.is_complete
    failed = read(START, event("stream_end", status="error", error="model is gone")).ending
    assert (failed.is_complete, failed.failure) == (False, "model is gone")
    odd = read(event("stream_end", status="cancelled")).ending
    assert odd.failure == "the turn ended with the status 'cancelled'"
    assert read(event("stream_end", status="error")).ending.failure == ""


def test_the_end_of_an_agent_below_is_not_the_end() -> None:
    below = {**END, "thread_id": "T1"}
    assert not read(START, below).ending.is_marked


def test_nothing_counts_behind_the_end() -> None:
    reader = read(text("a"), END, text("b"), "no JSON", {"type": "error", "props": {}})
    assert reader.told().text == "a"
    assert reader.ending.broken is None
    assert reader.errors() == ()


def test_the_end_mark_of_the_other_format_is_none() -> None:
    ending = read(text("a"), "[DONE]").ending
    assert not ending.is_marked
    assert ending.broken is None


def test_what_is_no_message_breaks_the_stream() -> None:
    for data in ("{", "[1]", "null", '"x"', '{"a":NaN}'):
        assert read(data).ending.broken is not None
    wide = {"type": "t", "delta": True, "delta_path": "a[99999]", "props": {"a": 1}}
    assert "99999" in (read(wide).ending.broken or "")


def test_errors_are_kept_in_order_and_whole() -> None:
    reader = read(
        {"type": "error", "message_id": "M1", "delta": True, "props": {"message": "no "}},
        {
            "type": "error",
            "message_id": "M1",
            "delta": True,
            "props": {"message": "model", "code": "stream_error"},
        },
        {"error": {"message": "bad", "code": "x"}},
    )
    assert reader.errors() == ("no model (stream_error)", "bad")


def test_the_context_is_known_from_the_start_on() -> None:
    assert CuiReader().context_id is None
    assert read(START).context_id == "X1"
