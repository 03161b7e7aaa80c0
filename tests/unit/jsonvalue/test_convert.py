from __future__ import annotations

import json
import math
from collections import OrderedDict
from datetime import date
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.jsonvalue import (
    MAX_DEPTH,
    MAX_DIGITS,
    dumps,
    is_array,
    is_json,
    is_object,
    loads,
    to_json_value,
)


class Color(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Point(NamedTuple):
    x: int
    y: float


def test_copies_what_is_json_already() -> None:
    value: dict[str, object] = {"a": [1, 2.5, None, True, "é\ud800"], "b": {}}
    copied = to_json_value(value)
    assert copied == value
    assert copied is not value


def test_makes_plain_values_of_tuples_and_subclasses() -> None:
    value = to_json_value(
        {Color.RED: (Color.RED, Size.BIG), "point": Point(1, 0.5), "o": OrderedDict([("a", 1)])}
    )
    assert value == {"red": ["red", 3], "point": [1, 0.5], "o": {"a": 1}}
    assert json.dumps(value) == '{"red": ["red", 3], "point": [1, 0.5], "o": {"a": 1}}'
    assert is_object(value)
    assert [type(key) for key in value] == [str, str, str]
    assert is_array(value["red"])
    assert [type(item) for item in value["red"]] == [str, int]
    assert type(value["o"]) is dict


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"a": [1, date(2024, 1, 1)]}, "$.a[1]: date is not a JSON value"),
        ({"a b": {1, 2}}, '$["a b"]: set is not a JSON value'),
        (b"bytes", "$: bytes is not a JSON value"),
        ([Decimal(1)], "$[0]: Decimal is not a JSON value"),
        ({"a": {1: 2}}, "$.a: the key 1 is not text"),
        ({"score": math.nan}, "$.score: nan is not a JSON value"),
        ([-math.inf], "$[0]: -inf is not a JSON value"),
    ],
)
def test_names_what_is_no_json(value: object, message: str) -> None:
    with pytest.raises(TypeError) as caught:
        to_json_value(value)
    assert str(caught.value) == message
    assert not is_json(value)


def listed(value: object) -> object:
    return [value]


def test_nesting_has_the_limit_of_reading() -> None:
    value: object = 1
    for _ in range(MAX_DEPTH):
        value = listed(value)
    assert loads(dumps(to_json_value(value))) == value
    with pytest.raises(TypeError, match=f"more than {MAX_DEPTH} levels"):
        to_json_value([value])


def test_a_value_that_holds_itself_is_refused() -> None:
    value: list[object] = []
    value += [value, value]
    assert not is_json(value)


def test_integers_have_the_limit_of_reading() -> None:
    longest = 10 ** (MAX_DIGITS - 1)
    assert loads(dumps(to_json_value(longest))) == longest
    with pytest.raises(TypeError, match=r"^\$\[0\]: an integer of more than"):
        to_json_value([10 ** (MAX_DIGITS + 1)])


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
        lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_json_can_be_written_and_read(value: object) -> None:
    if is_json(value):
        assert loads(dumps(to_json_value(value))) == to_json_value(value)
    else:
        with pytest.raises(TypeError):
            to_json_value(value)
