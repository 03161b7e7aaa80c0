from __future__ import annotations

import copy
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.jsonvalue import equal, includes, loads, walk

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=2)
KEYS = st.sampled_from("abc")
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3)
)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (0, -0.0),
        ([1, {"a": 2.0}], (1.0, {"a": 2})),
        ({"a": 1, "b": [None]}, {"b": [None], "a": 1}),
        (10**400, 10**400),
        (10**23, 1e23),
        (2**53, 2.0**53),
        (math.nan, math.nan),
    ],
)
def test_equal(a: object, b: object) -> None:
    assert equal(a, b)
    assert equal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (0, False),
        (0.0, False),
        (None, False),
        (None, 0),
        ("1", 1),
        ("", None),
        ([1, 2], [2, 1]),
        ([1], [1, 1]),
        ([], {}),
        ({"a": 1}, {"a": True}),
        ({"a": None}, {}),
        ({"a": 1}, {"b": 1}),
        (2**53 + 1, 2.0**53),
        (10**400, math.inf),
        (10**400, 10**400 + 1),
        (int(1e23), 1e23),
        (10**309, 1e308),
        (math.nan, 1),
        ("é", "e\u0301"),
    ],
)
def test_not_equal(a: object, b: object) -> None:
    assert not equal(a, b)
    assert not equal(b, a)


def nested(value: object) -> object:
    for _ in range(25_000):
        value = listed({"k": value})
    return value


def listed(value: object) -> object:
    return [value]


def test_depth_is_no_matter() -> None:
    a, b, c = nested(1), nested(1.0), nested(2)
    assert equal(a, b)
    assert not equal(a, c)
    assert includes(a, b)
    assert not includes(a, c)
    assert sum(1 for _ in walk(a)) == 50_001


@settings(deadline=None)
@given(VALUES)
def test_a_value_equals_its_copy_and_what_it_reads_back_as(value: object) -> None:
    assert equal(value, copy.deepcopy(value))
    assert includes(value, copy.deepcopy(value))


@settings(deadline=None)
@given(VALUES, VALUES)
def test_equality_is_symmetric_and_is_inclusion_both_ways(a: object, b: object) -> None:
    assert equal(a, b) == equal(b, a)
    assert equal(a, b) == (includes(a, b) and includes(b, a))


@pytest.mark.parametrize(
    ("haystack", "needle", "expected"),
    [
        ({"a": 1, "b": 2}, {"a": 1.0}, True),
        ({"a": {"b": 1, "c": 2}}, {"a": {"c": 2}}, True),
        ({"a": 1}, {}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": {"b": 1}}, {"b": 1}, False),
        ([{"a": 1, "b": 2}], [{"a": 1}], True),
        ([1, 2], [1], False),
        ([1, 2], [2, 1], False),
        ({"a": None}, {"a": None}, True),
        ({}, {"a": None}, False),
        ({"a": True}, {"a": 1}, False),
        ("abc", "b", False),
        ([], {}, False),
    ],
)
def test_includes(haystack: object, needle: object, expected: bool) -> None:
    assert includes(haystack, needle) is expected


def test_walk_goes_through_a_value_in_the_order_of_its_text() -> None:
    value = loads('{"a": [1, {"b": 2}], "c": null}')
    assert list(walk(value)) == [value, [1, {"b": 2}], 1, {"b": 2}, 2, None]
    assert list(walk("x")) == ["x"]
    assert list(walk((1, (2,)))) == [(1, (2,)), 1, (2,), 2]
