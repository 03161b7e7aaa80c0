"""The ``http`` transport: templates of bodies, and paths of answers."""

from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest

from assay import (
    AgentError,
    AgentRef,
    ConfigError,
    Environment,
    Message,
    RateLimited,
    Request,
    Response,
    Secret,
    TransportError,
)
from assay.testing import check_transport
from assay_plugins.transports.http import Http
from scripted_server import Asked, Script, ScriptedServer, Silence, Step, whole

LIMIT = 20.0
REQUEST = Request(
    messages=(Message(role="system", content="Be brief."), Message(content='say "hi"')),
    environment=Environment(user_id="u1", team_id="t1"),
    chat_id="chat-1",
    metadata={"page": 3},
)


def http_of(target: str, **settings: Any) -> Http:
    agent = AgentRef(transport="http", target=target, name=target)
    return Http(agent, Http.Settings(**settings))


def ask(
    *steps: Step, asked: list[Asked] | None = None, request: Request = REQUEST, **settings: Any
) -> Response:
    async def go(transport: Http) -> Response:
        async with asyncio.timeout(LIMIT), transport:
            assert await transport.info() is None
            return await transport.send(request)

    with ScriptedServer(lambda _: steps) as server:
        try:
            return asyncio.run(go(http_of(f"{server.url}/ask?key=secret", **settings)))
        finally:
            assert not server.faults
            if asked is not None:
                asked += server.asked


def body_of(body: object) -> Any:
    asked: list[Asked] = []
    ask(whole("ok"), asked=asked, body=body)
    return asked[0].json


def refused(**settings: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        http_of("http://x/", **settings)
    return str(caught.value)


def test_a_request() -> None:
    asked: list[Asked] = []
    headers = {"X-Key": Secret("secret-of-mine"), "X-Format": "json"}
    ask(whole("ok"), asked=asked, method="PUT", headers=headers)
    assert (asked[0].method, asked[0].target) == ("PUT", "/ask?key=secret")
    assert asked[0].headers["x-key"] == "secret-of-mine"
    assert asked[0].headers["x-format"] == "json"
    assert asked[0].json == {"input": 'say "hi"'}


@pytest.mark.parametrize(
    ("template", "body"),
    [
        ({"question": "$input"}, {"question": 'say "hi"'}),
        ('{"question": "$input"}', {"question": 'say "hi"'}),
        ('"$input"', 'say "hi"'),
        (
            {"who": {"user": "$user", "team": "$team"}, "chat": ["$chat_id", 1, None]},
            {"who": {"user": "u1", "team": "t1"}, "chat": ["chat-1", 1, None]},
        ),
        ({"text": "$user asks: $input, $metadata"}, {"text": 'u1 asks: say "hi", {"page":3}'}),
        ({"price": "$$5", "$$key": "$$", "a": "5$"}, {"price": "$5", "$key": "$", "a": "5$"}),
        ({"metadata": "$metadata"}, {"metadata": {"page": 3}}),
        (
            {"messages": "$messages"},
            {
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": 'say "hi"'},
                ]
            },
        ),
    ],
)
def test_templates(template: object, body: object) -> None:
    assert body_of(template) == body


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({"a": ["$inptu"]}, "no value $inptu; did you mean 'input'?"),
        ({"$input": 1}, "no value $input"),
        ("{question: $input}", "not JSON"),
        ({"when": date(2026, 1, 1)}, "put dates in quotes"),
    ],
)
def test_what_is_no_template(template: object, said: str) -> None:
    assert f"[transport.http] body: {said}" in refused(body=template) or said in refused(
        body=template
    )


@pytest.mark.parametrize(
    ("answer", "path", "output"),
    [
        ({"a": {"b": "text"}}, "$.a.b", "text"),
        ({"a": {"b": "text"}}, "a.b", "text"),
        ([{"b": 5}], "[0].b", 5),
        ({"a": None}, "$.a", None),
        ({"a": [{"b": 1}, {"b": 2}]}, "$.a[*].b", [1, 2]),
        ({"a": {"b": [1]}}, "$.a", {"b": [1]}),
        ("plain text", None, "plain text"),
        ('"quoted"', None, "quoted"),
        ({"a": 1}, None, {"a": 1}),
        ("\ufeff{}", None, {}),
    ],
)
def test_answers(answer: object, path: str | None, output: object) -> None:
    response = ask(whole(answer), answer=path)
    assert response.output == output
    assert response.unknown == {"reasoning", "tool_calls", "tool_results", "usage"}


def test_an_empty_answer() -> None:
    assert ask(whole("")).is_empty


def test_nothing_at_the_path() -> None:
    with pytest.raises(AgentError) as caught:
        ask(whole({"b": "x" * 1000}), answer="$.a")
    assert '/ask: the answer has nothing at $[\'a\']: {"b":"xxx' in str(caught.value)
    assert len(str(caught.value)) < 450
    with pytest.raises(TransportError, match="not JSON"):
        ask(whole("plain text"), answer="$.a")


@pytest.mark.parametrize("path", ["", "$.a[", "a b", "$.a[?@.b]", "$[999999999999999999999]"])
def test_what_is_no_path(path: str) -> None:
    assert "[transport.http] answer" in refused(answer=path)


@pytest.mark.parametrize("headers", [{"X Y": "a"}, {"": "a"}, {"X": "a\r\nY: b"}, {"Ä": "a"}])
def test_what_is_no_header(headers: dict[str, str]) -> None:
    assert "[transport.http] headers" in refused(headers=headers)


def test_errors() -> None:
    with pytest.raises(RateLimited):
        ask(whole("slow down", 429))
    with pytest.raises(AgentError, match="HTTP 500: it broke"):
        ask(whole({"message": "it broke"}, 500))


@pytest.mark.parametrize("target", ["x", "ftp://x/", "http://me:secret@x/"])
def test_what_is_no_address(target: str) -> None:
    with pytest.raises(ConfigError):
        http_of(target)


def test_the_contract() -> None:
    def answer(asked: Asked) -> Script:
        text = asked.json["input"]
        if text == "fail":
            return [whole({"error": {"message": "no"}}, 400)]
        return [Silence()] if text == "wait" else [whole("ok")]

    with ScriptedServer(answer) as server:
        check_transport(
            Http,
            server.url,
            failing=[Request(messages=(Message(content="fail"),))],
            slow=Request(messages=(Message(content="wait"),)),
        )
