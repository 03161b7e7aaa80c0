"""Says why a plugin that is asked for cannot be had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.discovery.finder import Found
    from assay.discovery.problems import Problem

NOUNS = {
    "assertion": "assertion type",
    "agent": "agent resolver",
    "script": "script engine",
    "select": "selector",
}
"""What people call a plugin of a kind, where it is not the kind itself."""

OWN = {"executor": ("local",)}
"""The words of what is no plugin, but stands beside them."""


def why_missing(found: Found, failed: Sequence[Problem], kind: str, word: str) -> str | None:
    """Say why an installed plugin cannot be used.

    Args:
        found: What is installed.
        failed: The problems that came up when plugins were loaded.
        kind: Its kind.
        word: Its word.

    Returns:
        The reasons, or None when no plugin of that name is installed.
    """
    name = f"{kind}.{word}"
    reasons = [str(problem) for problem in failed if problem.plugin == name]
    for _, problem in found.rejected:
        if problem.plugin == name and str(problem) not in reasons:
            reasons.append(str(problem))
    reasons += [
        f"{record.origin} offers it, but -p {switch} takes it out"
        for record, switch in found.disabled
        if record.name == name
    ]
    return "; ".join(reasons) or None


def missing_message(kind: str, word: str, words: Sequence[str], why: str | None) -> str:
    """The sentence for a word that a user asked for and that cannot be had."""
    noun = NOUNS.get(kind, kind)
    others = [other for other in (*OWN.get(kind, ()), *words) if other != word]
    installed = f"Installed: {', '.join(others)}." if others else f"No {noun} is installed."
    if why is not None:
        return f"no {noun} {word!r}: {why.rstrip('.')}. {installed}"
    close = did_you_mean(word, others)
    if close is not None:
        return f"no {noun} {word!r}; did you mean {close!r}? {installed}"
    return f"no {noun} {word!r}. {installed}"
