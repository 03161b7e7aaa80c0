"""§2.8: what is known of an agent before the run, and what stops one."""

from __future__ import annotations

from typing import Any

import pytest

import assay
from yao_server import (
    ALICE,
    Agent,
    RawReply,
    Reply,
    Say,
    error,
    forbidden,
    rate_limited,
    server_error,
    unauthorized,
)

INFO = "/v1/agent/assistants/a/info"


@pytest.fixture
def known(yao: Any) -> Any:
    """A server with one agent."""
    agent = Agent(id="a", name="Ann", description="Helps.", script=(Say(text="fine"),))
    yao.server.add(agent)
    return yao


def test_the_report_knows_the_agent(known: Any) -> None:
    report = known.report()

    info = report.info.suites[0].info
    assert (info.name, info.description) == ("Ann", "Helps.")
    assert info.connector == "openai.gpt-4o"
    assert not info.notes


def test_it_is_looked_at_once_in_a_run_and_before_any_case(known: Any) -> None:
    known.report(*({"id": str(n), "input": "hi"} for n in range(3)), runs=2, parallel=3)

    paths = [seen.path for seen in known.server.log.all]
    assert paths.count(INFO) == 1
    assert paths.index(INFO) < paths.index("/v1/chat/completions")


def test_an_agent_that_is_not_there_stops_the_run(known: Any) -> None:
    with pytest.raises(assay.ConfigError, match="nobody") as caught:
        known.report(agent="nobody")

    assert caught.value.exit_code == 2
    assert known.server.log.turns == []


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (unauthorized("invalid_token", "Invalid token"), "token"),
        (Reply(status=404, body="404 page not found"), "address"),
        (Reply(status=404, body="<html>not here</html>"), "address"),
        (Reply(status=200, body="<html>hello</html>"), "address"),
        (Reply(status=200, body=[]), "address"),
        (error(404, "invalid_request", "Assistant not found: a"), "no agent 'a'"),
    ],
)
def test_what_a_user_must_mend_stops_the_run(known: Any, reply: Reply, said: str) -> None:
    known.server.plan("GET", INFO, reply)

    with pytest.raises(assay.ConfigError) as caught:
        known.report()

    assert said in str(caught.value)
    assert known.server.url in str(caught.value)
    assert ALICE.token not in str(caught.value)
    assert known.server.log.turns == []


def test_a_look_that_is_not_allowed_is_a_note(known: Any) -> None:
    known.server.plan("GET", INFO, forbidden("No permission"))

    report = known.report()

    assert [result.status for result in report.cases] == ["passed"]
    (note,) = report.info.suites[0].info.notes
    assert "No permission" in note


@pytest.mark.parametrize(
    "reply",
    [
        rate_limited("0"),
        server_error("starting"),
        Reply(status=502, body=""),
        Reply(status=503, body=""),
        RawReply(data=b"", then="close"),
        RawReply(data=b"", then="reset"),
    ],
)
def test_a_server_that_cannot_answer_yet_is_asked_again(known: Any, reply: Any) -> None:
    known.server.plan("GET", INFO, reply)

    assert [result.status for result in known.report().cases] == ["passed"]

    assert len(known.server.log.to("/info")) == 2


@pytest.mark.parametrize("reply", [server_error("broken"), RawReply(data=b"", then="reset")])
def test_a_server_that_never_does_is_a_runtime_error(known: Any, reply: Any) -> None:
    known.server.plan("GET", INFO, reply, for_ever=True)

    with pytest.raises(assay.RunError) as caught:
        known.report()

    assert caught.value.exit_code == 3
    assert known.server.log.turns == []


@pytest.mark.parametrize(
    "body", [{}, {"name": 7, "connector": None}, {"name": "", "description": {}}]
)
def test_information_of_another_shape_is_unknown(known: Any, body: object) -> None:
    known.server.plan("GET", INFO, Reply(body=body))

    info = known.report().info.suites[0].info

    assert (info.name, info.description, info.connector) == (None, None, None)


@pytest.mark.parametrize("agent", ["shop.help", "a b", "ä", "100%"])
def test_any_name_is_looked_up_as_it_is(yao: Any, agent: str) -> None:
    yao.server.add(Agent(id=agent, script=(Say(text="fine"),), name="Found"))

    report = yao.report(agent=agent)

    assert report.info.suites[0].info.name == "Found"
