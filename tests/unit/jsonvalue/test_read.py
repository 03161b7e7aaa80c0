from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.jsonvalue import LINE_DEPTH, MAX_DEPTH, MAX_DIGITS, JsonError, loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("null", None),
        (" \r\n\t[1, 2.5, -0, true]\n ", [1, 2.5, 0, True]),
        ('{"a": 1, "b": {}, "a": 2}', {"a": 2, "b": {}}),
        ('"\\ud83d\\ude00 \\ud800"', "\U0001f600 \ud800"),
        ('"[{["', "[{["),
        ("1e22", 1e22),
    ],
)
def test_reads_json(text: str, value: object) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("hello", 1, 1),
        ('{"a" 1}', 1, 6),
        ("[1, 2] 3", 1, 8),
        ("{\n  'a': 1}", 2, 3),
        ('["tab\there"]', 1, 6),
        ("[1,]", 1, 4),
        ("\xa0{}", 1, 1),
        ("\ufeff{}", 1, 1),
        ('["NaN", NaN]', 1, 9),
        ('{"Infinity": -Infinity}', 1, 14),
        ('["1e400", 1e400]', 1, 11),
        ("// no comments\n{}", 1, 1),
    ],
)
def test_says_where_text_stops_being_json(text: str, line: int, column: int) -> None:
    with pytest.raises(JsonError) as caught:
        loads(text)
    # Which of two neighbouring columns is named for a trailing comma differs by interpreter.
    assert caught.value.line == line
    assert caught.value.column is not None
    assert abs(caught.value.column - column) <= (1 if text == "[1,]" else 0)
    assert f"column {caught.value.column}: " in str(caught.value)


def test_names_the_line_only_where_there_are_several() -> None:
    with pytest.raises(JsonError, match=r"^column 2: "):
        loads("[\n")
    with pytest.raises(JsonError, match=r"^line 2 column 3: "):
        loads("[1,\n  x]")


@pytest.mark.parametrize("digits", [4299, 4301, 20_000])
def test_keeps_all_digits(digits: int) -> None:
    text = "9" * digits
    assert loads(f'[{text}, -{text}, 0.5, "x"]') == [10**digits - 1, 1 - 10**digits, 0.5, "x"]


def test_refuses_integers_that_would_take_long() -> None:
    with pytest.raises(JsonError, match=f"column 2: An integer of more than {MAX_DIGITS} digits"):
        loads(f"[{'9' * (MAX_DIGITS + 1)}]")


@pytest.mark.parametrize("pair", ["[]", '{"a":}'])
def test_nesting_has_a_limit(pair: str) -> None:
    opening, closing = pair[:-1], pair[-1]

    def nested(depth: int) -> str:
        inner = pair[0] + pair[-1]
        return opening * (depth - 1) + inner + closing * (depth - 1)

    assert loads(nested(MAX_DEPTH))
    assert loads(nested(LINE_DEPTH), max_depth=LINE_DEPTH)
    with pytest.raises(JsonError, match=f"more than {MAX_DEPTH} levels"):
        loads(nested(MAX_DEPTH + 1))
    with pytest.raises(JsonError, match="Nested"):
        loads(nested(100_000))


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert loads(f"[{','.join(['[[]]'] * 500)}]") == [[[]]] * 500


def test_leaves_the_limit_of_the_interpreter_alone() -> None:
    before = sys.get_int_max_str_digits()
    loads("9" * 5000)
    assert sys.get_int_max_str_digits() == before


@settings(deadline=None)
@given(st.text())
def test_takes_what_the_standard_library_takes(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r".+"):
            loads(text)
    else:
        if "N" in text or "I" in text:
            return  # the library's NaN and Infinity
        assert loads(text) == expected
