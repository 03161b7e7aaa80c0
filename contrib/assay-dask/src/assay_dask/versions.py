"""Which distributions take part in carrying attempts out, and whether two processes agree."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import entry_points

import assay

_KINDS = ("transport", "assertion", "script", "wrap", "executor")
"""The kinds of plugins that workers use."""


def installed() -> dict[str, str]:
    """Give the versions of assay, and of the distributions whose plugins workers use."""
    found = {"assay": assay.__version__}
    for point in entry_points(group="assay"):
        if point.dist is not None and point.name.partition(".")[0] in _KINDS:
            found.setdefault(point.dist.name, point.dist.version)
    return found


def difference(wanted: Mapping[str, str], here: Mapping[str, str]) -> str | None:
    """Say how two processes differ; None when they do not.

    Args:
        wanted: What the run has.
        here: What the worker has.
    """
    told: list[str] = []
    for name in sorted({*wanted, *here}):
        ours, theirs = wanted.get(name), here.get(name)
        if theirs is None:
            told.append(f"{name} {ours} is not installed there")
        elif ours is None:
            told.append(f"{name} {theirs} is installed there, and not where the run was started")
        elif ours != theirs:
            told.append(f"{name} is {theirs} there, and {ours} where the run was started")
    return "; ".join(told) or None
