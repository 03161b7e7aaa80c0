"""``--set KIND.WORD.KEY=VALUE``: a plugin's setting on the command line."""

from __future__ import annotations

from typing import Final, cast

from attrs import frozen

from assay.suggest import hint

PLUGIN_KINDS: Final = ("transport", "reporter", "script", "executor", "select", "wrap")
"""The kinds of plugins that have settings."""

_HOW: Final = "write KIND.WORD.KEY=VALUE, such as transport.yao.server=http://127.0.0.1:5099"


@frozen(kw_only=True)
class Assignment:
    """One ``--set``."""

    kind: str
    word: str
    path: tuple[str, ...]
    """The key, and the keys within its value where it is a table; at least one."""
    value: object
    """VALUE as TOML, else as text."""
    text: str
    """VALUE as written."""
    origin: str | None = None
    """What said it, where that was not ``--set``: ``--record``, ``ASSAY_RECORD``."""

    @property
    def key(self) -> str:
        """The setting, as ``--set`` names it."""
        return ".".join((self.kind, self.word, *self.path))

    @property
    def label(self) -> str:
        """What messages call it: ``--set transport.yao.server``."""
        return self.origin or f"--set {self.key}"


def parse_assignment(text: str) -> Assignment:
    """Read a ``KIND.WORD.KEY=VALUE``.

    The part before the first ``=`` is a dotted key of TOML, so that a key with other characters
    than letters, digits, ``_`` and ``-`` can stand in quotes.

    Raises:
        ValueError: It has another form, or there are no settings of that kind.
    """
    key, equals, value = text.partition("=")
    parts = _dotted(key)
    if not equals or parts is None or len(parts) < 3:
        # The value may be a secret: it is not repeated.
        raise ValueError(f"{key + equals!r} is not an assignment; {_HOW}")
    kind, word, *path = parts
    if kind not in PLUGIN_KINDS:
        raise ValueError(f"no plugins of kind {kind!r} have settings; {hint(kind, PLUGIN_KINDS)}")
    return Assignment(kind=kind, word=word, path=tuple(path), value=toml_or_text(value), text=value)


def standing_for(setting: str, value: str, origin: str) -> Assignment:
    """Make what a flag says that stands for the setting of a plugin.

    Args:
        setting: ``KIND.WORD.KEY``.
        value: As written; it is text, whatever it looks like.
        origin: What messages call it.
    """
    kind, word, *path = setting.split(".")
    return Assignment(
        kind=kind, word=word, path=tuple(path), value=value, text=value, origin=origin
    )


def toml_or_text(text: str) -> object:
    """Read text as a TOML value; as the text that it is when it is none."""
    import tomllib

    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    # A line break would let the text define more than one value.
    return table["value"] if len(table) == 1 else text


def _dotted(key: str) -> list[str] | None:
    """The parts of a dotted key of TOML; None when it is none."""
    if "\n" in key:
        return None
    import tomllib

    try:
        table: object = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        return None
    parts: list[str] = []
    while isinstance(table, dict):
        ((part, table),) = cast("dict[str, object]", table).items()
        parts.append(part)
    return parts
