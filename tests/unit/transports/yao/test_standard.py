from __future__ import annotations

import json
from typing import Any

import pytest

from assay_plugins.transports.yao.standard import StandardReader
from assay_plugins.transports.yao.turn import Told

TRACE = "20260101123456789012"
LINK = f"🚀 Agent started - [View trace](http://localhost:8000/trace/{TRACE}/view)\n"


def chunk(name: str = "M1", **delta: object) -> dict[str, Any]:
    return {
        "id": name,
        "object": "chat.completion.chunk",
        "created": 1700000000,
        "model": "yao-agent",
        "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
    }


def read(*chunks: object) -> StandardReader:
    reader = StandardReader()
    for each in chunks:
        reader.event(each if isinstance(each, str) else json.dumps(each))
    return reader


def test_a_turn() -> None:
    reader = read(
        chunk("", role="assistant", content=LINK),
        chunk("M1", role="assistant", reasoning_content="Hm"),
        chunk("M1", reasoning_content="m."),
        chunk("M2", role="assistant", content="Hel"),
        chunk("M2", content="lo"),
        "[DONE]",
    )
    assert reader.told() == Told(
        text="Hello",
        full_text="Hello",
        reasoning="Hmm.",
        ids={"trace": TRACE},
        unknown=frozenset({"data", "tool_results", "usage"}),
    )
    assert reader.ending.is_complete
    assert reader.context_id is None


@pytest.mark.parametrize(
    "link",
    [
        LINK,
        f"🔍 智能体开始 - [查看追踪](/trace/{TRACE}/view)\n",
        f"🚀 output.stream_start - [output.view_trace](https://x/__yao/trace/{TRACE}/view)\n",
    ],
)
def test_the_link_is_dropped_by_its_shape_in_any_language(link: str) -> None:
    for part in ("content", "reasoning_content"):
        found = read(chunk("", **{part: link}), chunk(content="Hi")).told()
        assert (found.text, found.reasoning, found.ids) == ("Hi", None, {"trace": TRACE})


def test_what_only_looks_like_the_link_is_the_agents_own() -> None:
    said = read(chunk("M1", content=LINK)).told()
    assert (said.text, said.ids) == (LINK, {})
    for text in ("🚀 Hi - [x](y)\n", LINK + "And more.", LINK.replace("2", "x"), LINK.strip()):
        assert read(chunk("", content=text)).told().text == text


def test_a_long_text_is_not_searched_for_a_link() -> None:
    long = "🚀 " + " - [" * 100_000 + "/view)\n"
    assert read(chunk("", content=long)).told().text == long


def test_the_answer_stands_after_the_last_tool_call() -> None:
    called = chunk("M2", tool_calls=[{"id": "call_1", "type": "function"}])
    found = read(chunk(content="Let me see."), called, chunk("M2", tool_calls=[])).told()
    assert (found.text, found.full_text) == ("Let me see.", "Let me see.")
    found = read(chunk(content="Let me see."), called, chunk("M3", content="Red.")).told()
    assert (found.text, found.full_text) == ("Red.", "Let me see.Red.")


def test_tool_calls_are_unknown_where_there_were_any() -> None:
    assert "tool_calls" not in read(chunk(content="x")).told().unknown
    assert "tool_calls" in read(chunk(tool_calls=[{"id": "a", "type": "function"}])).told().unknown


def test_errors_are_kept() -> None:
    reader = read(
        chunk(content="Hel"),
        {"error": {"message": "model is gone", "type": "x", "code": "stream_error"}},
    )
    assert reader.errors() == ("model is gone",)
    assert not reader.ending.is_marked


def test_nothing_counts_behind_the_end() -> None:
    reader = read(chunk(content="a"), "[DONE]", chunk(content="b"), "no JSON")
    assert reader.told().text == "a"
    assert reader.ending.broken is None


def test_chunks_of_strange_shapes_say_nothing() -> None:
    strange: list[Any] = [
        {},
        {"choices": None},
        {"choices": [None, {}, {"delta": None}, {"delta": {"content": 5}}]},
        {"id": 5, "choices": {"delta": {"content": "x"}}},
    ]
    reader = read(*strange)
    assert reader.told().full_text == ""
    assert reader.ending.broken is None
