"""The part of a run that ``--shard`` names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.settings.shard import Shard, parse_shard


@given(
    st.integers(1, 999_999).flatmap(lambda count: st.tuples(st.integers(1, count), st.just(count)))
)
@settings(deadline=None)
def test_a_shard_is_read_as_it_is_shown(numbers: tuple[int, int]) -> None:
    shard = Shard(*numbers)
    assert parse_shard(str(shard)) == shard


def test_space_around_it_is_nothing() -> None:
    assert parse_shard(" 2/4\n") == Shard(2, 4)


@pytest.mark.parametrize(
    "text",
    ["", "1", "/", "1/", "/2", "0/2", "3/2", "0/0", "-1/2", "1/-2", "1.0/2", "1/2/3", "²/3", "a/b"],
)
def test_what_is_no_part_is_told_how_to_be_written(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no part of a run; write K/N, from 1/N to N/N"):
        parse_shard(text)
