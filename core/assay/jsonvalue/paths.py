"""Paths into a JSON value, as RFC 9535 writes them: ``$.items[2].price``."""

from __future__ import annotations

import re
from typing import TypeAlias

from assay.jsonvalue.text import compact

Place: TypeAlias = "tuple[Place, str | int] | None"
"""A step behind a place, or the root: kept as links, so that only what is shown is written out."""

_NAME = re.compile(r"[^\W\d]\w*")


def render(place: Place) -> str:
    """Write a place as a path from ``$``."""
    steps: list[str] = []
    while place is not None:
        place, step = place
        steps.append(_step(step))
    return "$" + "".join(reversed(steps))


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _NAME.fullmatch(step) else f"[{compact(step)}]"
