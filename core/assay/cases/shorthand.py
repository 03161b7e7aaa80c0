"""Assertions as the command line has them: ``TYPE:VALUE``, or a JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import attrs

from assay.codec.converter import json_key
from assay.errors import ConfigError
from assay.jsonvalue import loads
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def assertion_of(
    text: str, *, words: Sequence[str], assertion: Callable[[str], type]
) -> dict[str, object]:
    """Make an assertion object of ``contains:hello`` or ``{"type": "contains", …}``.

    The text behind the colon is the assertion's one required field, or else its ``value``.

    Raises:
        ConfigError: It is neither, or names no assertion type.
    """
    if text.lstrip().startswith("{"):
        try:
            return cast("dict[str, object]", loads(text))
        except ValueError as error:
            raise ConfigError(f"--assert {text}: not JSON: {error}") from error
    word, colon, value = text.partition(":")
    if word not in words:
        raise ConfigError(f"--assert {text}: no assertion type {word!r}; {hint(word, words)}")
    if not colon:
        raise ConfigError(f"--assert {text}: the value is missing; write {word}:VALUE")
    required = [
        field
        for field in attrs.fields(assertion(word))
        if field.init and field.default is attrs.NOTHING
    ]
    key = json_key(required[0].name) if len(required) == 1 else "value"
    return {"type": word, key: value}
