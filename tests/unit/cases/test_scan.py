"""The first reading of a suite: counts, faults in order, duplicates, needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from assay.cases.scan import MOST_FAULTS, Faults
from assay.cases.select import Selection
from assay.codec.faults import Fault
from assay.model.case import Case, Entry, Where

if TYPE_CHECKING:
    from tests.unit.cases.conftest import Desk


def case(name: str, **fields: object) -> dict[str, object]:
    return {"id": name, "input": "x", **fields}


def told(faults: Faults) -> list[str]:
    return [str(fault).partition(";")[0] for fault in faults.faults]


def test_counts(desk: Desk, faults: Faults) -> None:
    found = desk.scan(
        case("a", expected="x"),
        case("b"),
        case("c", skip=True),
        case("d", **{"assert": {"type": "contains", "value": "x"}}),
        faults=faults,
    )
    assert not faults.faults
    assert (found.written, found.selected, found.skipped, found.unasserted) == (4, 4, 1, 2)
    assert found.first_unasserted == Where("cases.jsonl", 2)
    assert len(set(found.hashes)) == 4


def test_what_is_selected_is_counted_and_all_is_checked(desk: Desk, faults: Faults) -> None:
    selection = Selection(run=re.compile("^a"), tags=("x", "y"))
    found = desk.scan(
        case("a1", tags=["x"]),
        case("a2", tags=["z"]),
        case("b1", tags=["x"]),
        case("a3", tags=["y", "z"], skip=True),
        case("b2", timeout="soon"),
        faults=faults,
        selection=selection,
    )
    assert (found.written, found.selected, found.skipped) == (5, 2, 1)
    assert told(faults) == ["cases.jsonl:5 timeout: 'soon' is no duration"]


def test_a_selector_that_stops_early_hides_no_fault(desk: Desk, faults: Faults) -> None:
    def first(cases: Iterator[Case]) -> Iterator[Case]:
        return islice(cases, 1)

    found = desk.scan(
        case("a"),
        case("b"),
        case("a"),
        {"id": "c"},
        faults=faults,
        selection=Selection(chain=first),
    )
    assert (found.written, found.selected) == (4, 1)
    assert told(faults) == [
        "cases.jsonl:3 id: 'a' is the id of line 1 too",
        "cases.jsonl:4 input: missing",
    ]


def test_faults_stand_in_the_order_of_lines(desk: Desk, faults: Faults) -> None:
    desk.scan(case("a"), {"id": "a"}, case("a", timeout="x"), {"id": "b"}, case("b"), faults=faults)
    assert told(faults) == [
        "cases.jsonl:2 input: missing",
        "cases.jsonl:2 id: 'a' is the id of line 1 too",
        "cases.jsonl:3 timeout: 'x' is no duration",
        "cases.jsonl:3 id: 'a' is the id of line 1 too",
        "cases.jsonl:4 input: missing",
        "cases.jsonl:5 id: 'b' is the id of line 4 too",
    ]


def test_the_faults_of_an_earlier_suite_stay_where_they_are(desk: Desk, faults: Faults) -> None:
    desk.key = "z.jsonl"
    desk.scan(case("a"), {"id": "b"}, faults=faults)
    desk.key = "a.jsonl"
    desk.scan({"id": "a"}, faults=faults)
    assert told(faults) == ["z.jsonl:2 input: missing", "a.jsonl:1 input: missing"]


def test_the_source_is_read_again_for_duplicates_alone(desk: Desk, faults: Faults) -> None:
    desk.scan(case("a"), case("b"), faults=faults)
    assert desk.read == 2
    desk.scan(case("a"), case("a"), faults=faults)
    assert desk.read == 2 + 4


@pytest.mark.parametrize("value", [None, [], "text", 5, {"id": 5}, {"id": ""}, {}])
def test_what_has_no_id_is_no_duplicate(desk: Desk, faults: Faults, value: object) -> None:
    found = desk.scan(value, value, faults=faults)
    assert found.written == 2
    assert not [fault for fault in faults.faults if "too" in fault.what]
    assert len(faults.faults) >= 2


def test_a_line_that_is_no_json_is_told(desk: Desk, faults: Faults) -> None:
    problem = Entry(where=Where("cases.jsonl", 7), problem="not JSON", mend="write JSON")
    desk.scan(problem, faults=faults)
    assert faults.lines() == ["cases.jsonl:7: not JSON; write JSON"]
    assert faults.heading() == "1 fault in the cases; no agent was asked"


def test_needs_are_looked_for(desk: Desk, faults: Faults) -> None:
    check = {"type": "script", "script": "scripts.gone.check"}
    desk.scan(
        case("a", **{"assert": check}),
        case("b", **{"assert": [{"type": "contains", "value": "x"}, check]}),
        faults=faults,
    )
    assert told(faults) == [
        "cases.jsonl:1 assert: script 'scripts.gone.check' was not found",
        "cases.jsonl:2 assert[1]: script 'scripts.gone.check' was not found",
    ]


def test_faults_are_bounded(desk: Desk, faults: Faults) -> None:
    desk.scan(*[5] * (MOST_FAULTS + 3), faults=faults)
    assert len(faults.faults) == MOST_FAULTS
    assert faults.heading() == f"{MOST_FAULTS + 3} faults in the cases; no agent was asked"
    assert faults.lines()[-1] == "… and 3 more"


def test_a_warning_that_repeats_is_told_once(desk: Desk, faults: Faults) -> None:
    desk.scan(case("a", timeot="1s"), case("b", timeot="2s"), case("c", note=1), faults=faults)
    assert not faults.faults
    first, second = faults.warnings()
    assert first == ("cases.jsonl:1 timeot: unknown field; did you mean 'timeout'? (on 2 lines)")
    assert second.startswith("cases.jsonl:3 note: unknown field; known: ")


def test_odd_fields_are_faults_when_strict(desk: Desk, faults: Faults) -> None:
    desk.strict = True
    desk.scan(case("a", note=1), faults=faults)
    assert told(faults) == ["cases.jsonl:1 note: unknown field"]
    assert not faults.warnings()


def test_the_hash_of_a_case_is_that_of_its_value(desk: Desk, faults: Faults) -> None:
    one = desk.scan({"id": "a", "input": "x", "metadata": {"b": 1, "c": 2}}, faults=faults)
    other = desk.scan({"metadata": {"c": 2, "b": 1}, "input": "x", "id": "a"}, faults=faults)
    changed = desk.scan({"metadata": {"c": 2, "b": 2}, "input": "x", "id": "a"}, faults=faults)
    assert list(one.hashes) == list(other.hashes) != list(changed.hashes)


def test_a_fault_is_one_line() -> None:
    fault = Fault(where=Where("f", 1), field="", what="what", mend="mend")
    assert str(fault) == "f:1: what; mend"
    assert str(Fault(where=Where("f"), field="a.b", what="what")) == "f a.b: what"
