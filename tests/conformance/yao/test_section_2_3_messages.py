"""§2.3, §2.4, §2.5: messages, how changes to them add up, and which text is the answer."""

from __future__ import annotations

from typing import Any

import pytest

from assay import Usage
from yao_server import (
    ALICE,
    Agent,
    Call,
    Calls,
    Delegate,
    Raw,
    Refuse,
    Say,
    Send,
    Think,
    Together,
    Use,
)


def text(content: object, **fields: Any) -> Send:
    """Make a message of type text, or a change to one."""
    return Send(type="text", props={"content": content}, message_id="X1", **fields)


def delta(content: object, action: str = "", path: str = "") -> Send:
    return text(content, delta=True, delta_action=action, delta_path=path)


def test_ids_of_the_turn_are_told(yao: Any) -> None:
    response = yao.response()

    turn = yao.server.log.turn("a")
    assert response.ids["chat"] == turn.asked.chat_id
    assert response.ids["context"] == turn.context_id
    assert response.ids["trace"] == turn.trace_id


def test_reasoning_tokens_and_tools_are_told(yao: Any) -> None:
    response = yao.response(
        Think(text="Hm. "),
        Call(name="weather__now", arguments={"city": "Ōsaka", "n": 10**20}, result=4),
        Think(text="Ah."),
        Call(name="weather__all", arguments="{oops"),
        Call(name="weather__none", arguments=""),
        Say(text="Four."),
        Use(prompt_tokens=3, completion_tokens=2),
        sets=("transport.yao.trace=off",),
    )

    assert response.reasoning == "Hm. Ah."
    assert response.usage == Usage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    assert [(call.id, call.name, call.arguments) for call in response.tool_calls] == [
        ("call_1", "weather__now", {"city": "Ōsaka", "n": 10**20}),
        ("call_2", "weather__all", "{oops"),
        ("call_3", "weather__none", {}),
    ]
    assert response.unknown >= {"data", "tool_results"}
    assert "tool_calls" not in response.unknown


def test_several_calls_of_one_delta(yao: Any) -> None:
    calls = (Call(name="a__x", arguments={"n": 1}), Call(name="b__y", arguments=[2]))

    response = yao.response(Calls(calls=calls), Say(text="fine"))

    assert [(call.name, call.arguments) for call in response.tool_calls] == [
        ("a__x", {"n": 1}),
        ("b__y", [2]),
    ]


def test_the_answer_is_what_stands_after_the_last_tool(yao: Any) -> None:
    response = yao.response(
        Say(text="Looking. "), Call(name="a__x"), Say(text="And. "), Call(name="a__x"),
        Say(text="It is "), Say(text="four."),
    )  # fmt: skip

    assert response.text == "It is four."
    assert response.full_text == "Looking. And. It is four."


def test_it_is_all_text_when_none_stands_there(yao: Any) -> None:
    response = yao.response(Say(text="Looking. "), Call(name="a__x"))

    assert response.text == "Looking. "


def test_only_text_counts(yao: Any) -> None:
    response = yao.response(
        Think(text="thought"),
        Send(type="loading", props={"message": "Wait", "content": "no"}),
        Send(type="error", props={"message": "odd"}),
        Send(type="action", props={"content": "no"}),
        Send(type="todo", props={"content": "no"}),
        Send(type="my_own", props={"content": "no"}),
        Send(type="user_input", props={"content": "no"}),
        Say(text="fine"),
        Send(type="execute", props={"content": "no", "tool": "bash", "output": "x"}),
    )

    assert response.text.startswith("fine")
    assert "no" not in response.text


def test_text_of_other_agents_counts_only_without_own_text(yao: Any) -> None:
    other = Delegate(agent="x", acts=(Say(text="other "), Say(text="says")))

    assert yao.response(Say(text="own"), other).text == "own"
    assert yao.response(other, agent=Agent(id="b", script=(other,))).text == "other says"


def test_agents_that_speak_at_the_same_time_stay_apart(yao: Any) -> None:
    others = tuple(
        Delegate(agent=name, acts=(Say(text=name * 6, pieces=6),), thread_id=f"T-{name}")
        for name in "xyz"
    )

    response = yao.response(Together(delegates=others))

    assert response.text == "xxxxxxyyyyyyzzzzzz"


@pytest.mark.parametrize("traces", [True, False])
def test_a_refusal_is_one_though_no_route_carries_its_words(serve: Any, traces: bool) -> None:
    attempt = serve(traces=traces).attempt(Refuse(text="I cannot."))

    response = attempt.exchanges[0].response
    assert (attempt.status, response.refusal) == ("passed", True)
    # The text of an answer must not depend on whether a server keeps traces.
    assert response.text == ""
    assert any("refused" in note for note in response.notes)


