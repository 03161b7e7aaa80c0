"""What is kept and passed on of a worker's prints."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.scripts.printed import LAST_CHARACTERS, LAST_LINES, MOST_TOLD, Printed


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=20), st.integers(1, 7))
def test_lines_are_passed_on_whole_however_they_arrive(lines: list[str], size: int) -> None:
    told: list[str] = []
    printed = Printed(told.append)
    lines = [line.replace("\n", "") for line in lines]
    data = "".join(f"{line}\n" for line in lines).encode()
    for start in range(0, len(data), size):
        printed.feed(data[start : start + size])
    printed.finish()
    assert told == lines


def test_a_last_line_without_an_end_is_passed_on_once() -> None:
    told: list[str] = []
    printed = Printed(told.append)
    printed.feed(b"whole\nhalf")
    assert told == ["whole"]
    printed.finish()
    printed.finish()
    assert told == ["whole", "half"]


def test_one_call_is_bounded_and_the_next_is_heard_again() -> None:
    told: list[str] = []
    printed = Printed(told.append)
    for _ in range(1000):
        printed.feed(b"x" * 1000)
    assert len(told) == 1
    assert told[0].startswith("x" * MOST_TOLD)
    assert len(told[0]) < MOST_TOLD + 100
    printed.fresh()
    printed.feed(b"again\n")
    assert told[-1] == "again"


def test_the_last_lines_for_a_message() -> None:
    printed = Printed()
    assert printed.last() == ""
    printed.feed(b"first\n" * 100_000)
    for number in range(LAST_LINES):
        printed.feed(b"%d \xff\n\n" % number)
    assert printed.last().split("\n") == [f"{number} \\xff" for number in range(LAST_LINES)]
    printed.feed(b"y" * 1_000_000)
    assert printed.last() == "y" * LAST_CHARACTERS
