"""Text from agents and case files, made safe for where it is shown.

Each function takes any text, lone surrogates and control characters among it, and gives text
that can be written as UTF-8.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import MutableSet

_STEERING: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and newline
    "\u2028\u2029"  # line and paragraph separators
    "\u202a-\u202e\u2066-\u2069"  # what turns the direction of text
    "\ud800-\udfff"  # lone surrogates
)
_UNSAFE = re.compile(f"[{_STEERING}]")
_UNSAFE_OR_SPACING = re.compile(f"[\t\n{_STEERING}]")
_NAMED: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

# An underscore between letters or digits means nothing, and stands in many ids.
_MARKDOWN = re.compile(r"[\\`*\[\]<#|~&$]|(?<![^\W_])_|_(?![^\W_])")
_MARKDOWN_START = re.compile(
    r"""
    [>:]
    | -(?=[-\ ]|$) | \+(?=\ |$) | =(?=[=\ ]*$)
    | [0-9]{1,9}(?=[.)](?:\ |$))
    """,
    re.VERBOSE,
)
# What sites for code make links of by themselves: people, issues, addresses.
_LINKED = re.compile(r"@(?=\w)|#(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_NOTHING: Final = "\u200b"
"""A space without width: it parts what would become a link."""
_INFO = re.compile(r"[^\w.+#-]+")
_TICKS = re.compile("`{3,}")

# A carriage return ends a line too. White space is looked at within its line alone, once.
_COMMAND = re.compile(r"(?:^|(?<=[\r\n]))([^\S\r\n]*):(?=:)")

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)")
_HASHED = re.compile(r"-[0-9a-f]{8}$", re.IGNORECASE)
_SHORTEST_NAME: Final = 16
_HASH: Final = 8


def terminal(text: str, keep_newlines: bool = True) -> str:
    r"""Make a text safe to print: what would steer a terminal is shown as ``\x1b``, ``\u202e``.

    Args:
        text: Any text.
        keep_newlines: Whether newlines and tabs stay; without it they are shown as ``\n`` and
            ``\t``, and the text is one line.
    """
    if not keep_newlines:
        return _UNSAFE_OR_SPACING.sub(_visible, text)
    return _UNSAFE.sub(_visible, text.replace("\r\n", "\n") if "\r" in text else text)


def for_encoding(text: str, encoding: str) -> str:
    r"""Show what an encoding cannot write as ``\xe9``, ``\u20ac`` or ``\U0001f600``.

    Args:
        text: Any text.
        encoding: As ``sys.stdout.encoding`` names it; one that is unknown counts as ASCII.
    """
    try:
        return text.encode(encoding, "backslashreplace").decode(encoding)
    except (LookupError, UnicodeError):
        return text.encode("ascii", "backslashreplace").decode("ascii")


def one_line(text: str, limit: int = 200) -> str:
    """Make a text one safe line: white space becomes single spaces, ``…`` stands for the rest.

    Args:
        text: Any text.
        limit: Characters of the result, at most; at least 1.
    """
    # No more is looked at than can be shown, for texts of megabytes.
    head = text[: 8 * limit + 64]
    line = " ".join(terminal(head).split())
    if len(line) > limit or len(head) < len(text):
        return line[: limit - 1] + "…"
    return line


def quoted(text: str, limit: int = 100) -> str:
    """Name something in a message by a text of others: in quotes, on one line, ``…`` for the rest.

    Args:
        text: Any text, such as the id of a case.
        limit: Characters of the text that are shown, at most.
    """
    return repr(text if len(text) <= limit else f"{text[: limit - 1]}…")


def markdown(text: str) -> str:
    """Make a text safe inside a paragraph, heading or table cell of Markdown.

    It is shown as it is: none of it becomes Markdown, HTML or the end of a cell, calls a person
    (``@name``), names an issue (``#1``) or becomes a link: a space without width parts these.
    Newlines become ``<br>``; white space around the text is left out.
    """
    lines = (_markdown_line(line) for line in terminal(text).strip().split("\n"))
    return "<br>".join(lines)


def fence(text: str, info: str = "") -> str:
    """Make a text a fenced code block of Markdown that nothing in it can close.

    Args:
        text: What stands in the block.
        info: The language that the block is marked with.

    Returns:
        The block with the newline behind it.
    """
    safe = terminal(text)
    ticks = "`" * max((len(run) + 1 for run in _TICKS.findall(safe)), default=3)
    newline = "" if not safe or safe.endswith("\n") else "\n"
    return f"{ticks}{_INFO.sub('-', info)}\n{safe}{newline}{ticks}\n"


def workflow(text: str) -> str:
    r"""Keep a text that goes into a log from being a command of GitHub Actions.

    ``::error::`` at the beginning of a line is shown as ``\u003a:error::``, and ``##[error]``,
    wherever it stands, as ``#\u0023[error]``. In JSON that is the same text as before.
    """
    if "::" in text:
        text = _COMMAND.sub(r"\1\\u003a", text)
    return text.replace("##[", "#\\u0023[")


def file_name(text: str, limit: int = 100, taken: MutableSet[str] | None = None) -> str:
    """Make a text the name of a file, safe on every file system, distinct for distinct texts.

    A text that cannot stand as it is gets a short hash of it at its end. Without ``taken``
    that is also a text with capital letters, since many disks ignore case.

    Args:
        text: Any text; a suffix is added by the caller.
        limit: Bytes of the name, at least 16.
        taken: The names that are in use, in a folded form that ignores case. With it, capital
            letters get a hash only where the name is in use; the new name is added to it.
    """
    from unicodedata import normalize

    plain = _NOT_IN_FILE_NAMES.sub("_", normalize("NFC", text))
    # Dots in front hide a file or lead upwards, a dash looks like an option; Windows drops
    # dots at the end.
    if plain[:1] in (".", "-"):
        plain = "_" + plain[1:]
    name = _cut(plain.rstrip(".") or "_", limit)
    if _RESERVED.match(name.casefold()):
        name = _cut("_" + name, limit)
    folded = normalize("NFC", name.casefold())
    is_safe = folded == name and not _HASHED.search(name) if taken is None else folded not in taken
    if name != text or not is_safe:
        from hashlib import sha256

        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{_cut(name, max(limit, _SHORTEST_NAME) - _HASH - 1)}-{digest[:_HASH]}"
    if taken is not None:
        taken.add(normalize("NFC", name.casefold()))
    return name


def _visible(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMED.get(character) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def _markdown_line(line: str) -> str:
    line = " ".join(line.split())
    safe = _LINKED.sub(rf"\g<0>{_NOTHING}", _MARKDOWN.sub(r"\\\g<0>", line))
    match = _MARKDOWN_START.match(safe)
    if match is None:
        return safe
    # At its beginning a line could be an item of a list, a rule, or the line below a heading.
    at = match.end() if match[0].isdigit() else 0
    return f"{safe[:at]}\\{safe[at:]}"


def _cut(name: str, limit: int) -> str:
    """Shorten to a number of bytes, between characters."""
    return name.encode("utf-8")[:limit].decode("utf-8", "ignore")
