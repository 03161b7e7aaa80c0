from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import ABSENT
from assay.jsonvalue import Difference, describe, differences, equal


def said(expected: object, actual: object, limit: int = 5) -> list[str]:
    return [describe(difference) for difference in differences(expected, actual, limit)]


def test_names_the_place() -> None:
    expected = {"items": [{"price": 1}, {"price": 2}, {"price": 3}]}
    actual = {"items": [{"price": 1}, {"price": 2}, {"price": 4}]}
    assert differences(expected, actual) == (
        Difference(path="$.items[2].price", expected=3, actual=4),
    )
    assert said(expected, actual) == ["$.items[2].price: expected 3, got 4"]


@pytest.mark.parametrize(
    ("expected", "actual", "sentences"),
    [
        (1, 1.0, []),
        (1, True, ["$: expected 1, got true"]),
        ("3", 3, ['$: expected "3", got 3']),
        ({"a": 1}, {}, ["$.a: missing, expected 1"]),
        ({"a": None}, {}, ["$.a: missing, expected null"]),
        ({}, {"a": [1]}, ["$.a: not expected, got [1]"]),
        ([1, 2, 3], [1, 5], ["$: expected 3 elements, got 2", "$[1]: expected 2, got 5"]),
        ([1], [1, 5], ["$: expected 1 element, got 2"]),
        ({"a": [1]}, {"a": {"0": 1}}, ['$.a: expected [1], got {"0":1}']),
        ({"a b": {'"': 1}}, {"a b": {'"': 2}}, ['$["a b"]["\\""]: expected 1, got 2']),
        ({"é": 1}, {"é": 2}, ["$.é: expected 1, got 2"]),
        ({"1": 2}, {"1": 3}, ['$["1"]: expected 2, got 3']),
        ({"b": 1, "a": 2}, {"c": 3, "a": 1}, [
            "$.b: missing, expected 1", "$.a: expected 2, got 1", "$.c: not expected, got 3",
        ]),
    ],
)  # fmt: skip
def test_says_what_differs(expected: object, actual: object, sentences: list[str]) -> None:
    assert said(expected, actual) == sentences


def test_stops_at_the_limit() -> None:
    assert len(differences(list(range(9)), [-1] * 9)) == 5
    assert said(list(range(9)), [-1] * 9, limit=2) == [
        "$[0]: expected 0, got -1",
        "$[1]: expected 1, got -1",
    ]
    assert differences(1, 2, limit=0) == ()


def test_long_values_are_shortened() -> None:
    (line,) = said({"a": list(range(1000))}, {"a": {"k" * 1000: 1}})
    assert len(line) < 200
    assert line.count("…") == 2
    (line,) = said({"k" * 1000: 1}, {"k" * 1000: 2})
    assert len(line) < 200
    assert line.endswith("kkk: expected 1, got 2")


def test_long_texts_are_shown_where_they_part() -> None:
    (line,) = said("the quick brown fox " * 20 + "jumps", "the quick brown fox " * 20 + "sleeps")
    assert line == (
        '$: expected "…k brown fox jumps", got "…k brown fox sleeps" '
        "(they differ from character 401 on)"
    )


def test_short_texts_are_shown_whole() -> None:
    assert said("the same start, A", "the same start, B") == [
        '$: expected "the same start, A", got "the same start, B"'
    ]


def listed(value: object) -> object:
    return [value]


def test_depth_is_no_matter() -> None:
    a: object = 1
    b: object = 2
    for _ in range(50_000):
        a, b = listed(a), listed(b)
    (line,) = said(a, b)
    assert line.endswith("[0][0]: expected 1, got 2")
    assert len(line) < 200


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=2)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
)


@settings(deadline=None)
@given(VALUES, VALUES)
def test_there_are_differences_exactly_where_values_are_not_equal(a: object, b: object) -> None:
    found = differences(a, b, limit=100)
    assert bool(found) != equal(a, b)
    for difference in found:
        assert not equal(difference.expected, difference.actual)
        assert (difference.expected is ABSENT) <= (difference.actual is not ABSENT)
        assert describe(difference).startswith("$")