@pytest.mark.parametrize(
    ("acts", "answer"),
    [
        ((delta("a"), delta("b")), "ab"),
        ((delta("a", "append"), delta("b", "append", "content")), "ab"),
        ((delta("a"), delta("b", "append", "props.content")), "ab"),
        ((text("a"), delta("b")), "ab"),
        ((delta("a"), text("b")), "b"),
        ((delta("a"), delta("b", "replace")), "b"),
        ((delta("a"), delta("b", "replace", "content")), "b"),
        ((delta("a"), delta("b", "set", "content")), "b"),
        ((delta("a"), delta("b", "set")), "b"),
        ((delta("a"), delta("b", "merge")), "b"),
        ((delta("a"), delta("b", "merge", "")), "b"),
        ((delta("a"), text("b", type_change=True)), "b"),
        ((delta(""), delta("b")), "b"),
    ],
)
def test_changes_to_a_message_add_up(yao: Any, acts: tuple[Send, ...], answer: str) -> None:
    assert yao.response(*acts).text == answer


def test_a_message_takes_the_type_of_its_last_change(yao: Any) -> None:
    loading = Send(type="loading", props={"message": "Wait"}, message_id="X1")
    loads = Send(type="loading", props={"message": "x"}, message_id="X2")

    assert yao.response(loading, delta("fine"), loads).text == "fine"


def test_a_message_that_changes_from_text_is_none_any_more(yao: Any) -> None:
    gone = Send(type="loading", props={"message": "x"}, message_id="X1", type_change=True)

    assert yao.response(text("away"), gone, Say(text="fine")).text == "fine"


def test_the_order_is_that_of_first_appearance(yao: Any) -> None:
    second = Send(type="text", props={"content": "B"}, message_id="X2")

    assert yao.response(text("A"), second, delta("a")).text == "AaB"


def test_a_message_is_known_by_thread_and_id(yao: Any) -> None:
    own = Send(type="text", props={"content": "own"}, message_id="X1")
    other = Send(type="text", props={"content": "other"}, message_id="X1", thread_id="T1")
    more = Send(type="text", props={"content": "!"}, message_id="X1", thread_id="T1", delta=True)

    assert yao.response(own, other, more).text == "own"


def test_paths_reach_into_lists_and_make_what_is_missing(yao: Any) -> None:
    def step(props: dict[str, object], action: str, path: str) -> Send:
        return Send(
            type="tool_call",
            props=props,
            message_id="X1",
            delta=True,
            delta_action=action,
            delta_path=path,
        )

    acts = (
        step({"id": "c1", "name": "a__x", "index": 0}, "merge", ""),
        step({"arguments": '{"a":'}, "append", "arguments"),
        step({"arguments": "1}"}, "append", "arguments"),
        step({"deep": {"list": ["x", {"y": "z"}]}}, "set", "deep.list[1].y"),
        step({"deep": {"list": ["x", {"y": "!"}]}}, "append", "deep.list[1].y"),
    )

    (call,) = yao.response(*acts, Say(text="fine"), sets=("transport.yao.trace=off",)).tool_calls

    assert (call.id, call.name, call.arguments) == ("c1", "a__x", {"a": 1})


@pytest.mark.parametrize(
    "event",
    [
        b'data: {"type":"text"}\n\n',
        b'data: {"type":"text","props":null,"message_id":"X9"}\n\n',
        b'data: {"type":"event","props":{"event":"thread_start"}}\n\n',
        b'data: {"type":"event","props":{"event":7,"data":[]}}\n\n',
        b'data: {"type":"event","props":{"event":"token/usage","data":{"total":1}}}\n\n',
        b'data: {"type":"event"}\n\n',
        b'data: {"type":"text","props":{"content":7},"message_id":"X9"}\n\n',
        b"data: {}\n\n",
        b": comment\n\n",
    ],
)
def test_odd_messages_change_nothing(yao: Any, event: bytes) -> None:
    assert yao.response(Raw(data=event), Say(text="fine")).text == "fine"


@pytest.mark.parametrize(
    "path",
    ["content[99999999999]", "a" * 5000, "a." * 2000 + "b", "[0]" * 1000, "..", "[", "content[-1]"],
)
def test_hostile_paths_end_in_an_answer_or_an_error(yao: Any, path: str) -> None:
    attempt = yao.attempt(text("a"), delta("b", "set", path), Say(text="fine"), timeout="10s")

    assert attempt.status in ("passed", "error")
    assert attempt.error is None or len(attempt.error) < 1000


def test_hostile_nesting_ends_in_an_answer_or_an_error(yao: Any) -> None:
    deep = b'data: {"type":"text","props":' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001 + b"\n\n"

    attempt = yao.attempt(Say(text="Well"), Raw(data=deep), timeout="10s")

    assert attempt.status in ("passed", "error")
    assert attempt.output == "Well"
    assert ALICE.token not in (attempt.error or "")


def test_an_answer_of_nothing_is_an_error(yao: Any) -> None:
    error, _ = yao.error(Think(text="Hm"))

    assert error == "the agent answered nothing"
