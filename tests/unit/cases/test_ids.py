"""Duplicate ids are found by their hashes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases.ids import Ids, digest


@given(ids=st.lists(st.text(max_size=3) | st.text(st.characters(), max_size=20)))
@settings(deadline=None)
def test_exactly_the_ids_that_come_twice_are_found(ids: list[str]) -> None:
    noted = Ids()
    for case_id in ids:
        noted.add(case_id)
    twice = {case_id for case_id, count in Counter(ids).items() if count > 1}
    assert noted.duplicates() == {digest(case_id) for case_id in twice}


def test_many_ids_do_not_collide() -> None:
    noted = Ids()
    for number in range(20_000):
        noted.add(f"T{number:05}")
    noted.add("T12345")
    assert noted.duplicates() == {digest("T12345")}


def test_the_hash_of_an_id_is_the_same_everywhere() -> None:
    assert digest("T001") == 0xE5EAC89FE865EAEE
    # Half a surrogate pair, as JSON may hold.
    assert digest("\ud800") != digest("\ud801")
