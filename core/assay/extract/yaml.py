"""YAML as far as it is JSON: bounded, without tags, aliases and types of its own."""

from __future__ import annotations

import re
from math import isinf
from typing import TYPE_CHECKING, Final

from attrs import define

from assay.jsonvalue.read import MAX_DEPTH, read_integer

if TYPE_CHECKING:
    from collections.abc import Iterable

    import yaml

_MAX_LENGTH: Final = 200_000
"""Characters: the parser written in Python reads about 100,000 in a second."""

_NULLS: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS: Final = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_JSON = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_STRING_TAGS: Final = frozenset(("!", "tag:yaml.org,2002:str"))
_PLAIN_TAGS: Final = frozenset((None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"))


def load(text: str) -> object:
    """Read one YAML document that holds nothing but JSON.

    Plain scalars are what the core schema of YAML 1.2 says: ``yes`` and ``2024-01-01`` are
    text, ``010`` is ten. Keys are taken as they are written, the last one counts.

    Raises:
        ValueError: It is no YAML, or has aliases, tags, several documents, keys that are not
            scalars, too many levels or too many characters.
    """
    import yaml

    if len(text) > _MAX_LENGTH:
        raise ValueError(f"YAML of more than {_MAX_LENGTH} characters")
    # Not in every build of the library, but much quicker.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _build(yaml.parse(text, Loader=loader))
    except yaml.YAMLError as error:
        raise ValueError(f"not YAML: {error}") from None


@define
class _Open:
    """A mapping or sequence whose end has not been read yet."""

    holder: dict[str, object] | list[object]
    key: str | None = None
    """Of a mapping, the key whose value comes next."""

    def takes_key(self) -> bool:
        return isinstance(self.holder, dict) and self.key is None

    def add(self, value: object) -> None:
        if isinstance(self.holder, list):
            self.holder.append(value)
        elif self.key is not None:
            self.holder[self.key] = value
            self.key = None


def _build(events: Iterable[yaml.Event]) -> object:
    """Make a value of a parser's events: nothing that is not asked for here can come of it."""
    import yaml

    root = _Open([])
    stack = [root]
    for event in events:
        top = stack[-1]
        if isinstance(event, yaml.ScalarEvent):
            if top.takes_key():
                top.key = event.value
            else:
                top.add(_scalar(event))
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if top.takes_key() or event.tag not in _PLAIN_TAGS:
                raise ValueError("a key or a tag that JSON does not have")
            if len(stack) > MAX_DEPTH:
                raise ValueError(f"nested more than {MAX_DEPTH} levels deep")
            stack.append(_Open({} if isinstance(event, yaml.MappingStartEvent) else []))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            stack.pop()
            stack[-1].add(top.holder)
        elif isinstance(event, yaml.AliasEvent):
            raise ValueError("an alias, which JSON does not have")
    documents = root.holder
    if len(documents) != 1 or not isinstance(documents, list):
        raise ValueError(f"{len(documents)} documents instead of one")
    return documents[0]


def _scalar(event: yaml.ScalarEvent) -> object:
    text: str = event.value
    if event.tag in _STRING_TAGS:
        return text
    if event.tag is not None:
        raise ValueError(f"the tag {event.tag}, which JSON does not have")
    return text if event.style else _plain(text)


def _plain(text: str) -> object:
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return read_integer(text.removeprefix("+"))
    if text[:2] in ("0o", "0x"):
        return _based(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if isinf(number):
            raise ValueError("a number too large for a double")
        return number
    if _NOT_JSON.fullmatch(text):
        raise ValueError(f"{text}, which JSON does not have")
    return text


def _based(text: str) -> object:
    try:
        return int(text[2:], 8 if text[1] == "o" else 16)
    except ValueError:
        return text
