"""Assertion objects to checks of types that hold others, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import pytest
from attrs import field, frozen, validators

from assay.absent import ABSENT
from assay.codec.checks import CheckReader, make_check_reader, needs_of
from assay.codec.converter import Structurer
from assay.codec.faults import Wrong, WrongParts
from assay.errors import ConfigError
from assay.model.case import Check, Need, Script
from assay.model.outcome import Outcome, Verdict


@frozen(kw_only=True)
class Inner:
    low: int = 0
    high: int = field(default=10, validator=validators.ge(1))


@frozen(kw_only=True)
class Leaf:
    name: ClassVar[str] = "leaf"

    in_: tuple[str, ...] = field(validator=validators.min_len(1))
    value: object = ABSENT
    mode: Literal["a", "b"] = "a"
    bounds: Inner = Inner()
    score: float | None = None
    either: int | bool | str = 0

    def __attrs_post_init__(self) -> None:
        if self.score is not None and self.score > self.bounds.high:
            raise ValueError("score lies above bounds.high; lower it")

    def check(self, outcome: Outcome) -> Verdict:
        return Verdict(passed=True)


@frozen(kw_only=True)
class Group:
    name: ClassVar[str] = "group"

    all: tuple[Check, ...] = ()
    alone: Check | None = None

    def needs(self) -> Sequence[Need]:
        return [Script("own")]

    def check(self, outcome: Outcome) -> Verdict:
        return Verdict(passed=True)


TYPES: dict[str, type] = {"leaf": Leaf, "group": Group}


def _assertion(word: str) -> type:
    if word not in TYPES:
        raise ConfigError(f"no {word}")
    return TYPES[word]


@pytest.fixture
def reader() -> CheckReader:
    reasons = {"off": "-p takes it out"}
    return make_check_reader(Structurer(), lambda: list(TYPES), _assertion, reasons.get)


def told(reader: CheckReader, value: object) -> list[str]:
    with pytest.raises((Wrong, WrongParts)) as caught:
        reader.read(value)
    error = caught.value
    if isinstance(error, WrongParts):
        return [f"{path}: {wrong}" for path, wrong in error.parts]
    return [str(error)]


LEAF = {"type": "leaf", "in": ["x"]}


@pytest.mark.parametrize(
    "value",
    [
        LEAF,
        {**LEAF, "value": None},
        {**LEAF, "value": [1, {"a": 1.5}]},
        {**LEAF, "mode": "b", "bounds": {"low": 1}, "score": 2, "either": True},
        {**LEAF, "either": "text"},
        {**LEAF, "message": "no", "negate": True},
        {"type": "group"},
        {"type": "group", "all": [LEAF, {"type": "group", "all": [LEAF]}], "alone": LEAF},
    ],
)
def test_what_is_written_is_what_was_read(reader: CheckReader, value: dict[str, object]) -> None:
    check = reader.read(value)
    assert reader.write(check) == value
    assert reader.read(reader.write(check)) == check


def test_an_absent_value_and_null_stay_apart(reader: CheckReader) -> None:
    absent, null = reader.read(LEAF).assertion, reader.read({**LEAF, "value": None}).assertion
    assert isinstance(absent, Leaf)
    assert isinstance(null, Leaf)
    assert (absent.value, null.value) == (ABSENT, None)


def test_a_default_that_is_written_out_reads_alike(reader: CheckReader) -> None:
    assert reader.read({**LEAF, "mode": "a", "bounds": {"low": 0}}) == reader.read(LEAF)


@pytest.mark.parametrize(
    ("value", "faults"),
    [
        (5, ['expected an object, got a number; write it as {"type": "contains", "value": "…"}']),
        ({}, ["type: missing; one of leaf, group"]),
        ({"type": 5}, ["type: expected a string, got a number"]),
        ({"type": "laef"}, ["type: no assertion type 'laef'; did you mean 'leaf'?"]),
        ({"type": "off"}, ["type: no assertion type 'off': -p takes it out"]),
        ({"type": "leaf"}, ["in: missing; add it"]),
        ({**LEAF, "in": []}, ["in: Length of 'in_' must be >= 1: 0"]),
        ({**LEAF, "in": "x"}, ["in: expected a list, got a string"]),
        (
            {**LEAF, "in": ["x", 5, None]},
            ["in[1]: expected a string, got a number", "in[2]: expected a string, got null"],
        ),
        ({**LEAF, "in_": ["x"]}, ["in_: unknown field; did you mean 'in'?"]),
        ({**LEAF, "name": "x"}, ["name: unknown field; known: bounds, either, in, message, "]),
        ({**LEAF, "mode": "c"}, ["mode: 'c' is not one of 'a', 'b'"]),
        ({**LEAF, "mode": 1}, ["mode: 1 is not one of 'a', 'b'"]),
        ({**LEAF, "bounds": {"high": 0}}, ["bounds.high: 'high' must be >= 1: 0"]),
        (
            {**LEAF, "bounds": {"low": "1", "hihg": 3}},
            [
                "bounds.low: expected a whole number, got a string",
                "bounds.hihg: unknown field; did you mean 'high'?",
            ],
        ),
        ({**LEAF, "bounds": 5}, ["bounds: expected an object, got a number"]),
        ({**LEAF, "score": True}, ["score: expected a number, got true"]),
        ({**LEAF, "score": 11}, [": score lies above bounds.high; lower it"]),
        ({**LEAF, "either": None}, ["either: expected int or bool or str, got null"]),
        (
            {**LEAF, "message": 5, "negate": "no", "scoer": 1},
            [
                "message: expected a string, got a number",
                "negate: expected true or false, got a string",
                "scoer: unknown field; did you mean 'score'?",
            ],
        ),
        (
            {"type": "group", "all": [LEAF, {"type": "leaf"}, 5], "alone": {"type": "laef"}},
            [
                "all[1].in: missing; add it",
                "all[2]: expected an object, got a number",
                "alone.type: no assertion type 'laef'; did you mean 'leaf'?",
            ],
        ),
    ],
)
def test_each_fault_is_told_at_its_place(
    reader: CheckReader, value: object, faults: list[str]
) -> None:
    found = told(reader, value)
    assert len(found) == len(faults), found
    assert all(one.startswith(fault) for one, fault in zip(found, faults, strict=True)), found


def test_checks_within_checks_have_needs(reader: CheckReader) -> None:
    check = reader.read({"type": "group", "all": [{"type": "group"}, LEAF]})
    assert list(needs_of(check)) == [Script("own"), Script("own")]
