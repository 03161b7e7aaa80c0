"""Sizes of files as users write them: ``20MB``, ``512KB``; decimal, so 1 KB is 1000 bytes."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,15}))? ?([A-Za-z]+)")


def parse(text: str) -> int:
    """Read a size.

    Args:
        text: A number and one of ``B``, ``KB``, ``MB``, ``GB``, ``TB``, in either case.

    Returns:
        Bytes.

    Raises:
        ValueError: It is not a size, or no whole number of bytes; the message says how to
            write one.
    """
    match = _SIZE.fullmatch(text.strip())
    unit = _UNITS.get(match[3].upper()) if match else None
    if match is None or unit is None:
        raise ValueError(f"{text!r} is not a size; write a number with a unit, such as 20MB")
    fraction = match[2] or ""
    scale: int = 10 ** len(fraction)
    size, rest = divmod(int(match[1] + fraction) * unit, scale)
    if rest:
        raise ValueError(f"{text!r} is not a whole number of bytes")
    return size


def show(size: int) -> str:
    """Write a size so that ``parse`` reads it back, in the largest unit that divides it."""
    for unit, factor in reversed(_UNITS.items()):
        if size >= factor and size % factor == 0:
            return f"{size // factor}{unit}"
    return f"{size}B"
