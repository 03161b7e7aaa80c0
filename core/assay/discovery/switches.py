"""``-p no:…``: plugins that a user takes out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from assay.discovery.entrypoints import normalise
from assay.errors import ConfigError
from assay.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from assay.discovery.records import Offer


class Switch(NamedTuple):
    """One ``-p no:KIND.WORD`` or ``-p no:DISTRIBUTION:KIND.WORD``."""

    name: str
    distribution: str | None
    """None: out of every distribution."""
    written: str
    """As the user wrote it."""

    def hits(self, offer: Offer) -> bool:
        """Whether it takes this entry point out."""
        return offer.name == self.name and self.distribution in (None, offer.distribution)


def read_switch(value: str) -> Switch:
    """Read a value of ``-p``.

    Raises:
        ConfigError: It has another form.
    """
    no, _, rest = value.partition(":")
    distribution, colon, name = rest.rpartition(":")
    if no != "no" or not name or (colon and not distribution):
        raise ConfigError(
            f"-p {value}: not a switch; write no:KIND.WORD, or no:DISTRIBUTION:KIND.WORD to take "
            "it out of one distribution"
        )
    return Switch(name, normalise(distribution) if colon else None, value)


def check_switches(switches: Iterable[Switch], offers: Collection[Offer]) -> None:
    """See that each switch takes something out.

    Raises:
        ConfigError: One of them does not.
    """
    for switch in switches:
        if any(switch.hits(offer) for offer in offers):
            continue
        if switch.distribution is None:
            known = {offer.name for offer in offers}
            sought = switch.name
        else:
            known = {f"{offer.distribution}:{offer.name}" for offer in offers}
            sought = f"{switch.distribution}:{switch.name}"
        close = did_you_mean(sought, known)
        meant = f"; did you mean 'no:{close}'?" if close else "."
        raise ConfigError(
            f"-p {switch.written}: no such plugin is installed{meant} 'assay plugins' lists them."
        )
