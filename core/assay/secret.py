"""Secrets: the type of a setting that must never be shown, and what replaces it everywhere."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NoReturn, TypeGuard, final
from urllib.parse import quote, quote_plus

MASK: Final = "***"
"""What stands in place of a secret."""

SHORTEST: Final = 8
"""Characters. Shorter values occur in ordinary text by chance, so they are not replaced."""


@final
class Secret:
    """A text that is never shown: a token, a key, a password.

    Printing, formatting and pickling do not give it away, and it is no attrs class, so
    ``attrs.asdict`` does not look inside; only ``reveal`` tells it.

    Args:
        value: The text.
        source: Where it comes from, as a user would name it (``$OPENAI_API_KEY``). Shown.
        parts: What of it must not be shown, where that is not all: of ``Bearer …``, the token.
    """

    __slots__ = ("_parts", "_value", "source")

    _parts: tuple[str, ...]
    _value: str
    source: str

    def __init__(self, value: str, source: str = "", parts: tuple[str, ...] = ()) -> None:
        self._value = value
        self._parts = parts or (value,)
        self.source = source

    def reveal(self) -> str:
        """Tell the secret, to whom it is meant for."""
        return self._value

    def reveal_parts(self) -> tuple[str, ...]:
        """Tell what of it must not be shown."""
        return self._parts

    def __repr__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return format(MASK, spec)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return self._value == other._value

    def __hash__(self) -> int:
        return hash((Secret, self._value))

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not pickled: hand over the name of its variable instead")


class Redactor:
    """Replaces known secrets wherever they occur in text and JSON values.

    A secret is found as it is, as JSON and URLs write it, and inside base64 (so that a header
    of basic authentication does not give it away). Values shorter than eight characters are
    left alone, and ``warnings`` says so.

    Args:
        secrets: All that are in use.
    """

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        values: set[str] = set()
        warnings: list[str] = []
        told = [(part, secret) for secret in secrets for part in secret.reveal_parts()]
        for value, secret in told:
            if len(value.strip()) >= SHORTEST:
                # Whoever uses a value may have stripped it first.
                values.update((value, value.strip()))
            elif value.strip():
                warnings.append(
                    f"{secret.source or 'a secret'}: shorter than {SHORTEST} characters, so it is "
                    "not replaced in reports; use a longer one."
                )
        forms = {form for value in values for form in _forms(value)}
        self._needles = tuple(sorted(forms, key=lambda form: (-len(form), form)))
        self._numbers = frozenset(_numbers(values))
        self.warnings = tuple(dict.fromkeys(warnings))
        """One sentence for each secret that is too short to be replaced."""

    def text(self, text: str) -> str:
        """Replace every secret in a text; the same text when there is none."""
        found = [needle for needle in self._needles if needle in text]
        if not found:
            return text
        pieces: list[str] = []
        end = 0
        for start, stop in _places(found, text):
            pieces += (text[end:start], MASK)
            end = stop
        pieces.append(text[end:])
        return "".join(pieces)

    def value(self, value: object) -> object:
        """Replace every secret in a JSON value, in keys and numbers too.

        Tuples count as lists and stay tuples; what JSON does not know is left as it is.

        Returns:
            The same object when there is nothing to replace, else a copy.
        """
        if not self._needles or not self._occurs(value):
            return value
        root = [value]
        # Containers whose items are still to be replaced. A list of its own instead of
        # recursion: agents answer as deeply nested as they like.
        todo: list[list[object] | dict[object, object]] = [root]
        while todo:
            holder = todo.pop()
            if isinstance(holder, list):
                holder[:] = [self._fresh(item, todo) for item in holder]
            else:
                for key, item in holder.items():
                    holder[key] = self._fresh(item, todo)
        return root[0]

    def _occurs(self, value: object) -> bool:
        todo = [value]
        while todo:
            item = todo.pop()
            if isinstance(item, str):
                if any(needle in item for needle in self._needles):
                    return True
            elif _is_table(item):
                todo.extend(item.keys())
                todo.extend(item.values())
            elif _is_row(item):
                todo.extend(item)
            elif self._is_secret_number(item):
                return True
        return False

    def _fresh(self, item: object, todo: list[list[object] | dict[object, object]]) -> object:
        if isinstance(item, str):
            return self.text(item)
        if _is_table(item):
            table = self._fresh_keys(item)
            todo.append(table)
            return table
        if _is_row(item):
            if isinstance(item, tuple):
                return tuple(self.value(part) for part in item)
            row = list(item)
            todo.append(row)
            return row
        return MASK if self._is_secret_number(item) else item

    def _fresh_keys(self, table: Mapping[object, object]) -> dict[object, object]:
        fresh: dict[object, object] = {}
        for key, item in table.items():
            name = self.text(key) if isinstance(key, str) else key
            number = 2
            while name in fresh:
                # Two secrets as keys of one object: neither value may be lost.
                name = f"{MASK} ({number})"
                number += 1
            fresh[name] = item
        return fresh

    def _is_secret_number(self, item: object) -> bool:
        if not self._numbers or not isinstance(item, (int, float)) or isinstance(item, bool):
            return False
        return abs(item) in self._numbers


def _is_table(item: object) -> TypeGuard[Mapping[object, object]]:
    return isinstance(item, Mapping)


def _is_row(item: object) -> TypeGuard[list[object] | tuple[object, ...]]:
    return isinstance(item, (list, tuple))


def _forms(value: str) -> Iterator[str]:
    """Every way in which a value is written into text."""
    raw = value.encode("utf-8", "surrogatepass")
    forms = (
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(raw, safe=""),
        quote(raw),
        quote_plus(raw),
        *_inside_base64(raw),
    )
    return (form for form in forms if len(form) >= SHORTEST)


def _inside_base64(raw: bytes) -> Iterator[str]:
    """The base64 characters that bytes leave, whatever stands before and behind them.

    Three bytes make four characters, so there are three ways, by how many bytes stand before.
    Characters that hold bits of a neighbour differ from text to text and are left out.
    """
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + raw).decode("ascii")
        inside = encoded[(8 * before + 5) // 6 : 8 * (before + len(raw)) // 6]
        yield inside
        yield inside.replace("+", "-").replace("/", "_")


def _numbers(values: Iterable[str]) -> Iterator[int]:
    """The secrets that JSON can also hold as a number."""
    for value in values:
        # Beyond this length the interpreter refuses to turn text into a number.
        if value.isascii() and value.isdigit() and value[0] != "0" and len(value) < 4000:
            yield int(value)


def _places(needles: Iterable[str], text: str) -> Iterator[tuple[int, int]]:
    """Where the needles stand, in order; places that touch or overlap are one."""
    found: list[tuple[int, int]] = []
    for needle in needles:
        start = text.find(needle)
        while start >= 0:
            found.append((start, start + len(needle)))
            start = text.find(needle, start + 1)
    found.sort()
    first, last = found[0]
    for start, stop in found[1:]:
        if start > last:
            yield first, last
            first = start
        last = max(last, stop)
    yield first, last
