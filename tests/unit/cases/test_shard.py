"""The parts of a run: each case is in one of them, by its id alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.cases.plan import Plan, check_worth
from assay.cases.scan import Faults
from assay.cases.select import Selection
from assay.errors import ConfigError
from assay.settings.shard import Shard

if TYPE_CHECKING:
    from tests.unit.cases.conftest import Desk

IDS = st.lists(st.text(min_size=1), min_size=1, max_size=30, unique=True)
COUNTS = st.integers(1, 9)


def selections(count: int) -> list[Selection]:
    return [Selection(shard=Shard(number, count)) for number in range(1, count + 1)]


@given(st.text(min_size=1), COUNTS)
@settings(deadline=None)
def test_every_case_is_in_one_part(case_id: str, count: int) -> None:
    assert sum(part.in_shard(case_id) for part in selections(count)) == 1


@given(IDS, COUNTS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_parts_are_the_run_together(desk: Desk, ids: list[str], count: int) -> None:
    values = [{"id": each, "input": "x"} for each in ids]

    parts = [desk.planned(*values, selection=part) for part in selections(count)]

    found = sorted((index, case.id) for part in parts for index, case in part.cases())
    assert found == list(enumerate(ids))


@given(IDS, st.text(min_size=1), COUNTS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_another_case_moves_none(desk: Desk, ids: list[str], added: str, count: int) -> None:
    def places(*names: str) -> dict[str, int]:
        values = [{"id": each, "input": "x"} for each in names]
        return {
            case.id: number
            for number, part in enumerate(selections(count))
            for _, case in desk.planned(*values, selection=part).cases()
        }

    before, after = places(*ids), places(*dict.fromkeys([added, *ids]))

    assert {name: after[name] for name in before} == before


def test_parts_are_the_same_in_every_version() -> None:
    """The parts of one run may be carried out by machines that were not set up on one day."""
    first, second = selections(2)

    assert [name for name in "abcdefgh" if first.in_shard(name)] == [*"gh"]
    assert [name for name in "abcdefgh" if second.in_shard(name)] == [*"abcdef"]


def test_what_other_parts_have_is_counted_as_left_out(desk: Desk) -> None:
    values = [{"id": name, "input": "x", "skip": name == "a"} for name in "gah"]

    scan = desk.scan(*values, faults=Faults(), selection=selections(2)[0])

    assert (scan.written, scan.matching, scan.selected) == (3, 3, 2)
    assert (scan.matching_skipped, scan.skipped) == (1, 0)


def test_faults_of_other_parts_are_told_too(desk: Desk) -> None:
    faults = Faults()

    desk.scan({"id": "a"}, {"id": "g", "input": "x"}, faults=faults, selection=selections(2)[0])

    assert [fault.where.line for fault in faults.faults] == [1]


def test_an_empty_part_is_worth_running(desk: Desk) -> None:
    part = selections(2)[0]
    planned = desk.planned({"id": "a", "input": "x"}, selection=part)

    check_worth(Plan(suites=(planned,)), part)

    assert list(planned.cases()) == []


def test_a_part_of_nothing_is_not(desk: Desk) -> None:
    part = Selection(tags=("none",), shard=Shard(1, 2))
    planned = desk.planned({"id": "a", "input": "x"}, selection=part)

    with pytest.raises(ConfigError, match="no case matches --tag none"):
        check_worth(Plan(suites=(planned,)), part)
