"""A line is written whatever it holds, and read again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.codec.encode import decode, encode


class Unshowable:
    def __str__(self) -> str:
        raise RuntimeError("no")


@given(st.text())
def test_text_is_one_line_and_comes_back(text: str) -> None:
    line = encode({"output": text})
    assert line.splitlines() == [line]
    line.encode()
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert decode(line) == {"output": joined}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (date(2024, 12, 17), "2024-12-17"),
        (PurePosixPath("a/b"), "a/b"),
        (frozenset({"b", "a"}), ["a", "b"]),
        (MappingProxyType({1: b"x"}), {"1": "b'x'"}),
        (Unshowable(), "(Unshowable)"),
    ],
)
def test_what_is_no_json_becomes_text(value: object, written: object) -> None:
    assert json.loads(encode({"actual": [value]})) == {"actual": [written]}


def test_numbers_that_json_does_not_know_do_not_break_the_line() -> None:
    line = encode({"score": float("nan"), "output": [float("inf")]})
    assert decode(line) == {"score": None, "output": [None]}


def test_big_integers_keep_their_digits() -> None:
    big = 10**6000 + 7
    assert decode(encode({"output": big})) == {"output": big}


def test_a_value_too_deep_to_be_read_is_cut() -> None:
    deep: object = "bottom"
    for _ in range(5000):
        deep = [deep]
    line = encode({"output": deep, "id": "T001"})
    read: Any = decode(line)
    assert read["id"] == "T001"
    assert "below level" in line


def test_a_value_that_holds_itself_is_cut() -> None:
    ring: dict[str, object] = {}
    ring["self"] = ring
    read = decode(encode(ring))
    assert isinstance(read, Mapping)
