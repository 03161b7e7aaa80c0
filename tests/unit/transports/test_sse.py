"""Server-sent events, in whatever pieces they come."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_plugins.transports._sse import Event, Item, SseParser, Stray


def parsed(*chunks: bytes) -> list[Item]:
    parser = SseParser()
    items = [item for chunk in chunks for item in parser.feed(chunk)]
    return items + parser.close()


def test_events_are_given_as_soon_as_they_are_whole() -> None:
    parser = SseParser()
    assert parser.feed(b"data: a\n") == []
    assert parser.feed(b"\n") == [Event("a")]
    assert parser.feed(b"data: b\n\ndata: c") == [Event("b")]
    assert parser.close() == [Event("c")]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_ends(end: bytes) -> None:
    text = b"data: a\nevent: x\n\n: comment\ndata:b\ndata:  c\n\n"
    assert parsed(text.replace(b"\n", end)) == [Event("a", "x"), Event("b\n c")]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (b"", []),
        (b"\n\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [Event("a")]),
        (b"\xef\xbb\xbf\n\xef\xbb\xbfdata: a\n\n", [Stray("\ufeffdata: a")]),
        (b"data\n\n", [Event("")]),
        (b"data:\ndata:\n\n", [Event("\n")]),
        (b"data: a\n", [Event("a")]),
        (b"data: a", [Event("a")]),
        (b"event: x\n\ndata: a\n\n", [Event("a")]),
        (b"id: 1\nretry: 5\n:\n: x\n\n", []),
        (b"data: \xc3\xa4\xff\n\n", [Event("ä�")]),
        (b'data: a\n\n{"error": "x"}', [Event("a"), Stray('{"error": "x"}')]),
        (b"data: a\nDATA: b\n\n", [Stray("DATA: b"), Event("a")]),
        (b" data: a\n", [Stray(" data: a")]),
        (b"data: a\x0bb\x0c\x85\xe2\x80\xa8c\n\n", [Event("a\x0bb\x0c�\u2028c")]),
    ],
)
def test_forms(text: bytes, items: Sequence[Item]) -> None:
    assert parsed(text) == items


PIECES = st.sampled_from(
    [b"data: ", b"data:", b"event: e", b": c", b"\n", b"\r", b"\r\n", "ä€😀".encode(), b"x", b"{"]
)
TEXTS = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=30).map(b"".join))


@given(text=TEXTS, data=st.data())
def test_pieces_make_no_difference(text: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert parsed(*chunks) == parsed(text)
    assert parsed(*(text[n : n + 1] for n in range(len(text)))) == parsed(text)


@given(data=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")))
def test_what_is_written_is_read(data: str) -> None:
    assert parsed(f"data: {data}\n\n".encode()) == [Event(data)]


def test_five_megabytes_in_one_event_and_tiny_pieces() -> None:
    # Work that grew with the square of the length would take hours here.
    line = b"data: " + b"x" * 5_000_000 + b"\n\n"
    parser = SseParser()
    items = [item for n in range(0, len(line), 16) for item in parser.feed(line[n : n + 16])]
    assert items == [Event("x" * 5_000_000)]
