"""What a Python function returned, as an answer."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import ABSENT, AgentError, Response, ToolCall
from assay_plugins.transports._answers import response_of


@given(text=st.text())
def test_text_is_the_text(text: str) -> None:
    assert response_of(text) == Response(text=text)


@pytest.mark.parametrize("value", [None, True, 0, 1.5, 10**30, [], {}, {"a": [1, {"b": None}]}])
def test_other_values_are_data(value: object) -> None:
    response = response_of(value)

    assert response.text == ""
    assert response.data == value
    assert type(response.data) is type(value)
    assert response.output == value


def test_a_response_is_taken_as_it_is() -> None:
    response = Response(text="a", reasoning="b", refusal=True)

    assert response_of(response) is response


def test_data_is_copied_since_the_agent_may_change_it() -> None:
    mine: dict[str, Any] = {"list": [1]}
    response = response_of(mine)
    beside = response_of(Response(data=mine, tool_calls=(ToolCall(name="t", arguments=mine),)))

    mine["list"].append(2)

    assert response.data == {"list": [1]}
    assert beside.data == {"list": [1]}
    assert beside.tool_calls[0].arguments == {"list": [1]}
    assert beside.tool_calls[0].result is ABSENT


def holding_itself() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (date(2024, 1, 1), "date"),
        ({"items": [{"price": b"1"}]}, r"\$\.items\[0\]\.price: bytes"),
        (float("nan"), "nan"),
        ({1: 2}, "key 1 is not text"),
        (holding_itself(), "nested"),
        ((part for part in "ab"), "generator"),
        (Response(data={"a": {1, 2}}), "the data of the agent's Response cannot be told: .*set"),
        (Response(tool_calls=(ToolCall(name="t", result=object()),)), "result of t.*object"),
    ],
)
def test_what_is_no_answer_is_an_error_that_names_it(value: object, named: str) -> None:
    with pytest.raises(AgentError, match=rf"{named}.*; return text, a JSON value or a Response$"):
        response_of(value)


def test_a_response_whose_text_is_none_is_an_error() -> None:
    response = Response(text=None)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - an agent's mistake

    with pytest.raises(AgentError, match="the text of the agent's Response is of type NoneType"):
        response_of(response)
