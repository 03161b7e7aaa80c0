"""What it means that an output contains a value: the same for ``contains`` and its opposite."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from attrs import frozen

from assay import ABSENT
from assay.jsonvalue import (
    compact,
    describe,
    differences,
    equal,
    includes,
    is_array,
    is_object,
    walk,
)
from assay_plugins.assertions._shown import inside

if TYPE_CHECKING:
    import attrs

    from assay import Outcome

_ESCAPED = re.compile(r'["\\\x00-\x1f]')
"""Characters that are not themselves in JSON text."""

_DIFFERENCES_TRIED = 100


@frozen(kw_only=True)
class Found:
    """Which parts of a value an output contains; a list has its elements as parts."""

    parts: tuple[object, ...]
    missing: tuple[object, ...]
    where: str = ""
    """Which part of a text was looked at, as a phrase behind a sentence."""
    no_json: bool = False
    """Whether parts are missing because the text holds no JSON."""


def check_value(_: object, __: attrs.Attribute[Any], value: object) -> None:
    """Refuse what every output contains, or none: an attrs validator.

    Raises:
        ValueError: What is wrong.
    """
    if is_array(value):
        if not value:
            raise ValueError("an empty list asks for nothing; list what to look for")
        for number, item in enumerate(value, 1):
            _check_part(item, f"element {number}: ")
    else:
        _check_part(value, "")


def look(outcome: Outcome, value: object, *, ignore_case: bool) -> Found:
    """Look for a value in the output.

    Text contains text as a substring, numbers and booleans by their JSON text. For an object or
    a list the JSON that the text holds is looked at instead. JSON contains text when its compact
    text or one of its strings does, numbers and booleans as an equal value anywhere, an object
    as a sub-structure anywhere. A list is contained when each of its elements is.

    Args:
        outcome: What to look at.
        value: What to look for.
        ignore_case: Whether upper and lower case are one; the names of an object that is looked
            for count as they are written.
    """
    parts = tuple(value) if is_array(value) else (value,)
    output = outcome.output
    if isinstance(output, str) and not is_array(value) and not is_object(value):
        sought = value if isinstance(value, str) else compact(value)
        holds = sought.casefold() in output.casefold() if ignore_case else sought in output
        return Found(parts=parts, missing=() if holds else parts)
    found = outcome.json
    if found is None:
        return Found(parts=parts, missing=parts, no_json=True)
    json, text = found.value, compact(found.value)
    if ignore_case:
        json, text = folded(json), text.casefold()
        missing = tuple(part for part in parts if not _holds(json, text, folded(part)))
    else:
        missing = tuple(part for part in parts if not _holds(json, text, part))
    return Found(parts=parts, missing=missing, where=inside(found))


def folded(value: object) -> object:
    """Copy a value with its strings in folded case; the names of objects stay."""
    result: list[object] = [None]
    todo: list[tuple[object, Any, str | int]] = [(value, result, 0)]
    while todo:
        item, holder, key = todo.pop()
        if isinstance(item, str):
            holder[key] = item.casefold()
        elif is_object(item):
            names = dict.fromkeys(item)
            holder[key] = names
            todo += [(held, names, name) for name, held in item.items()]
        elif is_array(item):
            items: list[object] = [None] * len(item)
            holder[key] = items
            todo += [(held, items, index) for index, held in enumerate(item)]
        else:
            holder[key] = item
    return result[0]


def nearest(outcome: Outcome, part: object, *, ignore_case: bool) -> str:
    """Say in which way a missing part is nearly there, as a phrase; empty when it is not."""
    output = outcome.output
    if isinstance(part, str):
        text = output if isinstance(output, str) else compact(output)
        if part.casefold() in text.casefold():
            return 'it is there in other case: add "ignore_case": true to allow that'
        if _squeezed(part) in _squeezed(text):
            return "it is there with other white space"
    if is_object(part) and outcome.json is not None:
        json = folded(outcome.json.value) if ignore_case else outcome.json.value
        return _closest(json, folded(part) if ignore_case else part)
    return ""


def _check_part(value: object, where: str) -> None:
    if value is None:
        raise ValueError(f"{where}null cannot be looked for; look at its place with json_path")
    if value == "":
        raise ValueError(f"{where}empty text is in every output; write the text to look for")
    if is_object(value) and not value:
        raise ValueError(f'{where}{{}} is in every object; use the type check with "object"')


def _holds(json: object, text: str, part: object) -> bool:
    if isinstance(part, str):
        return part in text or (
            _ESCAPED.search(part) is not None
            and any(part in item for item in walk(json) if isinstance(item, str))
        )
    if is_object(part) or is_array(part):
        return any(includes(item, part) for item in walk(json))
    return any(equal(item, part) for item in walk(json))


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _closest(json: object, part: object) -> str:
    """Describe the first difference to the object that has most of what is looked for."""
    assert is_object(part)
    best: dict[str, object] = {}
    most = 0
    for item in walk(json):
        if is_object(item):
            shared = sum(name in item and includes(item[name], part[name]) for name in part)
            if shared > most:
                best, most = item, shared
    for difference in differences(part, best, _DIFFERENCES_TRIED) if most else ():
        # What the object has beside it is no difference here.
        if difference.expected is not ABSENT:
            return f"the nearest object differs: {describe(difference)}"
    return ""
