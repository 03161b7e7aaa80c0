"""The ceiling of ``--rate``."""

from __future__ import annotations

import re
from typing import Final

from attrs import frozen

_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}
_RATE: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)/([smh])")


@frozen
class Rate:
    """How often an agent may be asked, evenly spaced."""

    count: float
    """Requests per ``unit``; more than 0."""
    unit: str
    """``s``, ``m`` or ``h``."""

    @property
    def interval(self) -> float:
        """Seconds from one request to the next."""
        return _SECONDS[self.unit] / self.count

    def __str__(self) -> str:
        return f"{self.count:.9f}".rstrip("0").rstrip(".") + f"/{self.unit}"


def parse_rate(text: str) -> Rate:
    """Read a rate such as ``10/s``, ``60/m`` or ``0.5/h``.

    Raises:
        ValueError: It is none; the message says how to write one.
    """
    match = _RATE.fullmatch(text.strip())
    if match is None or float(match[1]) == 0:
        raise ValueError(f"{text!r} is not a rate; write N/s, N/m or N/h, such as 60/m")
    return Rate(float(match[1]), match[2])
