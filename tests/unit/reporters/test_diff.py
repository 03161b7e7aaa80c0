from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.jsonvalue import equal
from assay_plugins.reporters._diff import DiffLine, common_ends, diff

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=20,
)


def shown(lines: tuple[DiffLine, ...]) -> list[str]:
    signs = {"same": " ", "expected": "-", "actual": "+", "note": "…"}
    return [f"{signs[line.side]}{line.text}" for line in lines]


def test_a_word_that_differs_is_marked() -> None:
    lines = diff("Paris is big", "Rome is big")
    assert shown(lines) == ["-Paris is big", "+Rome is big"]
    assert [line.text[slice(*line.mark)] for line in lines if line.mark] == ["Paris", "Rome"]


def test_equal_lines_far_away_are_counted() -> None:
    before = [f"line {number}" for number in range(10)]
    expected = "\n".join([*before, "old", *before])
    actual = "\n".join([*before, "new", *before])
    assert shown(diff(expected, actual)) == [
        "…8 equal lines",
        " line 8",
        " line 9",
        "-old",
        "+new",
        " line 0",
        " line 1",
        "…8 equal lines",
    ]


def test_a_remark_never_replaces_a_single_line() -> None:
    expected = "\n".join(["a", "b", "c", "old", "d", "e", "f"])
    actual = "\n".join(["a", "b", "c", "new", "d", "e", "f"])
    assert shown(diff(expected, actual)) == [" a", " b", " c", "-old", "+new", " d", " e", " f"]


def test_equal_lines_between_two_differences_are_folded() -> None:
    middle = [f"line {number}" for number in range(9)]
    expected = "\n".join(["first", *middle, "last"])
    actual = "\n".join(["FIRST", *middle, "LAST"])
    assert shown(diff(expected, actual)) == [
        "-first",
        "+FIRST",
        " line 0",
        " line 1",
        "…5 equal lines",
        " line 7",
        " line 8",
        "-last",
        "+LAST",
    ]


def test_a_long_line_is_cut_to_the_part_that_differs() -> None:
    expected = "x" * 5_000 + "needle" + "y" * 5_000
    actual = "x" * 5_000 + "NEEDLE" + "y" * 5_000
    first, second = diff(expected, actual, width=60)
    assert "needle" in first.text
    assert "NEEDLE" in second.text
    assert len(first.text) <= 60
    assert first.text.startswith("…")
    assert first.text.endswith("…")
    assert first.mark is not None
    assert first.text[slice(*first.mark)] == "needle"


def test_white_space_that_differs_is_visible() -> None:
    assert shown(diff("a b", "a  b ")) == ['-"a b"', '+"a  b "']


def test_json_is_compared_without_regard_to_the_order_of_keys_and_commas() -> None:
    expected = {"a": 1, "b": [1, 2], "c": {"d": 1.0}}
    actual = {"c": {"d": 1, "e": 2}, "b": [1, 2], "a": 1}
    assert shown(diff(expected, actual)) == [
        "…6 equal lines",
        '   "c": {',
        '     "d": 1.0',
        '+    "e": 2',
        "   }",
        " }",
    ]


def test_text_and_number_are_told_apart() -> None:
    assert shown(diff("42", 42)) == ['-"42"', "+42"]


def test_text_of_many_lines_against_json_stays_text() -> None:
    lines = shown(diff({"a": 1}, "Sorry,\nI cannot."))
    assert '-  "a": 1' in lines
    assert "+Sorry," in lines


def test_huge_json_is_told_by_the_paths_that_differ() -> None:
    expected = {"rows": [{"id": number, "text": "x" * 50} for number in range(10_000)]}
    actual = json.loads(json.dumps(expected))
    actual["rows"][7_777]["id"] = "gone"
    assert shown(diff(expected, actual)) == [
        '…$.rows[7777].id: expected 7777, got "gone"'  # nothing else differs
    ]


def test_many_paths_are_cut() -> None:
    expected = list(range(100_000))
    actual = [number + 1 for number in expected]
    lines = shown(diff(expected, actual, max_lines=3))
    assert lines == [
        "…$[0]: expected 0, got 1",
        "…$[1]: expected 1, got 2",
        "…$[2]: expected 2, got 3",
        "…more differences",
    ]


@pytest.mark.parametrize("unit", ["x", "\n", "x\n", "\ud800", "漢字 "])
def test_ten_megabytes_give_a_bounded_diff(unit: str) -> None:
    text = unit * (10_000_000 // len(unit))
    middle = len(text) // 2
    lines = diff(text, text[:middle] + "needle" + text[middle:], width=80)
    assert len(lines) <= 45
    assert all(len(line.text) <= 80 for line in lines)
    assert any("needle" in line.text for line in lines)


def test_ten_megabytes_without_anything_in_common_give_a_bounded_diff() -> None:
    lines = diff("a b\n" * 2_500_000, "b a\n" * 2_500_000, max_lines=10)
    assert 2 < len(lines) <= 14
    assert lines[-1].side == "note"


def test_depth_does_not_matter() -> None:
    deep: object = "bottom"
    other: object = "end"
    for _ in range(100_000):
        deep, other = [deep], [other]
    lines = diff(deep, other)
    assert lines
    assert all(len(line.text) <= 200 for line in lines)


@given(st.text(alphabet="ab\n", max_size=60), st.text(alphabet="ab\n", max_size=60))
def test_ends_that_are_shared_are_equal_and_do_not_overlap(left: str, right: str) -> None:
    start, end = common_ends(left, right)
    assert left[:start] == right[:start]
    assert left[len(left) - end :] == right[len(right) - end :]
    assert start + end <= min(len(left), len(right))
    if left != right:
        inner = left[start : len(left) - end], right[start : len(right) - end]
        assert not inner[0] or not inner[1] or inner[0][0] != inner[1][0]


@given(
    st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=30),
    st.lists(st.sampled_from(["a", "b", "c", ""]), min_size=1, max_size=30),
)
def test_both_texts_can_be_read_off(left: list[str], right: list[str]) -> None:
    lines = diff("\n".join(left), "\n".join(right), max_lines=1_000)
    hidden = sum(int(line.text.split()[0]) for line in lines if line.side == "note")
    for side, text in (("expected", left), ("actual", right)):
        seen = [line.text for line in lines if line.side in ("same", side)]
        assert len(seen) + hidden == len(text)
        if not hidden:
            assert seen == text


@given(JSON, JSON)
def test_equal_values_show_no_difference_and_others_do(left: object, right: object) -> None:
    kinds = {line.side for line in diff(left, right, max_lines=1_000)}
    if isinstance(left, str) and isinstance(right, str):
        assert bool(kinds & {"expected", "actual"}) == (_lines(left) != _lines(right))
    elif not isinstance(left, str) and not isinstance(right, str):
        assert bool(kinds & {"expected", "actual"}) == (not equal(left, right))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
