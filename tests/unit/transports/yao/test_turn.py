"""Turns with a server: what is asked before, meanwhile and afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from assay import (
    AgentError,
    AgentRef,
    ConfigError,
    Environment,
    Message,
    Request,
    Response,
    Secret,
    TransportError,
)
from assay.testing import check_transport
from assay_plugins.transports._http import HttpClient
from assay_plugins.transports.yao import Yao, afterwards
from assay_plugins.transports.yao.server import YaoServer as Server
from assay_plugins.transports.yao.settings import YaoSettings
from yao_server import (
    ALICE,
    BOB,
    Agent,
    Call,
    Hold,
    Next,
    Options,
    Raw,
    RawReply,
    Reply,
    Say,
    Vanish,
    YaoServer,
)

HELLO = (Message(content="hello"),)
INFO = "/v1/agent/assistants/a/info"
TALK = Agent(id="a", script=(Say(text="Hello."),))
TOOL = Agent(id="a", script=(Call(name="x__y", result=1), Say(text="Done."), Next(data={"n": 1})))
SLOW = Agent(id="a", script=(Say(text="Well"), Hold()))


@pytest.fixture
def server() -> Iterator[YaoServer]:
    with YaoServer() as started:
        yield started


def settings(server: YaoServer, **more: Any) -> YaoSettings:
    given: dict[str, Any] = {"server": server.url, "token": Secret(ALICE.token, "$TOKEN"), **more}
    return YaoSettings(**given)


def transport(server: YaoServer, **more: Any) -> Yao:
    return Yao(AgentRef(transport="yao", target="a", name="a"), settings(server, **more))


def asked(server: YaoServer, *requests: Request, **more: Any) -> list[Response]:
    async def ask() -> list[Response]:
        async with transport(server, **more) as opened:
            return [await opened.send(each) for each in requests or (Request(messages=HELLO),)]

    return asyncio.run(ask())


def test_it_keeps_the_contract_of_transports(server: YaoServer) -> None:
    def script(heard: Any) -> list[Any]:
        if heard.text == "fail":
            return [Say(text="Well"), Vanish()]
        return [Hold()] if heard.text == "slow" else [Say(text="Hello.")]

    server.add(Agent(id="a", script=script))
    check_transport(
        Yao,
        "a",
        settings=settings(server),
        failing=(Request(messages=(Message(content="fail"),)),),
        slow=Request(messages=(Message(content="slow"),)),
    )


def test_a_turn_that_takes_too_long_is_interrupted_on_the_server(server: YaoServer) -> None:
    server.add(SLOW)

    async def ask() -> None:
        async with transport(server) as opened, asyncio.timeout(1.0):
            await opened.send(Request(messages=HELLO))

    with pytest.raises(TimeoutError):
        asyncio.run(ask())
    assert server.log.turn("a").interrupts == [{"type": "force", "messages": [], "metadata": {}}]


def test_a_turn_that_has_not_begun_cannot_be_interrupted(server: YaoServer) -> None:
    server.add(Agent(id="a", first=(RawReply(data=b"", then="hang"),)))

    async def ask() -> None:
        async with transport(server) as opened, asyncio.timeout(0.5):
            await opened.send(Request(messages=HELLO))

    with pytest.raises(TimeoutError):
        asyncio.run(ask())
    assert not [seen for seen in server.log.all if seen.path.endswith("/append")]


def test_a_server_that_does_not_answer_an_interrupt_holds_nothing_up(
    server: YaoServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(afterwards, "INTERRUPT_SECONDS", 0.1)
    server.plan("POST", "/v1/chat/completions/X1/append", RawReply(data=b"", then="hang"))

    async def interrupt() -> None:
        async with HttpClient() as http:
            interrupts = afterwards.Interrupts(Server(http, server.url))
            await interrupts.carry_out("X1", Secret(ALICE.token))
            await interrupts.finish()

    asyncio.run(interrupt())
    assert len(server.log.to("/v1/chat/completions/X1/append")) == 1


def test_the_trace_completes_an_answer(server: YaoServer) -> None:
    server.add(TOOL)
    [answer] = asked(server)
    assert (answer.text, answer.data, answer.output) == ("Done.", {"n": 1}, {"n": 1})
    assert [call.result for call in answer.tool_calls] == [1]
    assert not answer.unknown & {"data", "tool_results"}


def test_a_trace_that_is_late_is_waited_for(server: YaoServer) -> None:
    server.add(Agent(id="a", script=TOOL.script, trace_lag=2))
    [answer] = asked(server)
    assert answer.data == {"n": 1}


def test_without_traces_what_they_tell_is_unknown_and_asked_for_once() -> None:
    with YaoServer(TOOL, options=Options(traces=False)) as server:
        answers = asked(server, *[Request(messages=HELLO)] * 3)
        traces = [seen for seen in server.log.all if "/trace/" in seen.path]
    assert all(answer.unknown >= {"data", "tool_results"} for answer in answers)
    assert [answer.text for answer in answers] == ["Done."] * 3
    assert len(traces) == 1


def test_traces_can_be_left_alone(server: YaoServer) -> None:
    server.add(TOOL)
    [answer] = asked(server, trace="off")
    assert answer.unknown >= {"data", "tool_results"}
    assert not [seen for seen in server.log.all if "/trace/" in seen.path]


def test_a_connection_that_stays_open_behind_the_end_is_not_waited_for(server: YaoServer) -> None:
    ended = Raw(
        data=b'data: {"type":"event","props":{"event":"stream_end","data":'
        b'{"status":"completed"}}}\n\n'
    )
    server.add(Agent(id="a", script=(Say(text="Hello."), ended, Hold())))
    assert [answer.text for answer in asked(server)] == ["Hello."]


def test_a_server_that_is_not_ready_is_asked_again(server: YaoServer) -> None:
    server.add(TALK)
    server.plan("GET", INFO, Reply(status=503, body="starting"))

    async def look() -> Any:
        async with transport(server) as opened:
            return await opened.info()

    assert asyncio.run(look()).connector == "openai.gpt-4o"
    assert len(server.log.to(INFO)) == 2


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_token_that_a_server_repeats_is_not_repeated(server: YaoServer, status: int) -> None:
    server.add(TALK)
    said = {"error": "odd", "error_description": f"no {ALICE.token} here"}
    server.plan("GET", INFO, Reply(status=status, body=said), for_ever=True)

    async def look() -> None:
        async with transport(server) as opened:
            await opened.info()

    with pytest.raises((ConfigError, AgentError)) as caught:
        asyncio.run(look())
    assert ALICE.token not in str(caught.value)
    assert "no *** here" in str(caught.value)


def test_the_table_decides_whose_token_is_sent(server: YaoServer) -> None:
    server.add(TALK)
    identities = {"bob@blue": Secret(BOB.token)}
    environments = (
        Environment(user_id="bob", team_id="blue"),
        Environment(user_id="bob", team_id="red"),
        Environment(),
    )
    requests = [Request(messages=HELLO, environment=each) for each in environments]
    answers = asked(server, *requests, identities=identities)
    assert [seen.account for seen in server.log.of("a")] == [BOB, ALICE, ALICE]
    assert [bool(answer.notes) for answer in answers] == [False, True, False]
    metadata = [seen.json.get("metadata") for seen in server.log.of("a")]
    assert metadata == [None, {"assay_user": "bob", "assay_team": "red"}, None]
    made = transport(server, identities=identities)
    assert [made.identify(each).identity for each in environments] == ["token", "server", "server"]


def test_what_the_server_sees_is_the_environment(server: YaoServer) -> None:
    found = transport(server, accept="standard").identify(Environment(user_id="x"))
    assert (found.user_id, found.accept) == ("x", "standard")
    assert (found.client_type, found.referer) == ("web", "api")


def test_without_a_token_nothing_is_opened(server: YaoServer) -> None:
    with pytest.raises(ConfigError, match="no token; set ASSAY_YAO_TOKEN"):
        asked(server, token=None)
    assert server.log.all == []


def test_an_agent_needs_a_name() -> None:
    with pytest.raises(ConfigError, match="no agent is named"):
        Yao(AgentRef(transport="yao", target="", name=""))


def test_a_server_that_is_gone_can_be_asked_again_by_core() -> None:
    async def ask() -> None:
        with YaoServer(TALK) as server:
            opened = await transport(server).__aenter__()
            await opened.send(Request(messages=HELLO))
        try:
            await opened.send(Request(messages=HELLO))
        finally:
            await opened.__aexit__(None, None, None)

    with pytest.raises(TransportError) as caught:
        asyncio.run(ask())
    assert caught.value.retryable
