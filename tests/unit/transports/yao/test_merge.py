from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_plugins.transports.yao.merge import MAX_INDEX, MAX_STEPS, Messages


def reduced(*chunks: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    messages = Messages()
    for chunk in chunks:
        messages.apply(chunk)
    return [(message.type, message.props()) for message in messages]


def props(*chunks: dict[str, Any]) -> dict[str, Any]:
    [(_, only)] = reduced(*({"type": "t", "message_id": "M1", **chunk} for chunk in chunks))
    return only


def delta(action: str | None, path: str | None, **given: object) -> dict[str, Any]:
    chunk: dict[str, Any] = {"delta": True, "props": given}
    if action is not None:
        chunk["delta_action"] = action
    if path is not None:
        chunk["delta_path"] = path
    return chunk


def test_a_message_that_is_no_change_stands_whole() -> None:
    assert props({"props": {"a": "x", "b": [1]}}, {"props": {"c": "y"}}) == {"c": "y"}


def test_texts_are_concatenated_lists_extended_and_all_else_set() -> None:
    changes = (
        delta(None, None, content="Hel", n=1, list=[1], mixed="x", more=[1]),
        delta("append", None, content="lo", n=2, list=[2, 3], mixed=5, more="y"),
    )
    assert props(*changes) == {
        "content": "Hello",
        "n": 2,
        "list": [1, 2, 3],
        "mixed": 5,
        "more": [1, "y"],
    }


def test_a_path_finds_its_value_at_the_same_place_in_the_chunk() -> None:
    assert props(
        delta("merge", None, name="echo__ping", index=0),
        delta("append", "arguments", arguments='{"n":', index=9),
        delta("append", "arguments", arguments="1}", index=9),
    ) == {"name": "echo__ping", "index": 0, "arguments": '{"n":1}'}


def test_a_chunk_without_a_value_at_the_path_changes_nothing() -> None:
    for action in ("append", "replace", "merge", "set"):
        assert props({"props": {"a": "x"}}, delta(action, "a.b", c=1)) == {"a": "x"}


def test_parents_that_are_missing_are_made() -> None:
    chunk = delta("append", "rows[1].cells", rows=[{}, {"cells": ["x"]}])
    assert props(chunk) == {"rows": [None, {"cells": ["x"]}]}
    assert props(delta("set", "a.b.c", a={"b": {"c": 1}})) == {"a": {"b": {"c": 1}}}


def test_a_scalar_in_the_way_of_a_path_gives_way() -> None:
    assert props({"props": {"a": "x"}}, delta("set", "a.b", a={"b": 1})) == {"a": {"b": 1}}


def test_the_beginning_props_of_a_path_is_left_out() -> None:
    assert props({"props": {"a": "x"}}, delta("append", "props.a", a="y")) == {"a": "xy"}


def test_elements_of_lists_are_reached() -> None:
    before = {"props": {"rows": [{"t": "a"}, {"t": "b"}]}}
    change = delta("append", "rows[1].t", rows=[None, {"t": "!"}])
    assert props(before, change) == {"rows": [{"t": "a"}, {"t": "b!"}]}


def test_replace_takes_all_or_what_is_at_the_path() -> None:
    before = {"props": {"a": "x", "b": {"c": 1, "d": 2}}}
    assert props(before, delta("replace", None, e=1)) == {"e": 1}
    assert props(before, delta("replace", "b", b={"c": 3})) == {"a": "x", "b": {"c": 3}}
    assert props(before, delta("replace", "a", a=None)) == {"a": None, "b": {"c": 1, "d": 2}}


def test_merge_goes_into_objects_and_overwrites_all_else() -> None:
    before = {"props": {"b": {"c": {"x": 1}, "l": [1, 2], "s": "s"}}}
    merged = {"b": {"c": {"x": 1, "y": 2}, "l": [3], "s": "t"}}
    assert props(before, delta("merge", None, b={"c": {"y": 2}, "l": [3], "s": "t"})) == merged
    assert props(before, delta("merge", "b", b={"c": {"y": 2}, "l": [3], "s": "t"})) == merged


def test_set_assigns_keys_or_what_is_at_the_path() -> None:
    before = {"props": {"a": "x", "b": {"c": 1, "d": 2}}}
    assert props(before, delta("set", None, b=5, e=6)) == {"a": "x", "b": 5, "e": 6}
    assert props(before, delta("set", "b.c", b={"c": 7})) == {"a": "x", "b": {"c": 7, "d": 2}}


def test_a_new_type_alone_keeps_the_content() -> None:
    # This is how "loading" turns into "text".
    assert reduced(
        {"type": "loading", "message_id": "M1", "props": {"content": "…"}},
        {"type": "text", "message_id": "M1", "delta": True, "props": {"content": "Hi"}},
    ) == [("text", {"content": "…Hi"})]


def test_a_change_of_type_replaces_the_whole_message() -> None:
    assert reduced(
        {"type": "loading", "message_id": "M1", "props": {"message": "…"}},
        {
            "type": "text",
            "message_id": "M1",
            "delta": True,
            "type_change": True,
            "props": {"content": "Hi"},
        },
    ) == [("text", {"content": "Hi"})]


def test_messages_are_known_by_thread_and_id_in_order_of_appearance() -> None:
    found = reduced(
        {"type": "text", "message_id": "M1", "delta": True, "props": {"content": "a"}},
        {
            "type": "text",
            "message_id": "M1",
            "thread_id": "T1",
            "delta": True,
            "props": {"content": "b"},
        },
        {"type": "text", "message_id": "M2", "delta": True, "props": {"content": "c"}},
        {"type": "text", "message_id": "M1", "delta": True, "props": {"content": "d"}},
    )
    assert [held["content"] for _, held in found] == ["ad", "b", "c"]


def test_whole_messages_without_an_id_are_messages_of_their_own() -> None:
    found = reduced(
        {"type": "text", "props": {"content": "a"}},
        {"type": "text", "props": {"content": "b"}},
        {"type": "text", "delta": True, "props": {"content": "c"}},
    )
    assert [held["content"] for _, held in found] == ["a", "bc"]


def test_equal_chunks_count_each_time() -> None:
    chunk = {"type": "text", "message_id": "M1", "chunk_id": "C1", "delta": True}
    assert props(*[{**chunk, "props": {"content": "ha"}}] * 3) == {"content": "hahaha"}


@pytest.mark.parametrize(
    "path", [f"a[{MAX_INDEX + 1}]", ".".join(["a"] * (MAX_STEPS + 1)), "a[999999999]"]
)
def test_a_path_that_would_fill_the_memory_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="taken"):
        props(delta("set", path, a=1))


