"""§2.2: ``accept=standard`` and all that it loses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay import Usage
from yao_server import Agent, Call, Next, Raw, Say, Send, Think, Use

STANDARD = ("transport.yao.accept=standard",)
LINK = "🚀 Agent is working - [View](http://localhost:8000/trace/20260101123456789012/view)\n"


@pytest.fixture
def standard(yao: Any) -> Any:
    """A server that is asked for this format."""
    yao.sets.extend(STANDARD)
    return yao


def test_the_format_is_asked_for(standard: Any) -> None:
    standard.response()

    assert standard.server.log.turn("a").param("accept") == "standard"


@pytest.mark.parametrize("reasons", [False, True])
@pytest.mark.parametrize("locale", ["en-us", "zh-cn", "xx"])
def test_the_link_to_the_trace_is_no_part_of_the_answer(
    standard: Any, locale: str, reasons: bool
) -> None:
    agent = Agent(id="a", script=(Think(text="Hm"), Say(text="fine")), reasons=reasons)

    response = standard.response(agent=agent, locale=locale)

    assert (response.text, response.reasoning) == ("fine", "Hm")
    assert response.ids["trace"] == standard.server.log.turn("a").trace_id


def test_a_link_that_the_agent_wrote_stays(standard: Any) -> None:
    assert standard.response(Say(text=LINK, pieces=1)).text == LINK


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        LINK.removesuffix("\n"),
        LINK.replace("20260101123456789012", "123"),
        LINK.replace("🚀", "🎉"),
        f"so: {LINK}",
    ],
)
def test_a_text_without_id_that_is_no_link_stays(standard: Any, text: str) -> None:
    lost = b'data: {"id":"","choices":[{"index":0,"delta":{"content":%b}}]}\n\n'
    response = standard.response(Raw(data=lost % json.dumps(text).encode()), Say(text="."))

    assert response.text == f"{text}."


def test_what_the_format_loses_is_unknown_and_not_empty(serve: Any) -> None:
    yao = serve(traces=False)
    yao.sets.extend(STANDARD)

    response = yao.response(
        Say(text="Looking. "),
        Call(name="weather__now", arguments={"city": "Oslo"}, result=4),
        Say(text="Four."),
        Use(prompt_tokens=3, completion_tokens=2),
        Next(data={"x": 1}),
    )

    assert {"data", "tool_calls", "tool_results", "usage"} <= response.unknown
    assert response.usage is None
    assert (response.text, response.full_text) == ("Four.", "Looking. Four.")


def test_a_trace_brings_them_back(standard: Any) -> None:
    response = standard.response(
        Call(name="weather__now", arguments={"city": "Oslo"}, result=4),
        Say(text="Four."),
        Use(prompt_tokens=3, completion_tokens=2),
        Next(data={"x": 1}),
    )

    (call,) = response.tool_calls
    assert (call.name, call.arguments, call.result) == ("weather__now", {"city": "Oslo"}, 4)
    assert response.data == {"x": 1}
    assert response.text == "Four."
    assert response.usage == Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    assert not response.unknown & {"data", "tool_calls", "tool_results"}


def test_links_of_other_messages_are_text_as_they_come(standard: Any) -> None:
    response = standard.response(
        Send(type="image", props={"alt": "A", "url": "/a.png"}),
        Send(type="loading", props={"message": "Wait"}),
        Send(type="action", props={"name": "open"}),
        Say(text="fine"),
    )

    assert response.text == "![A](/a.png)fine"
    assert response.reasoning == "Wait"


def test_text_that_was_replaced_comes_twice(standard: Any) -> None:
    first = Send(type="text", props={"content": "ab"}, message_id="M1")
    other = Send(
        type="text", props={"content": "cd"}, message_id="M1", delta=True, delta_action="replace"
    )

    assert standard.response(first, other).text == "abcd"


@pytest.mark.parametrize(
    "chunk",
    [
        b'data: {"id":"M1","choices":[]}\n\n',
        b'data: {"id":"M1"}\n\n',
        b'data: {"id":"M1","choices":[{"index":0,"delta":{},"finish_reason":null}]}\n\n',
        b'data: {"id":"M1","choices":[{"index":0,"delta":{"content":null}}]}\n\n',
        b'data: {"id":"M1","choices":[null]}\n\n',
        b'data: {"id":"M1","choices":{"delta":1},"usage":null}\n\n',
        b": keep-alive\n\n",
        b"event: ping\n\n",
    ],
)
def test_chunks_without_content_add_nothing(standard: Any, chunk: bytes) -> None:
    assert standard.response(Raw(data=chunk), Say(text="fine")).text == "fine"
