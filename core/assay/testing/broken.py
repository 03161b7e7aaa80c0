"""How a contract check says that a rule is broken."""

from __future__ import annotations


def broken(subject: object, rule: str) -> AssertionError:
    """Make the error of a check: what was checked, and which rule it breaks."""
    name = getattr(subject, "__name__", None) or type(subject).__name__
    return AssertionError(f"{name}: {rule}")
