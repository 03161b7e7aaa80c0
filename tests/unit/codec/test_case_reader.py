"""A case line to a case: whatever it holds, it is a case or it has faults, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay.absent import ABSENT
from assay.codec.cases import CASE_KEYS, CaseReader, Reading, case_of
from assay.codec.checks import CheckReader, make_check_reader
from assay.codec.converter import Structurer
from assay.discovery.manager import make_plugins
from assay.model.case import Entry, Where
from assay.model.message import ROLES, Message

PLUGINS = make_plugins()
TYPES = PLUGINS.words("assertion")


@pytest.fixture(scope="module")
def checks() -> CheckReader:
    return make_check_reader(Structurer(), lambda: TYPES, PLUGINS.assertion)


def read(checks: CheckReader, value: object, *, strict: bool = False) -> Reading:
    return CaseReader(checks, strict).read(Entry(where=Where("f.jsonl", 3), value=value))


ANY = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["x", "", "user", "text", "1m", "0s", "$.a", "("]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)

PART = ANY | st.fixed_dictionaries({"type": ANY}, optional={"text": ANY})
MESSAGE = ANY | st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(ROLES) | ANY,
        "content": ANY | st.lists(PART, max_size=3),
        "name": ANY,
        "tool_calls": ANY | st.lists(ANY, max_size=2),
        "tool_call_id": ANY,
        "refusal": ANY,
        "extra": ANY,
    },
)
ASSERTION = ANY | st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES) | ANY},
    optional={
        "value": ANY,
        "path": ANY,
        "in": ANY,
        "exists": ANY,
        "script": ANY,
        "engine": ANY,
        "ignore_case": ANY,
        "message": ANY,
        "negate": ANY,
    },
)
LINE = ANY | st.fixed_dictionaries(
    {},
    optional={
        "id": ANY,
        "input": ANY | MESSAGE | st.lists(MESSAGE, max_size=3),
        "assert": ASSERTION | st.lists(ASSERTION, max_size=3),
        "options": ANY
        | st.fixed_dictionaries({}, optional={"connector": ANY, "metadata": ANY, "skip": ANY}),
        **dict.fromkeys(
            ("expected", "user", "team", "metadata", "skip", "timeout", "tags", "note"), ANY
        ),
    },
)


@given(line=LINE, strict=st.booleans())
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@example(line={"id": "a", "input": "x", "a\nb\x1b": 1}, strict=True)
@example(line={"id": "a", "input": {"role": "x" * 10_000}}, strict=True)
@example(line={"id": "a", "input": [{"role": "x\ny"}]}, strict=False)
@example(line={"id": "a", "input": "x", "timeout": "1\n"}, strict=False)
@example(line={"id": "a", "input": "x", "assert": {"type": "x\n"}}, strict=False)
def test_any_line_is_a_case_or_has_faults(checks: CheckReader, line: object, strict: bool) -> None:
    reading = read(checks, line, strict=strict)
    assert (reading.case is None) == bool(reading.faults)
    assert not (strict and reading.warnings)
    for fault in (*reading.faults, *reading.warnings):
        assert fault.where == Where("f.jsonl", 3)
        assert fault.what
        assert len(str(fault).splitlines()) == 1
        assert len(str(fault)) < 5000
        assert "\x1b" not in str(fault)
        assert str(fault).startswith("f.jsonl:3")
    case = reading.case
    if case is not None:
        assert isinstance(line, dict)
        assert case.id == line["id"] != ""
        assert case.raw is line
        assert all(isinstance(message, Message) for message in case.messages)
        assert case.has_checks == ("assert" in line or "expected" in line) == bool(case.checks)
        assert case.timeout is None or case.timeout > 0


@given(line=LINE)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_check_that_is_written_reads_back_equal(checks: CheckReader, line: object) -> None:
    case = read(checks, line).case
    for check in case.checks if case is not None else ():
        written = checks.write(check)
        assert checks.read(written) == check
        # What a worker elsewhere is told has gone through JSON.
        json.dumps(written, allow_nan=True)


@given(line=LINE)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_case_of_a_report_is_the_case_without_its_checks(
    checks: CheckReader, line: object
) -> None:
    case = read(checks, line).case
    if case is None:
        return
    again = case_of(case.raw, case.where)
    assert (again.id, again.messages, again.user, again.team) == (
        case.id,
        case.messages,
        case.user,
        case.team,
    )
    assert (again.tags, again.timeout, again.options) == (case.tags, case.timeout, case.options)
    assert again.checks == ()


def test_every_field(checks: CheckReader) -> None:
    line: dict[str, Any] = {
        "id": "T001",
        "input": [
            {"role": "system", "content": "Be brief."},
            {"content": [{"type": "text", "text": "one"}, {"type": "image_url", "image_url": {}}]},
        ],
        "expected": None,
        "assert": [
            {"type": "contains", "value": "x", "negate": True, "message": "no x"},
            {"type": "json_path", "path": "a[0].b", "in": [1]},
        ],
        "user": "u",
        "team": "t",
        "metadata": {"m": 1},
        "options": {"connector": "c", "mode": "m", "metadata": {}, "skip": {}},
        "skip": True,
        "timeout": "1m30s",
        "tags": ["a", "b"],
    }
    assert set(line) == set(CASE_KEYS)
    reading = read(checks, line, strict=True)
    assert (reading.faults, reading.warnings) == ((), ())
    case = reading.case
    assert case is not None
    assert case.messages[0] == Message(role="system", content="Be brief.")
    assert (case.messages[1].role, case.messages[1].text) == ("user", "one")
    assert case.expected is None
    assert [check.type for check in case.checks] == ["contains", "json_path"]
    assert (case.checks[0].negate, case.checks[0].message) == (True, "no x")
    assert (case.user, case.team, case.tags, case.skip) == ("u", "t", ("a", "b"), True)
    assert case.timeout == 90
    assert case.where == Where("f.jsonl", 3)


def test_absent_and_null(checks: CheckReader) -> None:
    absent = read(checks, {"id": "a", "input": "x"}).case
    null = read(checks, {"id": "a", "input": "x", "expected": None}).case
    assert absent is not None
    assert null is not None
    assert (absent.expected, absent.checks) == (ABSENT, ())
    assert null.expected is None
    assert [check.type for check in null.checks] == ["equals"]
    # Fields that are null are as if they were not there.
    optional = ("user", "team", "metadata", "options", "timeout")
    case = read(checks, {"id": "a", "input": "x", **dict.fromkeys(optional)}).case
    assert case is not None
    assert (case.user, case.team, case.timeout) == (None, None, None)
    assert (case.metadata, case.options) == ({}, {})


def test_a_message_beside_tool_calls_needs_no_text(checks: CheckReader) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    case = read(checks, {"id": "a", "input": [message, {"content": "x"}]}).case
    assert case is not None
    assert case.messages[0] == Message(role="assistant", tool_calls=(call,))


def test_assert_decides_where_both_are_given(checks: CheckReader) -> None:
    line = {"id": "a", "input": "x", "expected": 1, "assert": {"type": "type", "value": "string"}}
    case = read(checks, line).case
    assert case is not None
    assert [check.type for check in case.checks] == ["type"]
    assert case.expected == 1
