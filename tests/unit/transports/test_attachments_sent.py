"""Content parts as they are sent, with their files inlined."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from assay import AgentError, FileAccess, Message
from assay_plugins.transports._attachments import message_to_send, part_to_send
from assay_plugins.transports._media import media_type


@pytest.fixture
def files(tmp_path: Path) -> FileAccess:
    for name in ("a.png", "b.WAV", "c.md", "d"):
        (tmp_path / name).write_bytes(b"\x00\xff" + name.encode())
    return FileAccess(folder=tmp_path, roots=(tmp_path,))


def encoded(name: str) -> str:
    return base64.b64encode(b"\x00\xff" + name.encode()).decode()


PNG = f"data:image/png;base64,{encoded('a.png')}"


@pytest.mark.parametrize("key", ["source", "url"])
def test_image(files: FileAccess, key: str) -> None:
    assert part_to_send({"type": "image", key: "file://a.png"}, files) == {
        "type": "image_url",
        "image_url": {"url": PNG, "detail": "auto"},
    }


def test_image_elsewhere(files: FileAccess) -> None:
    part = {"type": "image", "source": "https://x/a.png", "detail": "low"}
    assert part_to_send(part, files) == {
        "type": "image_url",
        "image_url": {"url": "https://x/a.png", "detail": "low"},
    }


def test_image_url(files: FileAccess) -> None:
    part = {"type": "image_url", "image_url": {"url": "file://a.png", "detail": "high"}}
    assert part_to_send(part, files)["image_url"] == {"url": PNG, "detail": "high"}
    plain = {"type": "image_url", "image_url": "file://a.png"}
    assert part_to_send(plain, files)["image_url"] == PNG


@pytest.mark.parametrize(
    "part",
    [
        {"type": "audio", "source": "file://b.WAV"},
        {"type": "input_audio", "source": "file://b.WAV"},
        {"type": "input_audio", "input_audio": {"data": "file://b.WAV"}},
    ],
)
def test_audio(files: FileAccess, part: dict[str, object]) -> None:
    assert part_to_send(part, files) == {
        "type": "input_audio",
        "input_audio": {"data": encoded("b.WAV"), "format": "wav"},
    }


def test_audio_whose_format_is_said(files: FileAccess) -> None:
    part = {"type": "input_audio", "input_audio": {"data": "file://d", "format": "mp3"}}
    assert part_to_send(part, files)["input_audio"] == {"data": encoded("d"), "format": "mp3"}


def test_file(files: FileAccess) -> None:
    markdown = f"data:text/markdown;base64,{encoded('c.md')}"
    assert part_to_send({"type": "file", "source": "file://c.md"}, files) == {
        "type": "file",
        "file": {"url": markdown, "filename": "c.md"},
    }
    named = part_to_send({"type": "file", "url": "file://c.md", "name": "n.md"}, files)
    assert named["file"] == {"url": markdown, "filename": "n.md"}
    long = {"type": "file", "file": {"file_data": "file://d", "filename": "d"}}
    assert part_to_send(long, files)["file"] == {
        "file_data": f"data:application/octet-stream;base64,{encoded('d')}",
        "filename": "d",
    }


def test_other_parts_stay_as_they_are(files: FileAccess) -> None:
    for part in (
        {"type": "text", "text": "file://a.png"},
        {"type": "custom", "text": "x", "deep": {"list": [1, None]}},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}},
    ):
        assert part_to_send(part, files) == part


def test_a_part_of_a_form_that_nobody_knows(files: FileAccess) -> None:
    part = {"type": "custom", "sources": [{"url": "file://a.png"}, "plain", 1]}
    assert part_to_send(part, files)["sources"] == [{"url": PNG}, "plain", 1]


def test_a_file_that_is_gone(files: FileAccess) -> None:
    with pytest.raises(AgentError, match="attachment file://gone"):
        part_to_send({"type": "image", "source": "file://gone"}, files)


def test_messages(files: FileAccess) -> None:
    assert message_to_send(Message(content="hi"), files) == {"role": "user", "content": "hi"}
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    assert message_to_send(Message(role="assistant", tool_calls=(call,)), files) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [call],
    }
    answer = Message(role="tool", content="3", tool_call_id="1", name="f")
    assert message_to_send(answer, files) == {
        "role": "tool",
        "content": "3",
        "tool_call_id": "1",
        "name": "f",
    }
    refusal = Message(role="assistant", content="no", refusal="no")
    assert message_to_send(refusal, files)["refusal"] == "no"
    parts = Message(content=({"type": "image", "source": "file://a.png"},))
    assert message_to_send(parts, files)["content"] == [
        {"type": "image_url", "image_url": {"url": PNG, "detail": "auto"}}
    ]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.JPG", "image/jpeg"),
        ("a.tsx", "text/typescript"),
        ("app.yao", "application/json"),
        ("x.tar.gz", "application/x-tar"),
        (".png", "application/octet-stream"),
        ("Makefile", "application/octet-stream"),
    ],
)
def test_media_types(name: str, kind: str) -> None:
    assert media_type(name) == kind
