"""Finds the plugins that are installed, and settles which of them bears which name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.discovery.entrypoints import read_offers
from assay.discovery.problems import Problem
from assay.discovery.records import CORE_COMMANDS, OWN, Record, record_of
from assay.discovery.switches import check_switches, read_switch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.discovery.records import Offer


class Found(NamedTuple):
    """What is installed. Everything in the order of kinds and words, then of distributions."""

    records: tuple[Record, ...]
    """Plugins that bear their names; each name once."""
    disabled: tuple[tuple[Record, str], ...] = ()
    """Plugins that a user switched off, each with the value of ``-p``."""
    rejected: tuple[tuple[Record, Problem], ...] = ()
    """Plugins that do not get their names."""
    malformed: tuple[Problem, ...] = ()
    """Entry points that are not plugins."""

    @property
    def problems(self) -> Iterator[Problem]:
        """All that is wrong; two plugins that clash are one problem."""
        yield from self.malformed
        yield from dict.fromkeys(problem for _, problem in self.rejected)


def find(switches: Sequence[str] = (), path: Iterable[str] | None = None) -> Found:
    """Find the plugins on the path. Imports none of them.

    Args:
        switches: The values of ``-p``.
        path: Where to look; ``sys.path`` by default.

    Raises:
        ConfigError: A switch is malformed, or takes nothing out.
    """
    offers = tuple(dict.fromkeys(read_offers(path)))
    read = [read_switch(value) for value in switches]
    check_switches(read, offers)
    candidates: list[Record] = []
    disabled: list[tuple[Record, str]] = []
    malformed: list[Problem] = []
    for offer in sorted(offers, key=lambda offer: (offer.name, offer.distribution, offer.target)):
        switch = next((switch for switch in read if switch.hits(offer)), None)
        try:
            record = record_of(offer)
        except ValueError as error:
            if switch is None:
                malformed.append(_problem(offer, str(error)))
            continue
        if switch is None:
            candidates.append(record)
        else:
            disabled.append((record, switch.written))
    records, rejected = _settle(candidates)
    return Found(
        records=tuple(records),
        disabled=tuple(disabled),
        rejected=tuple(rejected),
        malformed=tuple(malformed),
    )


def _settle(candidates: Iterable[Record]) -> tuple[list[Record], list[tuple[Record, Problem]]]:
    claims = dict[str, list[Record]]()
    for record in candidates:
        claims.setdefault(record.name, []).append(record)
    records: list[Record] = []
    rejected: list[tuple[Record, Problem]] = []
    for claimants in claims.values():
        own = [record for record in claimants if record.distribution == OWN]
        strangers = [record for record in claimants if record.distribution != OWN]
        first = claimants[0]
        if first.kind == "command" and first.word in CORE_COMMANDS:
            cause = f"assay itself has the command {first.word!r}, and keeps it"
            rejected += [(record, _problem(record, cause)) for record in claimants]
        elif len(own) == 1:
            records += own
            cause = f"{own[0].origin} offers {first.name} too, and keeps the name; "
            rejected += [
                (record, _problem(record, f"{cause}take one out, as with {record.switch}"))
                for record in strangers
            ]
        elif len(claimants) == 1:
            records.append(first)
        else:
            problem = _clash(claimants)
            rejected += [(record, problem) for record in claimants]
    return records, rejected


def _clash(claimants: Sequence[Record]) -> Problem:
    first, *others = claimants
    names = " and ".join(dict.fromkeys(other.origin for other in others))
    if {other.distribution for other in others} == {first.distribution}:
        return _problem(first, "it offers this name several times, so none is used")
    cause = f"{names} offer{'s' if len(others) == 1 else ''} it too, so none of them is used; "
    return _problem(first, f"{cause}take one out, as with {others[0].switch}")


def _problem(plugin: Offer | Record, cause: str) -> Problem:
    return Problem(
        plugin=plugin.name,
        distribution=plugin.distribution,
        version=plugin.version,
        cause=cause,
    )
