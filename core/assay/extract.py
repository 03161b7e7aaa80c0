"""The JSON that a text holds, and which part of it that was."""

from __future__ import annotations

from attrs import frozen


@frozen(kw_only=True)
class Extracted:
    """JSON found in a text."""

    value: object
    source: str
    """Which part of the text it was, for messages; empty when it was the whole output."""


def extract(text: str) -> Extracted | None:
    """Find the JSON that a text is or holds; None when there is none."""
    raise NotImplementedError
