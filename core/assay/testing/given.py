"""What a plugin's class is made with in a contract check."""

from __future__ import annotations

from typing import Any

from assay.testing.broken import broken


def settings_of(cls: type, settings: object) -> object:
    """Give the settings that a class is made with: those at hand, else its defaults.

    Raises:
        AssertionError: Its settings have no defaults, and none were given.
    """
    make: Any = getattr(cls, "Settings", None)
    if settings is not None or make is None:
        return settings
    try:
        made: object = make()
    except TypeError as error:
        raise broken(cls, f"give settings=, as its Settings need them: {error}") from error
    return made
