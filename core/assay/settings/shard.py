"""The part of a run that ``--shard`` names."""

from __future__ import annotations

import re
from typing import Final

from attrs import frozen

_SHARD: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@frozen
class Shard:
    """One of several parts of equal size, roughly, into which cases are divided by their ids."""

    number: int
    """From 1."""
    count: int

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_shard(text: str) -> Shard:
    """Read a shard such as ``2/4``.

    Raises:
        ValueError: It is none; the message says how to write one.
    """
    match = _SHARD.fullmatch(text.strip())
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ValueError(f"{text!r} is no part of a run; write K/N, from 1/N to N/N, such as 2/4")
    return Shard(int(match[1]), int(match[2]))
