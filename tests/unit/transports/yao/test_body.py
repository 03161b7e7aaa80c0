from __future__ import annotations

import base64
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assay import Environment, FileAccess, Message, Request
from assay_plugins.transports.yao.body import Posted, posted
from assay_plugins.transports.yao.settings import YaoSettings

HELLO = (Message(content="hello"),)


def post(extra: dict[str, object] | None = None, settings: Any = None, **request: Any) -> Posted:
    given: dict[str, Any] = {"messages": HELLO, "chat_id": "assay-1", **request}
    return posted("a.b", Request(**given), settings or YaoSettings(), extra or {})


def test_a_plain_question() -> None:
    found = post()
    address = urlsplit(found.path)
    assert address.path == "/chat/completions"
    assert parse_qs(address.query) == {
        "assistant_id": ["a.b"],
        "accept": ["cui-web"],
        "chat_id": ["assay-1"],
        "locale": ["en-us"],
    }
    assert found.body == {
        "messages": [{"role": "user", "content": "hello"}],
        "skip": {"history": True},
    }
    assert found.notes == ()


def test_the_route_of_experts_has_the_agent_in_its_path() -> None:
    asked = Request(messages=HELLO)
    settings = YaoSettings(route="experts", accept="standard")
    found = posted("a/b ä&c", asked, settings, {})
    assert found.path.startswith("/experts/a%2Fb%20%C3%A4%26c/chat/completions?accept=standard")
    assert "assistant_id" not in found.path


def test_what_stands_in_the_query_is_encoded() -> None:
    asked = Request(messages=HELLO, environment=Environment(locale="a&b=c d"))
    query = urlsplit(posted("a&accept=x", asked, YaoSettings(), {}).path).query
    assert parse_qs(query)["assistant_id"] == ["a&accept=x"]
    assert parse_qs(query)["locale"] == ["a&b=c d"]
    assert parse_qs(query)["accept"] == ["cui-web"]


def test_metadata_connector_and_mode() -> None:
    found = post(
        {"assay_user": "alice"},
        metadata={"a": 1, "assay_user": "?"},
        connector="openai.gpt-4o",
        options={"mode": "task"},
    )
    assert found.body["metadata"] == {"a": 1, "assay_user": "alice"}
    assert found.body["model"] == "openai.gpt-4o"
    assert parse_qs(urlsplit(found.path).query)["mode"] == ["task"]


def test_options_that_steer_the_server_do_so_by_metadata() -> None:
    found = post(options={"disable_global_prompts": True, "search": False})
    steering = {"__disable_global_prompts": True, "__disable_search": True}
    assert found.body["metadata"] == steering
    found = post(options={"disable_global_prompts": False, "search": True})
    assert "metadata" not in found.body


def test_skip_is_passed_on_but_for_what_would_leave_nothing_to_check() -> None:
    skip = {"trace": True, "keyword": True, "output": True, "history": False}
    found = post(options={"skip": skip})
    assert found.body["skip"] == {"trace": True, "keyword": True, "history": True}
    assert [note.split(" is ")[0] for note in found.notes] == ["skip.output", "skip.history"]
    assert post(options={"skip": {"output": False, "history": True}}).notes == ()


@pytest.mark.parametrize("odd", [None, "x", 5, []])
def test_options_of_another_form_are_left_out(odd: object) -> None:
    found = post(options={"skip": odd, "mode": odd if odd != "x" else None})
    assert found.body["skip"] == {"history": True}
    assert "mode=" not in found.path


def test_whole_conversations_and_attached_files(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = (
        Message(role="system", content="Be brief."),
        Message(content=({"type": "image", "source": "file://a.png"},)),
        Message(role="assistant", tool_calls=(call,)),
        Message(role="tool", content="3", tool_call_id="c1", name="f"),
    )
    files = FileAccess(folder=tmp_path, roots=(tmp_path,))
    url = "data:image/png;base64," + base64.b64encode(b"\x89PNG").decode()
    assert post(messages=messages, files=files).body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "image_url", "image_url": {"url": url, "detail": "auto"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": "3", "name": "f", "tool_call_id": "c1"},
    ]