@pytest.mark.parametrize("path", ["", ".", "..", "[]", "[x", "]", "a..b", "[0]", "x.0", 5, None])
def test_strange_paths_do_no_harm(path: object) -> None:
    chunk = {"delta": True, "delta_action": "set", "delta_path": path, "props": {"a": {"b": 1}}}
    assert props({"props": {"x": [1]}}, chunk)["x"] == [1]


LEAF = st.none() | st.booleans() | st.integers(-9, 9) | st.text("xyz", max_size=3)
VALUE = st.recursive(
    LEAF,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)
PROPS = st.dictionaries(st.sampled_from("abc"), VALUE, max_size=3)
CHUNK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_call"]), "message_id": st.sampled_from(["M1", "M2"])},
    optional={
        "props": PROPS,
        "delta": st.booleans(),
        "delta_action": st.sampled_from(["append", "replace", "merge", "set", "other"]),
        "delta_path": st.sampled_from(["a", "b.a", "a[0]", "a[1].b", "props.c", "c.0", ""]),
        "type_change": st.booleans(),
        "thread_id": st.sampled_from(["", "T1"]),
    },
)


@given(st.lists(CHUNK, max_size=12))
def test_no_chunk_is_changed_and_the_result_is_the_same_each_time(chunks: list[Any]) -> None:
    before = copy.deepcopy(chunks)
    first = reduced(*chunks)
    assert chunks == before
    assert reduced(*chunks) == first


@given(st.lists(CHUNK, max_size=12), st.integers(0, 12))
def test_looking_in_between_changes_nothing(chunks: list[Any], at: int) -> None:
    messages = Messages()
    for place, chunk in enumerate(chunks):
        messages.apply(chunk)
        if place == at:
            for message in messages:
                message.props().clear()
                message.prop("a")
    assert [(message.type, message.props()) for message in messages] == reduced(*chunks)


@given(st.text(max_size=40), st.lists(st.integers(0, 40), max_size=8))
def test_any_cut_of_a_text_into_deltas_gives_the_text(text: str, cuts: list[int]) -> None:
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(places)] or [""]
    for action, path in ((None, None), ("append", "content")):
        chunks = (delta(action, path, content=piece) for piece in pieces)
        assert props(*chunks) == {"content": text}


def test_a_million_small_deltas_are_no_work() -> None:
    messages = Messages()
    chunk = {"type": "text", "message_id": "M1", "delta": True, "props": {"content": "word "}}
    for _ in range(200_000):
        messages.apply(chunk)
    [message] = messages
    assert message.prop("content") == "word " * 200_000
