"""The mark for what is absent, which is not the same as null."""

from __future__ import annotations

from enum import Enum
from typing import Final, Literal, TypeAlias


class _Absent(Enum):
    ABSENT = "absent"

    def __repr__(self) -> str:
        return "ABSENT"

    def __bool__(self) -> bool:
        return False


Absent: TypeAlias = Literal[_Absent.ABSENT]

ABSENT: Final = _Absent.ABSENT
"""Stands where a JSON key is missing, which is not the same as ``null``."""
