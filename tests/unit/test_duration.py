from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.duration import format_ms, format_seconds, parse


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0", 0.0),
        ("0s", 0.0),
        ("300ms", 0.3),
        ("5m", 300.0),
        ("1m30s", 90.0),
        ("1h2m3s4ms5us6ns", 3723.004005006),
        ("1.5h", 5400.0),
        (".5s", 0.5),
        ("1.s", 1.0),
        ("1.5m1.5s", 91.5),
        ("10µs", 1e-5),  # the micro sign
        ("10μs", 1e-5),  # the Greek letter
        ("1ns", 1e-9),
        ("+2s", 2.0),
        (" 2s ", 2.0),
        ("30s1m", 90.0),
        ("0.1s", 0.1),
        ("2562047h47m16.854775807s", 9223372036.854775807),
    ],
)
def test_reads_what_go_reads(text: str, seconds: float) -> None:
    assert parse(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "s", ".s", "1", "1.5", "5 m", "1x", "1m30", "m5", "1h-2m", "1,5s", "1e3s", "１s",
     "five minutes", "5min", "5M", "1d", "--1s", "2562047h47m16.854775808s", "9" * 5000 + "s",
     "1s" * 1000],
)  # fmt: skip
def test_what_is_no_duration_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"write .*(ms|s)\b") as caught:
        parse(text)
    assert len(str(caught.value)) < 200


def test_the_message_fits_the_fault() -> None:
    with pytest.raises(ValueError, match=r"^'30' has no unit; write 30s for seconds or 30ms$"):
        parse("30")
    with pytest.raises(ValueError, match=r"^'-1s' is negative; "):
        parse("-1s")
    with pytest.raises(ValueError, match=r"^'soon' is not a duration; .* such as 300ms, 30s or"):
        parse("soon")


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0ms"),
        (300, "300ms"),
        (999, "999ms"),
        (1000, "1s"),
        (1049, "1s"),
        (1050, "1.1s"),
        (1234, "1.2s"),
        (10_000, "10s"),
        (59_949, "59.9s"),
        (59_950, "1m"),
        (60_000, "1m"),
        (90_000, "1m30s"),
        (90_499, "1m30s"),
        (90_500, "1m31s"),
        (300_000, "5m"),
        (3_599_500, "1h"),
        (3_605_000, "1h5s"),
        (7_500_000, "2h5m"),
        (90_061_000, "25h1m1s"),
    ],
)
def test_measured_times_are_short(ms: int, text: str) -> None:
    assert format_ms(ms) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.3, "300ms"),
        (0.0015, "1.5ms"),
        (2e-5, "20µs"),
        (1e-9, "1ns"),
        (1, "1s"),
        (1.25, "1.25s"),
        (59.999, "59.999s"),
        (90, "1m30s"),
        (90.5, "1m30.5s"),
        (300, "5m"),
        (3600, "1h"),
        (3605, "1h5s"),
        (7500, "2h5m"),
    ],
)
def test_settings_are_written_exactly(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**16))
def test_what_is_written_reads_back(nanoseconds: int) -> None:
    seconds = nanoseconds / 1e9
    assert parse(format_seconds(seconds)) == pytest.approx(seconds, abs=1e-9)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**10))
def test_a_short_time_is_near_the_measured_one(ms: int) -> None:
    shown = round(1000 * parse(format_ms(ms)))
    assert abs(shown - ms) <= (0 if ms < 1000 else 50 if ms < 60_000 else 500)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.hmsuµn+- "))
def test_a_text_is_a_duration_or_refused(text: str) -> None:
    try:
        seconds = parse(text)
    except ValueError:
        seconds = 0
    assert seconds >= 0
