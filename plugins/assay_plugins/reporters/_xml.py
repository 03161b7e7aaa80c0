"""XML of any text, piece by piece."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Final

from assay.escape import terminal

_NO_CHARACTERS: Final = re.compile("[\ufffe\uffff]")
"""What XML cannot hold even as a reference, beside control characters and lone surrogates."""


def start(name: str, attributes: Mapping[str, str]) -> str:
    """Open an element; each value becomes one line, and what XML cannot hold is shown."""
    return f"<{name}{_attributes(attributes)}>"


def empty(name: str, attributes: Mapping[str, str]) -> str:
    """Write an element that holds nothing."""
    return f"<{name}{_attributes(attributes)}/>"


def element(name: str, attributes: Mapping[str, str], text: str) -> str:
    """Write an element that holds a text, whose lines stay; what XML cannot hold is shown."""
    return f"{start(name, attributes)}{_safe(text)}</{name}>"


def _attributes(attributes: Mapping[str, str]) -> str:
    return "".join(
        f' {name}="{_safe(terminal(value, keep_newlines=False))}"'
        for name, value in attributes.items()
    )


def _safe(text: str) -> str:
    return escape(_NO_CHARACTERS.sub(_visible, terminal(text)))


def _visible(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
