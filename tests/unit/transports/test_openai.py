"""The ``openai`` transport, against a server that says every byte as it is told."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay import (
    ABSENT,
    AgentError,
    AgentRef,
    ConfigError,
    FileAccess,
    Message,
    RateLimited,
    Request,
    Response,
    Secret,
    TransportError,
    Usage,
)
from assay.testing import check_transport
from assay_plugins.transports.openai import OpenAI
from scripted_server import (
    Asked,
    Close,
    Reset,
    Script,
    ScriptedServer,
    Silence,
    Step,
    Wait,
    chunk,
    event,
    head,
    stream,
    whole,
)

LIMIT = 20.0
HELLO = Request(messages=(Message(content="hello"),))
KEY = Secret("sk-this-is-a-secret")


def completion(content: object = "hi", reason: Any = "stop", **message: Any) -> Any:
    return {
        "id": "c1",
        "model": "m-2026",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, **message},
                "finish_reason": reason,
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


def delta(reason: str | None = None, **parts: object) -> str:
    return event(
        {
            "id": "c1",
            "model": "m-2026",
            "choices": [{"index": 0, "delta": parts, "finish_reason": reason}],
        }
    )


DONE = event("[DONE]")
STOP = delta("stop")


def transport_of(server: ScriptedServer, target: str = "m", **settings: Any) -> OpenAI:
    settings = {"base_url": f"{server.url}/v1", "api_key": KEY, **settings}
    agent = AgentRef(transport="openai", target=target, name=f"openai:{target}")
    return OpenAI(agent, OpenAI.Settings(**settings))


def ask(
    *steps: Step, request: Request = HELLO, asked: list[Asked] | None = None, **settings: Any
) -> Response:
    async def go(transport: OpenAI) -> Response:
        async with asyncio.timeout(LIMIT), transport:
            return await transport.send(request)

    with ScriptedServer(lambda _: steps) as server:
        try:
            return asyncio.run(go(transport_of(server, **settings)))
        finally:
            assert not server.faults
            if asked is not None:
                asked += server.asked


def streamed(*pieces: str | Step, **how: Any) -> Response:
    return ask(*stream(*pieces, **how), stream=True)


def failed(*steps: Step, **settings: Any) -> AgentError:
    with pytest.raises(AgentError) as caught:
        ask(*steps, **settings)
    assert KEY.reveal() not in str(caught.value)
    return caught.value


def broken(*pieces: str | Step, **how: Any) -> AgentError:
    return failed(*stream(*pieces, **how), stream=True)


def body_of(request: Request = HELLO, **settings: Any) -> dict[str, Any]:
    asked: list[Asked] = []
    ask(whole(completion()), request=request, asked=asked, **settings)
    body: dict[str, Any] = asked[0].json
    return body


# What is sent.


def test_a_request() -> None:
    asked: list[Asked] = []
    ask(whole(completion()), asked=asked)
    assert asked[0].method == "POST"
    assert asked[0].target == "/v1/chat/completions"
    assert asked[0].headers["authorization"] == f"Bearer {KEY.reveal()}"
    assert asked[0].json == {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


def test_settings_are_sent() -> None:
    body = body_of(
        temperature=0, seed=7, max_tokens=9, stream=True, extra_body={"tools": [], "seed": 8}
    )
    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "hello"}],
        "temperature": 0,
        "seed": 8,
        "max_tokens": 9,
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [],
    }


def test_the_connector_is_the_model() -> None:
    assert body_of(Request(messages=(), connector="other"))["model"] == "other"


def test_system_text(tmp_path: Path) -> None:
    file = tmp_path / "system.md"
    file.write_text("\ufeffBe brief.", encoding="utf-8")
    system = {"role": "system", "content": "Be brief."}
    user = {"role": "user", "content": "hello"}
    assert body_of(system="Be brief.")["messages"] == [system, user]
    assert body_of(system_file=file)["messages"] == [system, user]
    own = Request(messages=(Message(role="developer", content="Own."), *HELLO.messages))
    assert body_of(own, system="Be brief.")["messages"] == [
        {"role": "developer", "content": "Own."},
        user,
    ]


def test_files_are_inlined(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    part = {"type": "file", "source": "file://a.txt"}
    request = Request(
        messages=(Message(content=(part,)),),
        files=FileAccess(folder=tmp_path, roots=(tmp_path,)),
    )
    assert body_of(request)["messages"][0]["content"] == [
        {"type": "file", "file": {"url": "data:text/plain;base64,aGVsbG8=", "filename": "a.txt"}}
    ]


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("/v1/", "/v1/chat/completions"),
        ("", "/chat/completions"),
        ("/x/chat/completions", "/x/chat/completions"),
        ("/v1?api-version=1", "/v1/chat/completions?api-version=1"),
    ],
)
def test_addresses(base: str, target: str) -> None:
    async def go(transport: OpenAI) -> None:
        async with asyncio.timeout(LIMIT), transport:
            await transport.send(HELLO)

    with ScriptedServer(lambda _: [whole(completion())]) as server:
        asyncio.run(go(transport_of(server, base_url=f"{server.url}{base}")))
        assert server.asked[0].target == target


def test_no_key_is_sent_where_there_is_none() -> None:
    asked: list[Asked] = []
    ask(whole(completion()), asked=asked, api_key=None)
    assert "authorization" not in asked[0].headers


# Whole answers.


def test_an_answer() -> None:
    assert ask(whole(completion())) == Response(
        text="hi",
        usage=Usage(prompt_tokens=3, completion_tokens=4, total_tokens=7),
        model="m-2026",
        finish_reason="stop",
        ids={"completion": "c1"},
    )


def test_content_as_parts() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
        "b",
        {"type": "image_url"},
        5,
    ]
    response = ask(whole(completion(parts)))
    assert (response.text, response.reasoning) == ("ab", "hm")


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning(key: str) -> None:
    assert ask(whole(completion(**{key: "hm"}))).reasoning == "hm"
    assert ask(whole(completion(**{key: {"odd": 1}}))).reasoning is None


def test_a_refusal() -> None:
    response = ask(whole(completion(None, refusal="I will not.")))
    assert (response.text, response.refusal) == ("I will not.", True)
    in_parts = ask(whole(completion([{"type": "refusal", "refusal": "No."}])))
    assert (in_parts.text, in_parts.refusal) == ("No.", True)


def test_tool_calls() -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
        {"id": "2", "type": "function", "function": {"name": "g", "arguments": "no JSON"}},
        {"id": "3", "function": {"name": "h", "arguments": {"b": 2}}},
        {"id": "4", "type": "custom", "custom": {"name": "i", "input": "[3]"}},
        {"id": "5", "function": {"name": "j", "arguments": ""}},
    ]
    response = ask(whole(completion(None, "tool_calls", tool_calls=calls)))
    assert [(call.id, call.name, call.arguments) for call in response.tool_calls] == [
        ("1", "f", {"a": 1}),
        ("2", "g", "no JSON"),
        ("3", "h", {"b": 2}),
        ("4", "i", [3]),
        ("5", "j", ABSENT),
    ]
    assert response.unknown == {"tool_results"}
    assert not response.is_empty
    old = {"function_call": {"name": "f", "arguments": "{}"}}
    assert [call.name for call in ask(whole(completion(None, **old))).tool_calls] == ["f"]


def test_an_answer_that_was_cut_off_is_shown() -> None:
    response = ask(whole(completion("half", "length")))
    assert response.finish_reason == "length"
    assert "cut off at the token limit" in response.notes[0]


@pytest.mark.parametrize("content", ["", None, []])
def test_an_empty_answer_is_empty(content: object) -> None:
    assert ask(whole(completion(content, "length"))).is_empty


def test_several_answers() -> None:
    value = completion("first")
    value["choices"].append(value["choices"][0])
    response = ask(whole(value))
    assert response.text == "first"
    assert "2 answers" in response.notes[0]


@pytest.mark.parametrize(
    "value", [{}, [], 5, {"choices": []}, {"choices": [5]}, {"choices": [{"message": "x"}]}]
)
def test_what_is_no_completion(value: object) -> None:
    error = failed(whole(value))
    assert "no chat completion" in str(error)
    assert not isinstance(error, TransportError)


def test_errors() -> None:
    error = failed(whole({"error": {"message": "no such model"}}))
    assert str(error).endswith("/v1/chat/completions: no such model")
    with pytest.raises(RateLimited) as caught:
        ask(whole({"error": {"message": "slow down"}}, 429, "Retry-After: 3"))
    assert caught.value.retry_after == 3
    html = failed(whole("<html>\n<b>Bad gateway</b>" + "x" * 1000, 502, kind="text/html"))
    assert isinstance(html, TransportError)
    assert html.retryable
    assert "HTTP 502: <html> <b>Bad gateway</b>xxx" in str(html)
    assert len(str(html)) < 400
    assert "the answer is not JSON" in str(failed(whole("<html>", kind="text/html")))


# Streams.


def test_a_stream() -> None:
    usage = event({"choices": [], "usage": {"prompt_tokens": 1, "total_tokens": 2}})
    response = streamed(
        delta(role="assistant", content=""),
        delta(content="h"),
        delta(content="i"),
        STOP,
        usage,
        DONE,
    )
    assert response == Response(
        text="hi",
        usage=Usage(prompt_tokens=1, total_tokens=2),
        model="m-2026",
        finish_reason="stop",
        ids={"completion": "c1"},
    )


@pytest.mark.parametrize(
    "pieces",
    [
        [delta(content="hi"), DONE],
        [delta(content="hi"), STOP],
        [delta("stop", content="hi")],
        [delta(content="hi"), STOP, DONE],
        [delta(content="hi") + STOP + DONE],
        [delta(content="hi"), STOP.replace("\n", "\r\n"), DONE.replace("\n", "\r")],
        [": comment\n\n", delta(content="hi"), "data: [DONE]"],
        [delta(content="h"), delta(content=[{"type": "text", "text": "i"}]), DONE],
    ],
)
def test_ways_to_say_hi_in_a_stream(pieces: Sequence[str]) -> None:
    assert streamed(*pieces).text == "hi"


def test_an_end_mark_is_enough_though_the_connection_breaks() -> None:
    assert streamed(delta(content="hi"), STOP, ends=False).text == "hi"


def test_an_end_mark_is_enough_though_the_server_stays_on_the_line() -> None:
    assert streamed(delta(content="hi"), STOP, DONE, Silence()).text == "hi"
    assert streamed(delta(content="hi"), DONE, Silence()).text == "hi"


def test_reasoning_and_refusal_in_a_stream() -> None:
    response = streamed(
        delta(reasoning_content="h", content=None),
        delta(reasoning="m"),
        delta(refusal="No"),
        delta(refusal="."),
        DONE,
    )
    assert (response.reasoning, response.text, response.refusal) == ("hm", "No.", True)


def test_tool_calls_from_deltas() -> None:
    def part(index: int | None, own_id: str | None, name: str | None, arguments: str) -> str:
        function = {"arguments": arguments, **({"name": name} if name else {})}
        numbered = {} if index is None else {"index": index}
        return delta(tool_calls=[{**numbered, "id": own_id, "function": function}])

    expected = [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]
    ways = {
        "interleaved": [
            part(0, "a", "f", ""),
            part(1, "b", "g", '{"y"'),
            part(0, None, None, '{"x": '),
            part(1, None, None, ": 2}"),
            part(0, None, None, "1}"),
        ],
        "the same index for all": [part(0, "a", "f", '{"x": 1}'), part(0, "b", "g", '{"y": 2}')],
        "no index": [
            part(None, "a", "f", '{"x": '),
            part(None, None, None, "1}"),
            part(None, "b", "g", '{"y": 2}'),
        ],
        "id and name repeated": [
            part(0, "a", "f", '{"x": '),
            part(0, "a", "f", "1}"),
            part(1, "b", "g", '{"y": 2}'),
        ],
    }
    for way, pieces in ways.items():
        response = streamed(*pieces, delta("tool_calls"), DONE)
        calls = [(call.id, call.name, call.arguments) for call in response.tool_calls]
        assert calls == expected, way
    name_in_pieces = streamed(part(0, "a", "get_", ""), part(0, None, "time", "{}"), DONE)
    assert [call.name for call in name_in_pieces.tool_calls] == ["get_time"]
    old = streamed(
        delta(function_call={"name": "f", "arguments": "{"}),
        delta(function_call={"arguments": "}"}),
        DONE,
    )
    assert [(call.name, call.arguments) for call in old.tool_calls] == [("f", {})]


def test_only_the_first_of_several_answers_in_a_stream() -> None:
    def at(index: int, content: str) -> str:
        return event({"choices": [{"index": index, "delta": {"content": content}}]})

    response = streamed(at(0, "a"), at(1, "x"), at(0, "b"), at(1, "y"), DONE)
    assert response.text == "ab"
    assert "2 answers" in response.notes[0]


def test_a_server_that_does_not_stream() -> None:
    assert ask(whole(completion()), stream=True).text == "hi"


def test_a_server_that_streams_unasked() -> None:
    assert ask(*stream(delta(content="hi"), DONE)).text == "hi"


@pytest.mark.parametrize("ends", [True, False])
def test_a_stream_without_its_end_mark(ends: bool) -> None:
    error = broken(delta(content="half"), ends=ends)
    assert isinstance(error, TransportError)
    assert not error.retryable
    assert error.partial == "half"
    assert "stopped without its end mark" in str(error) or "broke off" in str(error)


def test_an_empty_stream() -> None:
    assert "without its end mark" in str(broken())


def test_a_stream_that_is_interrupted_behind_done() -> None:
    # Some servers write [DONE] when they cut a stream off, and then drop the connection.
    error = broken(delta(content="half"), DONE, Close(), ends=False)
    assert error.partial == "half"
    assert "broke off" in str(error)


@pytest.mark.parametrize(
    "appended",
    [
        event({"error": {"message": "out of memory"}}),
        event({"error": "out of memory"}),
        "event: error\n" + event({"message": "out of memory"}),
        "event: error\n" + event("out of memory"),
        json.dumps({"error": {"message": "out of memory"}}),
        json.dumps({"error": {"message": "out of memory"}}, indent=1) + "\n",
    ],
)
@pytest.mark.parametrize("before", [[], [STOP], [STOP, DONE]])
def test_an_error_within_a_stream(appended: str, before: list[str]) -> None:
    error = broken(delta(content="half"), *before, appended)
    assert str(error).endswith("/v1/chat/completions: out of memory")
    assert error.partial == "half"


def test_lines_that_are_no_events() -> None:
    error = broken(delta(content="half"), "<html>\n", DONE)
    assert "no event: <html>" in str(error)
    assert error.partial == "half"


def test_data_that_is_not_json() -> None:
    error = broken(delta(content="half"), event('{"choices": ['), DONE)
    assert isinstance(error, TransportError)
    assert "not JSON" in str(error)
    assert error.partial == "half"
    late = broken(delta("stop", content="half"), event("{"), ends=False)
    assert "not JSON" in str(late)


@pytest.mark.parametrize(
    "odd",
    [
        event([]),
        event("5"),
        event("null"),
        event({"choices": None}),
        event({"choices": [None, 5]}),
        event({"choices": [{"delta": None}]}),
        event('{"choices": [{"delta": {"tool_calls": [null, {}]}}]}'),
        event({"choices": [{"index": "x", "delta": {"content": "x"}}]}),
        event({"usage": {"prompt_tokens": "many"}, "choices": []}),
    ],
)
def test_odd_chunks_break_nothing(odd: str) -> None:
    response = streamed(odd, delta(content="hi"), odd, STOP, DONE)
    assert response.text == "hi"
    assert not response.tool_calls


def test_dying_at_any_byte() -> None:
    said = b"".join(
        step
        for step in stream(delta(content="h"), delta("stop", content="i"), DONE)
        if isinstance(step, bytes)
    )
    marked = said.index(b'"finish_reason": "stop"')
    whole_from = said.index(b"\n\n", marked) + 2

    def answer(asked: Asked) -> Script:
        return [said[: cuts[asked.json["seed"]]], Reset() if asked.json["seed"] % 2 else Close()]

    cuts = list(range(0, len(said), 3))

    async def go(server: ScriptedServer) -> list[Response | BaseException]:
        async def one(number: int) -> Response:
            async with transport_of(server, stream=True, seed=number) as transport:
                return await transport.send(HELLO)

        async with asyncio.timeout(LIMIT):
            numbers = range(len(cuts))
            return await asyncio.gather(*map(one, numbers), return_exceptions=True)

    with ScriptedServer(answer) as server:
        results = asyncio.run(go(server))
    for cut, result in zip(cuts, results, strict=True):
        if cut >= whole_from:
            assert isinstance(result, Response), cut
            assert result.text == "hi"
        else:
            assert isinstance(result, TransportError), (cut, result)
            assert result.retryable == (cut == 0)
            assert result.partial in (None, "h", "hi")


def test_a_slow_stream_in_pieces() -> None:
    text = delta(content="ä€") + STOP + DONE
    pieces: list[str | Step] = []
    for byte in chunk(text):
        pieces += [bytes([byte]), Wait(0)]
    steps = [head(200, "Content-Type: text/event-stream", "Transfer-Encoding: chunked"), *pieces]
    response = ask(*(step for step in steps if not isinstance(step, str)), chunk(""), stream=True)
    assert response.text == "ä€"


def test_a_thousand_streams_at_once() -> None:
    numbers = itertools.count()

    async def go(transport: OpenAI) -> list[Response]:
        async with asyncio.timeout(60), transport:
            return await asyncio.gather(*(transport.send(HELLO) for _ in range(1000)))

    def answer(_: Asked) -> Script:
        return stream(delta(content=f"{next(numbers)} "), delta(content="x"), STOP, DONE)

    with ScriptedServer(answer) as server:
        responses = asyncio.run(go(transport_of(server, stream=True)))
    assert sorted(int(response.text.split()[0]) for response in responses) == list(range(1000))
    assert not server.faults


# What is wrong before anything is asked.


def made(target: str = "m", **settings: Any) -> OpenAI:
    agent = AgentRef(transport="openai", target=target, name="x")
    return OpenAI(agent, OpenAI.Settings(**settings))


def test_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="the model is missing"):
        made("", api_key=KEY)
    with pytest.raises(ConfigError, match="no API key; set OPENAI_API_KEY"):
        made()
    with pytest.raises(ConfigError, match="base_url"):
        made(base_url="localhost:8080")


def test_a_system_file_that_cannot_be_read(tmp_path: Path) -> None:
    async def go() -> None:
        async with made(api_key=KEY, system_file=tmp_path / "none.md"):
            pass

    with pytest.raises(ConfigError, match=r"system_file .*none\.md: cannot be read"):
        asyncio.run(go())


def test_two_system_texts(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="exclude each other"):
        OpenAI.Settings(system="x", system_file=tmp_path)


def test_the_contract() -> None:
    def answer(asked: Asked) -> Script:
        text = asked.json["messages"][-1]["content"]
        if text == "fail":
            return [whole({"error": {"message": "no"}}, 400)]
        return [Silence()] if text == "wait" else [whole(completion())]

    with ScriptedServer(answer) as server:
        check_transport(
            OpenAI,
            "m",
            settings=OpenAI.Settings(base_url=server.url),
            failing=[Request(messages=(Message(content="fail"),))],
            slow=Request(messages=(Message(content="wait"),)),
        )
