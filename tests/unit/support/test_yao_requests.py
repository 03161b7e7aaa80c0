"""The stand-in refuses and understands requests as the reference says (§1)."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from yao_server import ALICE, BOB, CLI, EXPIRED, KEY

USER = {"role": "user", "content": "hi"}
NOT_TAKEN: list[tuple[dict[str, Any], str]] = [
    ({"assistant": ""}, "assistant_id is required"),
    ({"body": b""}, "messages field is required"),
    ({"body": {"messages": []}}, "messages field is required"),
    ({"body": b"{"}, "invalid JSON"),
    ({"body": b'{"messages": [NaN]}'}, "NaN is not JSON"),
    ({"body": ["hi"]}, "value of type CompletionRequest"),
    ({"body": {"messages": "hi"}}, "struct field CompletionRequest.messages of type []"),
    ({"body": {"messages": [USER], "model": 4}}, "CompletionRequest.model of type string"),
    ({"body": {"messages": [USER], "metadata": "x"}}, "map[string]interface {}"),
    ({"body": {"messages": [USER], "stream": "yes"}}, "stream of type bool"),
    ({"body": {"messages": [USER], "max_tokens": 1.0}}, "max_tokens of type int"),
    ({"body": {"messages": [USER], "temperature": "0"}}, "temperature of type float64"),
    ({"body": {"messages": [USER], "skip": {"history": 1}}}, "Skip.history of type bool"),
    ({"body": {"messages": [USER], "skip": []}}, "value of type Skip"),
    ({"body": {"messages": [USER], "route": {}}}, "route of type string"),
    ({"body": {"messages": [{"role": "user", "content": 4}]}}, "Message.content"),
    ({"body": {"messages": [{"role": "user", "content": {}}]}}, "Message.content"),
    ({"body": {"messages": [{"role": "user", "content": ["hi"]}]}}, "ContentPart"),
    (
        {"body": {"messages": [{"role": "user", "content": [{"type": "sound"}]}]}},
        "invalid content part type 'sound'",
    ),
    ({"body": {"messages": [{"role": "robot", "content": ""}]}}, "message role 'robot'"),
    ({"body": {"messages": [{**USER, "tool_calls": {}}]}}, "Message.tool_calls"),
    ({"body": {"messages": [USER]}, "path": "/chat/completions", "assistant": ""}, "required"),
]


def described(response: Any) -> tuple[int, str, str]:
    body = response.json()
    return response.status_code, body["error"], body["error_description"]


@pytest.mark.parametrize(
    "given",
    [
        {"assistant": "", "headers": {"X-Yao-Assistant": "echo"}},
        {"assistant": "", "path": "/experts/echo/chat/completions"},
        {"assistant": "", "body": {"model": "yao-agents-x-gpt-yao_echo", "messages": [USER]}},
        {"assistant": "", "body": {"messages": [USER]}, "model": "a-yao_b-yao_echo"},
        {"assistant": "echo", "headers": {"X-Yao-Assistant": "other"}},
        {"assistant": "other", "path": "/experts/echo/chat/completions"},
    ],
)
def test_the_assistant_is_found_where_the_reference_says(
    serve: Callable[..., Any], given: dict[str, Any]
) -> None:
    client = serve()

    assert client.ask(**given).status_code == 200

    (turn,) = client.server.log.turns
    assert turn.asked.assistant_id == "echo"


@pytest.mark.parametrize(("given", "said"), NOT_TAKEN)
def test_what_the_decoder_does_not_take_is_a_400(
    serve: Callable[..., Any], given: dict[str, Any], said: str
) -> None:
    status, code, description = described(serve().ask(**given))

    assert (status, code) == (400, "invalid_request")
    assert description.startswith("Failed to parse request: ")
    assert said in description


def test_all_kinds_of_content_are_taken_and_unknown_fields_ignored(
    serve: Callable[..., Any],
) -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
        {"type": "file", "file": {"url": "data:,x", "filename": "x.txt"}},
        {"type": "data", "data": {"any": 1}},
    ]
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    conversation = [
        {"role": "system", "content": "s"},
        {"role": "developer", "content": "d"},
        {"role": "assistant", "content": None, "tool_calls": [call], "unheard": 1},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        {"role": "user", "content": parts, "name": "u"},
    ]
    client = serve()

    answer = client.ask(body={"messages": conversation, "stream": False, "options": 1, "n": "x"})

    assert answer.status_code == 200
    (turn,) = client.server.log.turns
    assert turn.asked.messages == tuple(conversation)


def test_a_query_can_hold_all_of_it(serve: Callable[..., Any]) -> None:
    client = serve()

    answer = client.ask(
        "", body=b"", model="m-yao_echo", messages=json.dumps([USER]), metadata='{"a": 1}'
    )

    assert answer.status_code == 200
    (turn,) = client.server.log.turns
    assert turn.asked.messages == (USER,)
    assert turn.asked.metadata == {"a": 1}


def test_query_beats_header_beats_body(serve: Callable[..., Any]) -> None:
    client = serve()
    names = ("accept", "referer", "chat_id", "locale", "theme", "mode")
    body = {
        "messages": [USER],
        "route": "/body",
        "metadata": dict(zip(names, ("cui-native", "mcp", "c3", "FR", "Dark", "m3"), strict=True)),
    }
    headers = {
        "X-Yao-Accept": "cui-desktop",
        "X-Yao-Referer": "tool",
        "X-Yao-Chat": "c2",
        "Accept-Language": "ZH-cn;q=0.8,en",
        "X-Yao-Theme": "Light",
        "X-Yao-Mode": "m2",
        "X-Yao-Route": "/header",
    }
    query = dict(zip(names, ("cui-web", "script", "c1", "EN-us", "Blue", "m1"), strict=True))

    client.ask(body=body, headers=headers, **query, route="/query")
    client.ask(body=body, headers=headers)
    client.ask(body=body)
    client.ask(headers={"User-Agent": "httpx"})

    heard = [
        tuple(getattr(turn.asked, name) for name in (*names, "route"))
        for turn in client.server.log.turns
    ]
    assert heard[:3] == [
        ("cui-web", "script", "c1", "en-us", "blue", "m1", "/query"),
        ("cui-desktop", "tool", "c2", "zh-cn", "light", "m2", "/header"),
        ("cui-native", "mcp", "c3", "fr", "dark", "m3", "/body"),
    ]
    assert heard[3][:2] == ("standard", "api")
    assert len(heard[3][2]) == 16
    assert heard[3][3:] == ("", "", "", "")


def test_unknown_accept_and_referer_fall_to_their_defaults(serve: Callable[..., Any]) -> None:
    client = serve()

    client.ask(accept="html", referer="test")

    (turn,) = client.server.log.turns
    assert (turn.asked.accept, turn.asked.referer) == ("standard", "api")


@pytest.mark.parametrize(
    ("header", "metadata"),
    [
        (base64.b64encode(b'{"from": "header"}').decode(), {"from": "header"}),
        ('{"from": "header"}', {"from": "header"}),
        ("nonsense", {"from": "body"}),
    ],
)
def test_the_first_valid_metadata_win_whole(
    serve: Callable[..., Any], header: str, metadata: dict[str, str]
) -> None:
    client = serve()

    client.ask(
        body={"messages": [USER], "metadata": {"from": "body"}},
        headers={"X-Yao-Metadata": header},
        metadata="not JSON",
    )

    (turn,) = client.server.log.turns
    assert turn.asked.metadata == metadata


def test_skip_of_the_body_beats_the_query(serve: Callable[..., Any]) -> None:
    client = serve()

    client.ask(body={"messages": [USER], "skip": {"trace": True}}, skip_history="true")
    client.ask(skip_history="1")

    first, second = (turn.asked.skip for turn in client.server.log.turns)
    assert (first["trace"], first["history"]) == (True, False)
    assert second == {"history": True}


@pytest.mark.parametrize(
    ("agent", "kind"),
    [("my-agent/1", "agent"), ("X (iPad)", "ios"), ("Mac OS X", "macos"), ("curl", "web")],
)
def test_the_client_type_comes_from_the_user_agent(
    serve: Callable[..., Any], agent: str, kind: str
) -> None:
    client = serve()

    client.ask(headers={"User-Agent": agent, "X-Forwarded-For": "10.0.0.9, 10.0.0.1"})

    (turn,) = client.server.log.turns
    assert (turn.asked.client_type, turn.asked.client_ip) == (kind, "10.0.0.9")


def test_a_chat_is_kept_unless_history_is_skipped(serve: Callable[..., Any]) -> None:
    client = serve()

    def heard(skip: bool) -> str:
        body = {"messages": [USER], "skip": {"history": skip}}
        chunks = client.chunks("count", body=body, chat_id="c")
        return "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[1:])

    assert [heard(True), heard(False), heard(False), heard(True), heard(False)] == list("11213")


def test_a_longer_conversation_finds_its_chat_again(serve: Callable[..., Any]) -> None:
    client = serve()
    answer = {"role": "assistant", "content": "hi"}

    client.ask(body={"messages": [USER]})
    client.ask(body={"messages": [USER, answer, USER]})
    client.ask(body={"messages": [USER, USER]})

    first, second, third = (turn.asked.chat_id for turn in client.server.log.turns)
    assert first != second
    assert third == first


def test_tokens_are_looked_at_before_anything_else(serve: Callable[..., Any]) -> None:
    client = serve()

    missing = client.ask(token=None, body=b"{")
    unknown = client.ask(token="no.such.token")
    expired = client.ask(token=EXPIRED.token)

    assert described(missing)[:2] == (401, "token_missing")
    assert described(unknown)[:2] == (401, "invalid_token")
    assert described(expired)[:2] == (401, "invalid_refresh_token")
    assert unknown.headers["WWW-Authenticate"].startswith('Bearer realm="OAuth", error="invalid_')


def test_a_token_may_stand_bare_or_in_a_cookie(serve: Callable[..., Any]) -> None:
    client = serve()

    bare = client.ask(token=None, headers={"Authorization": BOB.token})
    cookie = client.ask(token=None, headers={"Cookie": f"a=1; __Host-access_token={ALICE.token}"})

    assert (bare.status_code, cookie.status_code) == (200, 200)
    assert [turn.account for turn in client.server.log.turns] == [BOB, ALICE]


def test_identity_comes_from_the_token_alone(serve: Callable[..., Any]) -> None:
    client = serve()
    body = {"messages": [USER], "metadata": {"user_id": "root"}, "user": "root"}

    chunks = client.chunks("whoami", body=body, user="root", headers={"X-User": "root"})

    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[1:])
    assert text == "alice@red"


def test_scopes_decide_who_may_use_which_route(serve: Callable[..., Any]) -> None:
    client = serve()
    experts = {"assistant": "", "path": "/experts/echo/chat/completions"}

    refused = client.ask(token=KEY.token)

    assert described(refused)[:2] == (403, "insufficient_scope")
    assert refused.json()["missing_scopes"] == ["chat:completions:write:all"]
    assert client.ask(token=KEY.token, **experts).status_code == 200
    assert client.ask(token=CLI.token).status_code == 403
    assert client.ask(token=CLI.token, **experts).status_code == 403
    assert client.get("/agent/assistants/echo/info", KEY.token).status_code == 403
    assert client.get("/models", KEY.token).status_code == 200


def test_an_unknown_assistant_is_a_500(serve: Callable[..., Any]) -> None:
    status, code, description = described(serve().ask("nobody"))

    assert (status, code) == (500, "server_error")
    assert description.startswith("Failed to get assistant: ")


@pytest.mark.parametrize("path", ["/v2/chat/completions", "/chat/completions", "/", "/v1/chat"])
def test_a_wrong_path_is_a_plain_404(serve: Callable[..., Any], path: str) -> None:
    client = serve()

    answer = client.http.post(client.server.url + path, json={})

    assert (answer.status_code, answer.text) == (404, "404 page not found")
    assert answer.headers["Content-Type"] == "text/plain"


def test_the_seed_revision_has_no_experts_and_no_discovery(serve: Callable[..., Any]) -> None:
    client = serve(experts=False, well_known=False)

    known = client.http.get(client.server.url + "/.well-known/yao")
    expert = client.ask("", path="/experts/echo/chat/completions")

    assert (known.status_code, expert.status_code) == (404, 404)


def test_discovery_names_the_base_path(serve: Callable[..., Any]) -> None:
    client = serve(base="/api/openapi")

    known = client.http.get(client.server.url + "/.well-known/yao").json()

    assert known["openapi"] == "/api/openapi"
    assert client.ask().status_code == 200


def test_placeholders_answer(serve: Callable[..., Any]) -> None:
    assert serve().get("/chat/completions").json() == {"message": "placeholder"}
