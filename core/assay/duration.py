"""Durations, read and written as Go has them: ``300ms``, ``1m30s``, ``5m``."""

from __future__ import annotations

import re
from typing import Final

_NANOSECONDS: Final = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "µs": 1_000,  # the micro sign
    "μs": 1_000,  # the Greek letter
    "ns": 1,
}

_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(h|ms|m|s|us|µs|μs|ns)")
_LONGEST: Final = 100
_MOST: Final = 2**63 - 1
"""Nanoseconds: what Go can hold, 292 years."""


def parse(text: str) -> float:
    """Read a duration: numbers with units, as ``1h30m``, ``1.5s`` or ``300ms``; or ``0``.

    The units are ``ns``, ``us`` (or ``µs``), ``ms``, ``s``, ``m`` and ``h``.

    Returns:
        Seconds.

    Raises:
        ValueError: It is no duration, or a negative one; says how to write one.
    """
    plain = text.strip().removeprefix("+")
    total, end = 0, 0
    if plain != "0":
        while len(plain) <= _LONGEST and (match := _PART.match(plain, end)):
            whole, fraction, unit = match[1], match[2] or "", match[3]
            if not whole and not fraction:
                break
            scale = _NANOSECONDS[unit]
            total += int(whole or "0") * scale
            total += int(fraction or "0") * scale // 10 ** len(fraction)
            end = match.end()
        if end == 0 or end != len(plain) or total > _MOST:
            raise ValueError(_mend(text))
    return total / 1_000_000_000


def format_seconds(seconds: float) -> str:
    """Write a duration so that ``parse`` reads the same: ``0.3`` as ``300ms``, ``90`` as ``1m30s``.

    Args:
        seconds: Not negative; rounded to nanoseconds.
    """
    nanoseconds = round(seconds * 1_000_000_000)
    for unit in ("ns", "µs", "ms"):
        if nanoseconds < 1000 * _NANOSECONDS[unit]:
            return _decimal(nanoseconds, unit) if nanoseconds else "0s"
    minutes, rest = divmod(nanoseconds, _NANOSECONDS["m"])
    return _clock(minutes) + (_decimal(rest, "s") if rest else "")


def format_ms(ms: int) -> str:
    """Write a measured time for people: ``300ms``, ``1.2s``, ``1m30s``, ``5m``, ``2h5m``.

    Args:
        ms: Milliseconds, not negative. From one second on, tenths of a second are shown, and
            from one minute on whole seconds, each rounded.
    """
    if ms < 1000:
        return f"{ms}ms"
    tenths = (ms + 50) // 100
    if tenths < 600:
        return f"{tenths // 10}.{tenths % 10}s".replace(".0s", "s")
    minutes, seconds = divmod((ms + 500) // 1000, 60)
    return _clock(minutes) + (f"{seconds}s" if seconds else "")


def _clock(minutes: int) -> str:
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}h" if hours else "") + (f"{minutes}m" if minutes else "")


def _decimal(nanoseconds: int, unit: str) -> str:
    whole, rest = divmod(nanoseconds, _NANOSECONDS[unit])
    digits = len(str(_NANOSECONDS[unit])) - 1
    fraction = f".{rest:0{digits}}".rstrip("0") if rest else ""
    return f"{whole}{fraction}{unit}"


def _mend(text: str) -> str:
    shown = text if len(text) <= 40 else text[:39] + "…"
    if text.strip().startswith("-"):
        return f"{shown!r} is negative; write a duration such as 300ms, 30s or 1m30s"
    number = re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text.strip())
    if number and len(text) <= _LONGEST:
        return f"{shown!r} has no unit; write {number[0]}s for seconds or {number[0]}ms"
    return (
        f"{shown!r} is not a duration; write numbers with the units ms, s, m or h, "
        "such as 300ms, 30s or 1m30s"
    )
