from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.settings.rate import Rate, parse_rate
from assay.settings.table import by_name
from assay.settings.values import from_python, from_text, from_toml

if TYPE_CHECKING:
    from assay.settings.setting import Setting

RUNS = by_name("runs")
SHARE = by_name("min_pass_rate")
TIMEOUT = by_name("timeout")
RATE = by_name("rate")
FAST = by_name("fail_fast")
PATTERN = by_name("run_pattern")
USER = by_name("user")
INPUT = by_name("inputs")


@pytest.mark.parametrize(
    ("setting", "text", "expected"),
    [
        (RUNS, "3", 3),
        (RUNS, " 12 ", 12),
        (SHARE, "0", 0.0),
        (SHARE, "100", 100.0),
        (SHARE, "66.7", 66.7),
        (TIMEOUT, "300ms", 0.3),
        (TIMEOUT, "1m30s", 90.0),
        (by_name("max_wait"), "0s", 0.0),
        (by_name("retries"), "0", 0),
        (RATE, "60/m", Rate(60, "m")),
        (FAST, "1", True),
        (FAST, "TRUE", True),
        (FAST, "off", False),
        (USER, "ops team", "ops team"),
    ],
)
def test_text_is_read_by_kind(setting: Setting, text: str, expected: object) -> None:
    value = from_text(setting, text)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("setting", "text", "message"),
    [
        (RUNS, "0", "must be at least 1, not 0"),
        (RUNS, "-1", "must be at least 1, not -1"),
        (RUNS, "3.5", "'3.5' is not a whole number"),
        (RUNS, "１", "'１' is not a whole number"),
        (RUNS, "1_0", "'1_0' is not a whole number"),
        (RUNS, "", "'' is not a whole number"),
        (by_name("parallel"), "0", "must be at least 1, not 0"),
        (by_name("retries"), "-1", "must be at least 0, not -1"),
        (SHARE, "100.1", "must be at most 100, not 100.1"),
        (SHARE, "-1", "must be at least 0, not -1"),
        (SHARE, "nan", "'nan' is not a number"),
        (SHARE, "80%", "'80%' is not a number"),
        (TIMEOUT, "0s", "must be more than 0, not 0"),
        (TIMEOUT, "9" * 400 + "h", "'9999"),
        (RATE, "0/s", "'0/s' is not a rate; write N/s, N/m or N/h, such as 60/m"),
        (RATE, "60", "'60' is not a rate; write N/s, N/m or N/h, such as 60/m"),
        (FAST, "maybe", "'maybe' is neither true nor false; write 1 or 0"),
        (PATTERN, "(a", "'(a' is not a regular expression: missing ), unterminated"),
        (USER, "", "it is empty; write a value or leave it out"),
        (INPUT, "", "it is empty; write a value or leave it out"),
    ],
)
def test_wrong_text_is_refused_with_what_is_wrong(
    setting: Setting, text: str, message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        from_text(setting, text)


def test_a_bad_duration_is_refused() -> None:
    with pytest.raises(ValueError, match="soon"):
        from_text(TIMEOUT, "soon")


def test_a_pattern_is_compiled_without_warnings_to_the_user() -> None:
    pattern = from_text(PATTERN, "[[T]0+")
    assert isinstance(pattern, re.Pattern)
    assert pattern.search("T001")


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        (RUNS, 3, 3),
        (SHARE, 80, 80.0),
        (SHARE, 66.5, 66.5),
        (TIMEOUT, "5s", 5.0),
        (RATE, "1/s", Rate(1, "s")),
        (FAST, True, True),
        (USER, "admin", "admin"),
    ],
)
def test_toml_is_read_by_kind(setting: Setting, value: object, expected: object) -> None:
    assert from_toml(setting, value) == expected


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        (RUNS, "3", "expected a whole number, not the text '3'"),
        (RUNS, True, "expected a whole number, not true"),
        (RUNS, 2.0, "expected a whole number, not the number 2.0"),
        (RUNS, 0, "must be at least 1, not 0"),
        (SHARE, float("nan"), "must be at least 0, not nan"),
        (SHARE, 10**400, f"must be at most 100, not {10**400}"),
        (RUNS, -(10**400), f"must be at least 1, not {-(10**400)}"),
        (SHARE, "80", "expected a number, not the text '80'"),
        (TIMEOUT, 30, 'expected a duration in quotes, such as "30s", not the number 30'),
        (RATE, 1, 'expected a rate in quotes, such as "60/m", not the number 1'),
        (FAST, "true", "expected true or false, not the text 'true'"),
        (FAST, 1, "expected true or false, not the number 1"),
        (USER, 1, "expected text in quotes, not the number 1"),
        (USER, ["a"], "expected text in quotes, not a list"),
        (USER, {}, "expected text in quotes, not a table"),
    ],
)
def test_toml_of_another_type_is_refused(setting: Setting, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        from_toml(setting, value)


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        (RUNS, "3", 3),
        (RUNS, 3, 3),
        (TIMEOUT, 1.5, 1.5),
        (TIMEOUT, 2, 2.0),
        (TIMEOUT, "2s", 2.0),
        (RATE, Rate(2, "s"), Rate(2, "s")),
        (FAST, False, False),
        (INPUT, Path("cases.jsonl"), "cases.jsonl"),
    ],
)
def test_programs_may_hand_over_values(setting: Setting, value: object, expected: object) -> None:
    assert from_python(setting, value) == expected


def test_programs_may_hand_over_a_pattern() -> None:
    pattern = re.compile("a")
    assert from_python(PATTERN, pattern) is pattern


@pytest.mark.parametrize("value", [float("inf"), float("nan"), True, 0, -1, None])
def test_a_timeout_that_is_none_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"expected|must be|has no end"):
        from_python(TIMEOUT, value)


def test_a_rate_says_its_interval() -> None:
    assert parse_rate("10/s").interval == 0.1
    assert parse_rate("30/m").interval == 2
    assert parse_rate("0.5/h").interval == 7200
    assert str(parse_rate("0.50/h")) == "0.5/h"
    assert str(parse_rate("60/m")) == "60/m"


@settings(deadline=None)
@given(st.integers(min_value=1, max_value=10**9), st.sampled_from("smh"))
def test_a_rate_is_read_back(count: int, unit: str) -> None:
    rate = parse_rate(f"{count / 1000:.3f}/{unit}")
    assert parse_rate(str(rate)) == rate


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for setting in (RUNS, SHARE, TIMEOUT, RATE, FAST, PATTERN, USER, by_name("sets")):
        with contextlib.suppress(ValueError):
            from_text(setting, text)
