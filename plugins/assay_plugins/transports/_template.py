"""Bodies of requests from templates: JSON in which ``$input`` and its kin stand for values."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from assay import ConfigError
from assay.jsonvalue import compact, is_array, is_object
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = re.compile(r"\$(\$|[A-Za-z_][A-Za-z0-9_]*)")


def check_template(template: object, known: tuple[str, ...], where: str) -> None:
    """Look whether every name in a template is known.

    Args:
        template: A JSON value.
        known: The names, without ``$``.
        where: What the user calls the template, for the message.

    Raises:
        ConfigError: One is not.
    """
    if isinstance(template, str):
        for match in _NAME.finditer(template):
            name = match[1]
            if name != "$" and name not in known:
                raise ConfigError(
                    f"{where}: no value ${name}; {hint(name, known)} (a dollar sign is $$)"
                )
    elif is_object(template):
        for key, item in template.items():
            check_template(key, (), where)
            check_template(item, known, where)
    elif is_array(template):
        for item in template:
            check_template(item, known, where)


def fill(template: object, values: Mapping[str, object]) -> object:
    """Put values into a template.

    A text that is one name becomes its value, of whatever type; within other text a name
    becomes text, as compact JSON where its value is none.
    """
    if isinstance(template, str):
        match = _NAME.fullmatch(template)
        if match is not None and match[1] != "$":
            return values[match[1]]
        return _NAME.sub(partial(_text, values), template) if "$" in template else template
    if is_object(template):
        return {key.replace("$$", "$"): fill(item, values) for key, item in template.items()}
    return [fill(item, values) for item in template] if is_array(template) else template


def _text(values: Mapping[str, object], match: re.Match[str]) -> str:
    if match[1] == "$":
        return "$"
    value = values[match[1]]
    return value if isinstance(value, str) else compact(value)
