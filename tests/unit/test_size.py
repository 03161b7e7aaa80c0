from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20MB", 20_000_000),
        ("512KB", 512_000),
        ("512 kb", 512_000),
        ("0B", 0),
        ("1.5GB", 1_500_000_000),
        ("2TB", 2_000_000_000_000),
        (" 7B ", 7),
    ],
)
def test_sizes_are_decimal(text: str, expected: int) -> None:
    assert size.parse(text) == expected


@pytest.mark.parametrize("text", ["", "20", "MB", "-1MB", "20MiB", "1e3B", "1.B", "２MB", "20MBx"])
def test_what_is_no_size_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a size; write .* such as 20MB"):
        size.parse(text)


def test_parts_of_a_byte_are_refused() -> None:
    with pytest.raises(ValueError, match="whole number of bytes"):
        size.parse("0.5B")


def test_sizes_are_written_in_the_largest_unit_that_fits() -> None:
    assert size.show(20_000_000) == "20MB"
    assert size.show(20_000_001) == "20000001B"
    assert size.show(0) == "0B"


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**15))
def test_what_was_written_is_read_back(amount: int) -> None:
    assert size.parse(size.show(amount)) == amount
