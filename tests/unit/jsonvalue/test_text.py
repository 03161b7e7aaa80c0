from __future__ import annotations

import json
import math
import sys
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.jsonvalue import LINE_DEPTH, canonical, compact, dumps, equal, indented, loads

if TYPE_CHECKING:
    from collections.abc import Callable

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=-(10**30), max_value=10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


def listed(value: object) -> object:
    return [value]


def nested(depth: int) -> object:
    value: object = 1.0
    for _ in range(depth // 2):
        value = listed({"k": value})
    return value


def test_compact_keeps_order_and_characters() -> None:
    assert compact({"b": [1, 2.0, None], "a": "é😀\n"}) == '{"b":[1,2.0,null],"a":"é😀\\n"}'


def test_lines_look_like_those_of_json_dumps() -> None:
    assert dumps({"type": "start", "n": [1, True]}) == '{"type": "start", "n": [1, true]}'
    assert dumps("é😀") == '"é😀"'


def test_indented_text_has_a_line_per_element() -> None:
    empty: dict[str, object] = {}
    assert indented({"a": [1, empty], "é": "x"}) == (
        '{\n  "a": [\n    1,\n    {}\n  ],\n  "é": "x"\n}'
    )


@given(VALUES)
def test_indented_text_is_the_same_value(value: object) -> None:
    text = indented(value)
    text.encode()
    assert json.loads(text) == json.loads(dumps(value))


def test_what_is_too_deep_or_long_for_indented_text_is_written_all_the_same() -> None:
    assert indented(nested(20_000)) == dumps(nested(20_000))
    assert indented([10**9_999]) == dumps([10**9_999])


@pytest.mark.parametrize("write", [compact, canonical, dumps, indented])
def test_lone_surrogates_can_be_written_as_utf8(write: Callable[[object], str]) -> None:
    text = write({"\udc80": "a\ud800é"})
    text.encode("utf-8")
    assert json.loads(text) == {"\udc80": "a\ud800é"}


def test_lines_hold_nothing_that_steers_a_terminal_or_breaks_them() -> None:
    hostile = "\x1b[2J\x9b2J\x85\u2028\u2029\u202e\u2066é"
    line = dumps({"output": hostile})
    assert len(line.splitlines()) == 1
    assert line.count("\\u") == 7
    assert "é" in line
    assert loads(line) == {"output": hostile}


@pytest.mark.parametrize("write", [compact, canonical, dumps])
def test_deep_nesting_is_written(write: Callable[[object], str]) -> None:
    text = write(nested(20_000))
    assert text.count("[") == text.count("]") == text.count("{") == 10_000


def test_deep_and_plain_writing_agree() -> None:
    empty: tuple[dict[str, object], list[object]] = ({}, [])
    value: object = {"b": [1, -2.5, True, None, "é\ud800", *empty, [[1e22]]], "a": ("x", 10**25)}
    deep = value
    for _ in range(5000):
        deep = listed(deep)
    for write in (compact, dumps, canonical):
        assert write(deep) == "[" * 5000 + write(value) + "]" * 5000


def test_what_is_no_number_in_json_becomes_null() -> None:
    value = {"a": math.nan, "b": [math.inf, -math.inf, 1.5]}
    assert compact(value) == '{"a":null,"b":[null,null,1.5]}'
    assert dumps(value) == '{"a": null, "b": [null, null, 1.5]}'
    assert canonical(value) == '{"a":NaN,"b":[Infinity,-Infinity,1.5]}'


@pytest.mark.parametrize("write", [compact, canonical, dumps])
@pytest.mark.parametrize("digits", [4300, 4301, 50_000])
def test_all_digits_are_written(write: Callable[[object], str], digits: int) -> None:
    limit = sys.get_int_max_str_digits()
    assert write([7 * 10**digits, -(10**digits)]).replace(" ", "") == (
        f"[7{'0' * digits},-1{'0' * digits}]"
    )
    assert sys.get_int_max_str_digits() == limit


def test_canonical_sorts_keys_and_writes_one_form_of_a_number() -> None:
    assert canonical({"b": 1.0, "a": {"d": -0.0, "c": 1.5}}) == '{"a":{"c":1.5,"d":0},"b":1}'
    assert canonical(1e23) == canonical(10**23) == "1" + "0" * 23
    assert canonical("1.0") == '"1.0"'
    assert canonical([True, 1]) == "[true,1]"


def test_subclasses_are_written_as_their_plain_values() -> None:
    class Color(StrEnum):
        RED = "red"

    class Size(IntEnum):
        BIG = 3

    assert compact([Color.RED, Size.BIG]) == '["red",3]'
    assert canonical([Color.RED, Size.BIG, 0.5]) == '["red",3,0.5]'


@pytest.mark.parametrize("write", [compact, canonical, dumps])
def test_what_is_no_json_value_is_refused(write: Callable[[object], str]) -> None:
    with pytest.raises(TypeError):
        write([object()])
    with pytest.raises(TypeError):
        write([math.nan, {1}])


@pytest.mark.parametrize("write", [compact, canonical, dumps])
def test_a_value_that_holds_itself_ends_with_an_error(write: Callable[[object], str]) -> None:
    value: list[object] = []
    value.append({"inside": value})
    with pytest.raises(ValueError, match="holds itself"):
        write(value)


def test_the_same_object_twice_is_no_circle() -> None:
    shared = [math.nan]
    assert compact([shared, shared]) == "[[null],[null]]"


@settings(deadline=None)
@given(VALUES)
def test_what_is_written_reads_back(value: object) -> None:
    assert loads(compact(value)) == value
    assert loads(dumps(value), max_depth=LINE_DEPTH) == value
    assert equal(loads(canonical(value)), value)


@settings(deadline=None)
@given(VALUES, VALUES)
def test_canonical_text_is_the_same_exactly_for_equal_values(a: object, b: object) -> None:
    assert (canonical(a) == canonical(b)) == equal(a, b)


@settings(deadline=None)
@given(st.integers(min_value=2**53, max_value=10**40), st.floats(min_value=1e15, max_value=1e40))
def test_large_numbers_agree_with_their_canonical_text(a: int, b: float) -> None:
    for number in (float(a), int(b), a):
        for other in (b, float(a), a):
            assert equal(number, other) == (canonical(number) == canonical(other))
