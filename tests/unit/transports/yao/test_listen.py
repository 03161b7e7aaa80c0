"""The same bytes give the same turn, however they are cut."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_plugins.transports._sse import SseParser
from assay_plugins.transports.yao.cui import CuiReader
from assay_plugins.transports.yao.listen import read_after_error, take
from assay_plugins.transports.yao.standard import StandardReader
from assay_plugins.transports.yao.turn import TurnReader

BARE = '{"error":"server_error","error_description":"Failed to stream: model is gone"}'


def events(*chunks: object) -> str:
    return "".join(
        f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False)}\n\n"
        for chunk in chunks
    )


def text(content: str, name: str = "M1") -> dict[str, Any]:
    return {"type": "text", "message_id": name, "delta": True, "props": {"content": content}}


def end(**data: object) -> dict[str, Any]:
    return {"type": "event", "props": {"event": "stream_end", "data": data}}


CUI = events(
    {"type": "event", "props": {"event": "stream_start", "data": {"context_id": "X1"}}},
    text("Grüße 🚀 "),
    {"type": "tool_call", "message_id": "M2", "props": {"name": "f", "arguments": "{}"}},
    text("你好\r\n\u2028", "M3"),
    text("!", "M3"),
    end(status="completed", usage={"total_tokens": 3}),
)
STANDARD = events(
    {"id": "M1", "choices": [{"delta": {"content": "Grüße 🚀"}}]},
    {"error": {"message": "slow"}},
    {"id": "M1", "choices": [{"delta": {"content": " 你好"}}]},
    "[DONE]",
)


def heard(reader: TurnReader, pieces: list[bytes]) -> tuple[object, ...]:
    parser = SseParser()
    for piece in pieces:
        for item in parser.feed(piece):
            take(item, reader)
    for item in parser.close():
        take(item, reader)
    return reader.told(), reader.errors(), reader.ending


def cut(data: bytes, places: list[int]) -> list[bytes]:
    return [data[a:b] for a, b in pairwise(sorted({0, len(data), *places}))]


STREAMS = {
    "cui": CUI,
    "cui with an error between": events(text("a")) + BARE + events(text("b")),
    "cui with an error behind": events(text("a"), end(status="error", error="no")) + BARE,
    "cui that breaks off": CUI[:-60],
    "standard": STANDARD,
    "standard with an error behind": STANDARD + BARE,
}


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@given(data=st.data())
def test_any_chunking_of_the_same_bytes_gives_the_same_turn(
    name: str, line_end: str, data: st.DataObject
) -> None:
    sent = ("\ufeff: hello\n\n" + STREAMS[name]).replace("\n", line_end).encode()
    places = data.draw(st.lists(st.integers(0, len(sent)), max_size=20))
    reader = StandardReader if name.startswith("standard") else CuiReader
    assert heard(reader(), cut(sent, places)) == heard(reader(), [STREAMS[name].encode()])


@given(st.integers(0, len(CUI.encode())))
def test_a_stream_that_dies_at_any_byte_is_no_success(at: int) -> None:
    sent = CUI.encode()
    reader = CuiReader()
    heard(reader, [sent[:at]])
    # The empty line behind the last event may be missing, and so may its line end.
    assert reader.ending.is_complete == (at >= len(sent) - 2)


def test_the_whole_turn_is_heard() -> None:
    reader = CuiReader()
    heard(reader, [CUI.encode()])
    assert reader.told().text == "你好\r\n\u2028!"
    assert reader.ending.is_complete


def test_an_error_between_events_loses_none_of_them() -> None:
    reader = CuiReader()
    heard(reader, [STREAMS["cui with an error between"].encode()])
    assert reader.told().text == "ab"
    assert reader.ending.bare_error == "Failed to stream: model is gone"


def test_a_large_event_is_one_event() -> None:
    reader = CuiReader()
    large = "x" * 5_000_000
    sent = events(text(large), end(status="completed")).encode()
    heard(reader, [sent[at : at + 65_536] for at in range(0, len(sent), 65_536)])
    assert reader.told().text == large


def test_the_events_behind_an_error_status_are_the_partial_text() -> None:
    reader = CuiReader()
    body = (BARE + events(text("Hel"), text("lo"))).encode()
    assert read_after_error(body, reader) == BARE.encode()
    assert reader.told().text == "Hello"


@pytest.mark.parametrize("body", [b"", b"404 page not found", b"<html>", b"[1]", b"\xff\xfe"])
def test_other_bodies_are_given_whole(body: bytes) -> None:
    assert read_after_error(body, CuiReader()) == body
