"""How faults of settings are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def config_error(faults: Sequence[str]) -> ConfigError:
    """Make one error of all faults that were found together, one line each."""
    if len(faults) == 1:
        return ConfigError(faults[0])
    return ConfigError("", faults)


def near_miss(word: str, known: Iterable[str]) -> str | None:
    """Give the name that a variable's is almost, if any.

    Stricter than a did-you-mean of something that is wrong: other programs may use variables
    of their own, which look a little like ours.
    """
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.8)
    return close[0] if close else None


def toml_type(value: object) -> str:
    """Name a TOML value by its type, for a person."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {value!r}" if len(value) <= 40 else "a text"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else "a date or time"
