"""What a user may have meant by a word that nobody knows."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_LONGEST = 80
"""Characters: longer words are no typing errors, and comparing them takes long."""
_MOST = 1_000
"""Files of a folder that are looked at."""


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """Find the known word that is most like ``word``; None when none is alike.

    Case does not matter, nor whether parts are joined by ``-`` or ``_``.
    """
    if not word or len(word) > _LONGEST:
        return None
    plain: dict[str, str] = {}
    for name in sorted(known):
        plain.setdefault(_plain(name), name)
    from difflib import get_close_matches

    found = get_close_matches(_plain(word), plain, n=1)
    return plain[found[0]] if found else None


def hint(word: str, known: Iterable[str]) -> str:
    """Say how to mend an unknown word, for the end of a message.

    Returns:
        ``did you mean 'contains'?``, or ``known: contains, equals`` when nothing is alike.
        Empty when nothing is known.
    """
    names = sorted(set(known))
    near = did_you_mean(word, names)
    if near is not None:
        return f"did you mean '{near}'?"
    return f"known: {', '.join(names)}" if names else ""


def file_hint(path: Path, otherwise: str) -> str:
    """Say how to mend the name of a file that could not be opened, for the end of a message.

    Args:
        path: What was to be opened.
        otherwise: Said where the file is there, or none beside it has such a name.

    Returns:
        ``did you mean run.jsonl?``, or ``otherwise``.
    """
    if os.path.lexists(path):
        return otherwise
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, _MOST) if entry.is_file()]
    except (OSError, ValueError):
        return otherwise
    near = did_you_mean(path.name, names)
    return f"did you mean {near}?" if near is not None else otherwise


def _plain(word: str) -> str:
    return word.casefold().replace("-", "_")
