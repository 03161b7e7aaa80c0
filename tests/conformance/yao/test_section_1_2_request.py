"""§1.2, §1.5, §1.6: what a turn is asked with."""

from __future__ import annotations

from typing import Any

import pytest

from yao_server import KEY, Agent, Say, Seen

SAY = (Say(text="fine"),)


def turn(yao: Any, *cases: dict[str, object], **how: Any) -> Seen:
    """Run one case against an agent and give what reached the server."""
    agent = how.pop("agent", "a")
    yao.server.add(Agent(id=agent, script=SAY))
    yao.report(*cases, agent=agent, **how)
    seen: Seen
    (seen,) = yao.server.log.of(agent)
    assert seen.ending == "answered"
    return seen


def test_a_turn_is_one_post_with_its_query(yao: Any) -> None:
    seen = turn(yao)

    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.param("assistant_id") == "a"
    assert seen.param("accept") == "cui-web"
    assert seen.param("locale") == "en-us"
    assert seen.header("content-type") == "application/json"
    assert seen.header("authorization") == f"Bearer {yao.environ['ASSAY_YAO_TOKEN']}"
    assert seen.json == {
        "messages": [{"role": "user", "content": "hi"}],
        "skip": {"history": True},
    }


def test_the_client_gives_itself_a_name_that_is_no_agents(yao: Any) -> None:
    seen = turn(yao)

    assert "assay" in (seen.header("user-agent") or "").lower()
    assert seen.asked is not None
    assert (seen.asked.client_type, seen.asked.referer) == ("web", "api")


@pytest.mark.parametrize("agent", ["workers.system.keyword", "a b", "ä&b=c+d#e%2F"])
def test_any_name_of_an_agent_arrives_whole(yao: Any, agent: str) -> None:
    seen = turn(yao, agent=agent)

    assert seen.asked is not None
    assert seen.asked.assistant_id == agent
    assert " " not in seen.target


def test_every_attempt_has_a_chat_of_its_own(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=SAY))

    report = yao.report({"id": "A", "input": "1"}, {"id": "B", "input": "1"}, runs=3)

    chats = [seen.asked.chat_id for seen in yao.server.log.of("a")]
    assert len(set(chats)) == 6
    ids = [
        attempt.exchanges[0].response.ids["chat"]
        for result in report.cases
        for attempt in result.attempts
    ]
    assert sorted(ids) == sorted(chats)


def test_nothing_of_a_chat_is_loaded_or_kept(yao: Any) -> None:
    turn(yao, {"id": "A", "input": "1"})

    assert yao.server.world.history == {}


def test_the_whole_conversation_is_sent(yao: Any) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "https://x/a.png", "detail": "low"}},
        {"type": "data", "data": {"any": [1, None]}},
    ]
    conversation: list[dict[str, object]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": "d"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "4"},
        {"role": "user", "content": parts, "name": "ann"},
    ]

    seen = turn(yao, {"id": "A", "input": conversation})

    assert seen.json["messages"] == conversation


@pytest.mark.parametrize("text", ["😀 ‮ \u2028 \\u0000", '"}\r\n\r\ndata: x', "x" * 300_000])
def test_any_text_arrives_as_it_is(yao: Any, text: str) -> None:
    assert turn(yao, {"id": "A", "input": text}).json["messages"] == [
        {"role": "user", "content": text}
    ]


def test_metadata_of_the_case_and_of_its_options_are_sent(yao: Any) -> None:
    case: dict[str, object] = {
        "id": "A",
        "input": "hi",
        "metadata": {"a": 1, "b": {"c": 1}},
        "options": {"metadata": {"b": 2, "chat_id": "mine", "accept": "standard"}},
    }

    seen = turn(yao, case)

    assert seen.json["metadata"] == {"a": 1, "b": 2, "chat_id": "mine", "accept": "standard"}
    assert seen.asked is not None
    assert (seen.asked.accept, seen.asked.chat_id != "mine") == ("cui-web", True)


def test_options_are_passed_on(yao: Any) -> None:
    case: dict[str, object] = {
        "id": "A",
        "input": "hi",
        "options": {
            "mode": "task",
            "skip": {"trace": True, "keyword": True, "search": False, "output": True},
            "disable_global_prompts": True,
            "search": False,
        },
    }
    yao.server.add(Agent(id="a", script=SAY))

    (result,) = yao.report(case).cases

    (seen,) = yao.server.log.of("a")
    assert seen.asked.mode == "task"
    skip = seen.asked.skip
    assert (skip["history"], skip["trace"], skip["keyword"]) == (True, True, True)
    assert (skip["search"], skip["output"]) == (False, False)
    assert seen.asked.metadata["__disable_global_prompts"] is True
    assert seen.asked.metadata["__disable_search"] is True
    (attempt,) = result.attempts
    assert attempt.output == "fine"
    assert any("skip.output" in note for note in attempt.exchanges[0].response.notes)


@pytest.mark.parametrize(
    ("settings", "options", "sent"),
    [
        ({}, {}, None),
        ({"connector": "openai.gpt-4o-mini"}, {}, "openai.gpt-4o-mini"),
        ({}, {"connector": "anthropic.claude"}, "anthropic.claude"),
        ({"connector": "openai.gpt-4o-mini"}, {"connector": "x"}, "openai.gpt-4o-mini"),
    ],
)
def test_a_model_is_named_for_a_connector_alone(
    yao: Any, settings: dict[str, str], options: dict[str, object], sent: str | None
) -> None:
    seen = turn(yao, {"id": "A", "input": "hi", "options": options}, **settings)

    assert seen.json.get("model") == sent
    assert seen.connector == (sent or "openai.gpt-4o")


def test_the_locale_can_be_chosen(yao: Any) -> None:
    seen = turn(yao, locale="zh-CN")

    assert seen.asked is not None
    assert seen.asked.locale == "zh-cn"


def test_experts_have_a_route_that_takes_api_keys(yao: Any) -> None:
    seen = turn(
        yao,
        agent="shop.help",
        sets=("transport.yao.route=experts",),
        environ={"ASSAY_YAO_TOKEN": KEY.token},
    )

    assert seen.path == "/v1/experts/shop.help/chat/completions"
    assert seen.account == KEY


def test_an_api_key_on_the_other_route_says_which_one_is_meant(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=SAY))

    report = yao.report(environ={"ASSAY_YAO_TOKEN": KEY.token})

    (attempt,) = next(iter(report.cases)).attempts
    assert attempt.status == "error"
    assert "403" in (attempt.error or "")
    assert any("experts" in note for note in report.info.suites[0].info.notes)
