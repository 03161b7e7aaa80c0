"""The cases of several files in one order, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.merging.order import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

Place = tuple[str, str, int]
"""Suite, id and index of a result."""

PLACES = st.lists(
    st.tuples(st.sampled_from(["a", "b", "ü"]), st.text(max_size=3), st.integers(0, 1 << 40)),
    max_size=30,
)


def order_of(files: Sequence[Sequence[Place]], suites: Sequence[str] = ("b", "a", "ü")) -> Order:
    order = Order(suites)
    for number, file in enumerate(files):
        for offset, (suite, case_id, index) in enumerate(file):
            order.add(suite, case_id, index, number, offset)
    return order


@given(st.lists(PLACES, max_size=4))
@settings(deadline=None)
def test_the_last_of_each_case_stays_in_the_order_of_suites(files: list[list[Place]]) -> None:
    last: dict[tuple[str, str], tuple[int, int, int, int]] = {}
    everything: list[tuple[int, int]] = []
    for number, file in enumerate(files):
        for offset, (suite, case_id, index) in enumerate(file):
            last[suite, case_id] = ("baü".index(suite), index, number, offset)
            everything.append((number, offset))
    kept = [place[2:] for place in sorted(last.values())]

    order = order_of(files)
    out = order.settle()

    assert list(order) == kept
    assert len(order) == len(kept)
    assert out == [place for place in everything if place not in kept]


def test_results_are_counted_by_suite() -> None:
    order = order_of([[("a", "1", 0), ("a", "2", 1), ("new", "1", 2)], [("a", "1", 0)]])
    order.settle()

    assert dict(order.counts()) == {"b": 0, "a": 2, "ü": 0, "new": 1}
    assert list(order) == [(1, 0), (0, 1), (0, 2)]
