"""What is known of a plugin before it is imported."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

OWN: Final = "assay"
"""Our own distribution. It has no private way in, but it keeps its names against strangers."""

KINDS: Final = (
    "loader",
    "agent",
    "transport",
    "wrap",
    "select",
    "assertion",
    "script",
    "executor",
    "watch",
    "reporter",
    "command",
)
"""What a plugin can be, in the order in which a run needs them."""

CORE_COMMANDS: Final = ("test", "plugins")
"""The commands that are core's own: no plugin can bear their names."""

_NAME = re.compile(r"(?P<kind>[a-z]+)\.(?P<word>[A-Za-z][A-Za-z0-9_-]*)", re.ASCII)
_TARGET = re.compile(
    r"(?P<module>[^\W\d]\w*(\.[^\W\d]\w*)*)\s*(:\s*(?P<attribute>[^\W\d]\w*(\.[^\W\d]\w*)*))?"
    r"\s*(\[.*\])?"
)


class Offer(NamedTuple):
    """One entry point of the group ``assay``, as installed."""

    name: str
    target: str
    distribution: str
    """Its normalised name."""
    version: str


class Record(NamedTuple):
    """A plugin that is installed: what it is, what it offers, and whose it is."""

    kind: str
    word: str
    """What a user types, and the ``name`` of what the plugin hands over."""
    target: str
    """``module`` or ``module:object``."""
    distribution: str
    version: str

    @property
    def name(self) -> str:
        """The name of its entry point: ``kind.word``."""
        return f"{self.kind}.{self.word}"

    @property
    def origin(self) -> str:
        """Whose it is, for people."""
        return origin(self.distribution, self.version)

    @property
    def switch(self) -> str:
        """The flag that takes this plugin out, and no other."""
        return f"-p no:{self.distribution}:{self.name}"


def origin(distribution: str, version: str) -> str:
    """Name a distribution with its version, for people."""
    return f"{distribution} {version}".rstrip()


def record_of(offer: Offer) -> Record:
    """Read an entry point's name and target.

    Raises:
        ValueError: With what is wrong, as a sentence.
    """
    matched = _NAME.fullmatch(offer.name)
    if matched is None:
        raise ValueError(
            f"its name {offer.name!r} is not of the form KIND.WORD, where WORD begins with a "
            "letter and goes on with letters, digits, '-' and '_'"
        )
    kind, word = matched["kind"], matched["word"]
    if kind not in KINDS:
        from assay.suggest import did_you_mean

        close = did_you_mean(kind, KINDS)
        meant = f"did you mean {close!r}?" if close else f"the kinds are {', '.join(sorted(KINDS))}"
        raise ValueError(f"there is no kind {kind!r} of plugins; {meant}")
    if kind == "transport" and len(word) == 1:
        raise ValueError("a transport's word has two letters at least: 'C:' is a drive")
    target = _TARGET.fullmatch(offer.target)
    if target is None:
        raise ValueError(f"its target {offer.target!r} is neither MODULE nor MODULE:OBJECT")
    attribute = target["attribute"]
    return Record(
        kind=kind,
        word=word,
        target=target["module"] + (f":{attribute}" if attribute else ""),
        distribution=offer.distribution,
        version=offer.version,
    )
