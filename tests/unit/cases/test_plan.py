"""The second reading gives what the first one found, or says that the source changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from assay.cases.plan import Plan, check_worth
from assay.cases.select import Selection
from assay.errors import ConfigError
from assay.model.case import Case

if TYPE_CHECKING:
    from tests.unit.cases.conftest import Desk


def case(name: str, **fields: object) -> dict[str, object]:
    return {"id": name, "input": "x", **fields}


def test_the_same_cases_again_with_their_indexes(desk: Desk) -> None:
    planned = desk.planned(case("a"), case("b", skip=True), case("c"), first=7)
    for _ in range(2):
        assert [(index, each.id) for index, each in planned.cases()] == [
            (7, "a"),
            (8, "b"),
            (9, "c"),
        ]


@pytest.mark.parametrize(
    "after",
    [
        [],
        [case("a")],
        [case("a"), case("b"), case("c")],
        [case("b"), case("a")],
        [case("a"), case("b", note=1)],
        [case("a"), {"id": "b"}],
    ],
)
def test_a_source_that_changed_in_between(desk: Desk, after: list[object]) -> None:
    planned = desk.planned(case("a"), case("b"))
    desk.values = after
    with pytest.raises(ConfigError, match=r"cases\.jsonl: it changed while it was being run"):
        list(planned.cases())


def test_another_order_of_keys_is_no_change(desk: Desk) -> None:
    planned = desk.planned({"id": "a", "input": "x", "metadata": {"a": 1, "b": 2}})
    desk.values = [{"metadata": {"b": 2, "a": 1}, "input": "x", "id": "a"}]
    assert [each.id for _, each in planned.cases()] == ["a"]


def test_selectors_may_change_the_order(desk: Desk) -> None:
    def backwards(cases: Iterator[Case]) -> Iterator[Case]:
        return iter(list(cases)[::-1])

    planned = desk.planned(case("a"), case("b"), selection=Selection(chain=backwards))
    assert [(index, each.id) for index, each in planned.cases()] == [(0, "b"), (1, "a")]


def test_a_selector_that_is_not_steady_is_told(desk: Desk) -> None:
    turns = iter([0, 1])

    def moody(cases: Iterator[Case]) -> Iterator[Case]:
        return iter(list(cases)[next(turns) :])

    planned = desk.planned(case("a"), case("b"), selection=Selection(chain=moody))
    with pytest.raises(ConfigError, match="it changed"):
        list(planned.cases())


def test_a_plan_of_several_suites(desk: Desk) -> None:
    selection = Selection(run=re.compile("[ab]"))
    one = desk.planned(case("a"), case("b"), case("c"), selection=selection)
    desk.planned(case("a"))
    plan = Plan(suites=(one,))
    assert (plan.total, plan.deselected, plan.is_message) == (2, 1, False)


def test_a_plan_that_tests_something(desk: Desk) -> None:
    planned = desk.planned(case("a", expected=None), case("b", skip=True))
    check_worth(Plan(suites=(planned,)), Selection())


def test_plans_that_would_test_nothing(desk: Desk) -> None:
    none = Selection()

    def refused(*values: object, selection: Selection = none, **settings: Any) -> str:
        planned = desk.planned(*values, selection=selection, **settings)
        with pytest.raises(ConfigError) as caught:
            check_worth(Plan(suites=(planned,)), selection)
        return str(caught.value)

    assert refused().startswith("cases.jsonl: no cases in it")
    assert refused(case("a", skip=True)).startswith("nothing to run: every case says skip")
    by_id = Selection(run=re.compile("z"), tags=("t",))
    assert refused(case("a"), selection=by_id) == (
        "nothing to run: no case matches --run z --tag t; all 1 were left out"
    )
    by_plugin = Selection(chain=lambda cases: iter(()))
    assert refused(case("a"), selection=by_plugin) == (
        "nothing to run: every case was left out by a plugin"
    )
    assert "cases.jsonl:2 assert: missing" in refused(
        case("a", expected=1), case("b"), require_assertions=True
    )
