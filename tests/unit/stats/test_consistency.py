from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import ABSENT
from assay.stats.consistency import consistency


@pytest.mark.parametrize(
    ("outputs", "share"),
    [
        ([], 0.0),
        (["a"], 1.0),
        (["a", "a", "a"], 1.0),
        (["a", "b", "a"], 2 / 3),
        (["a", "b", "c", "d"], 0.25),
        ([" a\n", "a"], 1.0),
        (["a  b", "a b"], 0.5),
        (["A", "a"], 0.5),
        ([{"a": 1, "b": 2.0}, {"b": 2, "a": 1.0}], 1.0),
        (['{"a": 1, "b": 2}', '{"b":2,"a":1}\n', {"a": 1, "b": 2}], 1.0),
        (['[1, {"a": null}]', '[1.0,{"a":null}]'], 1.0),
        (['{"a": 1', '{"a":1'], 0.5),
        (["1.0", "1"], 0.5),
        ([1.0, 1], 1.0),
        ([True, 1], 0.5),
        ([[1, 2], [2, 1]], 0.5),
        ([None, None], 1.0),
        (["", ""], 1.0),
        ([ABSENT], 0.0),
        ([ABSENT, ABSENT, ABSENT], 0.0),
        (["a", ABSENT, ABSENT, ABSENT], 0.25),
        (["a", ABSENT, "a", "b"], 0.5),
        (["[" * 5000, "[" * 5000], 1.0),
    ],
)
def test_share_of_the_most_frequent_output(outputs: list[object], share: float) -> None:
    assert consistency(outputs) == pytest.approx(share)
    assert consistency(iter(outputs)) == pytest.approx(share)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@settings(deadline=None)
@given(st.lists(JSON | st.just(ABSENT), min_size=1), st.randoms(use_true_random=False))
def test_order_is_no_matter_and_the_share_is_one_of_runs(
    outputs: list[object], rng: random.Random
) -> None:
    share = consistency(outputs)
    shuffled = list(outputs)
    rng.shuffle(shuffled)
    assert consistency(shuffled) == share
    assert 0 <= share <= 1
    assert round(share * len(outputs), 6).is_integer()
    assert (share == 0) == all(output is ABSENT for output in outputs)


@settings(deadline=None)
@given(st.lists(JSON, max_size=3) | st.dictionaries(st.text(), JSON), st.integers(2, 5))
def test_the_layout_of_json_is_no_matter(value: object, runs: int) -> None:
    outputs = [json.dumps(value, indent=indent or None) for indent in range(runs)]
    assert consistency([*outputs, value]) == 1.0
