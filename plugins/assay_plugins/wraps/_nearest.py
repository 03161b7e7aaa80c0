"""Why a record does not hold a request: the nearest one that it holds, and what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay.jsonvalue import describe, differences
from assay.suggest import did_you_mean
from assay_plugins.wraps._content import compared, place_of
from assay_plugins.wraps._tape import named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay import Origin
    from assay_plugins.wraps._entries import Entry
    from assay_plugins.wraps._tape import Tape

_MOST: Final = 50
"""Entries of a case that are compared."""
_SHOWN: Final = 2
"""Differences that are told."""


def why_missing(tape: Tape, agent: str, origin: Origin, content: Mapping[str, object]) -> str:
    """Say that a record does not hold a request, which one is nearest, and how to mend it."""
    case = origin.case
    entries = tape.of_case(case, _MOST)
    if not entries:
        meant = did_you_mean(case, tape.cases)
        entries = [] if meant is None else tape.of_case(meant, _MOST)
    if not entries:
        told = f"of its {len(tape)} requests none is of a case like that"
    else:
        told = _compared(
            min(entries, key=lambda entry: _distance(entry, agent, origin)), agent, origin, content
        )
    return (
        f"{tape.shown} does not hold {named(origin)}: {told}; record it again, or ask the agent"
        " with --replay-missing=ask"
    )


def _distance(entry: Entry, agent: str, origin: Origin) -> tuple[object, ...]:
    of = entry.origin
    return (
        of.purpose != origin.purpose,
        entry.agent != agent,
        of.suite != origin.suite,
        abs(of.turn - origin.turn),
        abs(of.attempt - origin.attempt),
    )


def _compared(entry: Entry, agent: str, origin: Origin, content: Mapping[str, object]) -> str:
    where: list[str] = []
    if entry.agent != agent:
        where.append(f"it was asked of {entry.agent!r}, not of {agent!r}")
    if entry.origin.suite != origin.suite:
        where.append(f"it is of {entry.origin.suite!r}, not of {origin.suite!r}")
    found = differences(compared(entry.request), compared(content), _SHOWN)
    where += [describe(each).removeprefix("$.") for each in found]
    differs = "; ".join(where)
    if place_of(entry.origin) == place_of(origin) and entry.agent == agent:
        return f"the request has changed since it was recorded ({differs})"
    return f"nearest is {named(entry.origin)}" + (f" ({differs})" if differs else "")
