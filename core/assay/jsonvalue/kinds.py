"""What kind of JSON a value is, in a form that type checkers follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """Whether it is a JSON object: a ``dict``."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[Sequence[object]]:
    """Whether it is a JSON array: a list, or a tuple, as frozen values have them."""
    return isinstance(value, (list, tuple))


def is_container(value: object) -> bool:
    """Whether other values are inside it: an object or an array."""
    return isinstance(value, (dict, list, tuple))
