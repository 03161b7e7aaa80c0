"""JSON Schema of a case line, made from the installed assertion types."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

import attrs

from assay.codec.converter import json_key
from assay.model.case import Check
from assay.model.message import ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SCALARS: dict[object, dict[str, object]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
    Check: {"$ref": "#/$defs/assertion"},
}


def case_schema(assertions: Mapping[str, type]) -> dict[str, object]:
    """Give the JSON Schema (2020-12) of one line of a case file.

    Args:
        assertions: The assertion classes by the word that picks them.
    """
    known = sorted(assertions)
    return {
        "$schema": DIALECT,
        "title": "assay case",
        "description": "One line of a case file.",
        "type": "object",
        "required": ["id", "input"],
        "properties": {
            "id": {"type": "string", "minLength": 1},
            "input": {
                "oneOf": [
                    {"type": "string"},
                    {"$ref": "#/$defs/message"},
                    {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/message"}},
                ]
            },
            "expected": {"description": "Compared as equals, where assert is not given."},
            "assert": {
                "oneOf": [
                    {"$ref": "#/$defs/assertion"},
                    {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/assertion"}},
                ]
            },
            "user": {"type": "string", "minLength": 1},
            "team": {"type": "string", "minLength": 1},
            "metadata": {"type": "object"},
            "options": {
                "type": "object",
                "properties": {
                    "connector": {"type": "string"},
                    "mode": {"type": "string"},
                    "metadata": {"type": "object"},
                    "skip": {"type": "object"},
                },
            },
            "skip": {"type": "boolean"},
            "timeout": {"type": "string", "description": "A duration: 30s, 1m30s."},
            "tags": {"type": "array", "items": {"type": "string", "minLength": 1}},
        },
        "$defs": {
            "message": _message(),
            "assertion": {
                "type": "object",
                "required": ["type"],
                "properties": {"type": {"enum": known}},
                "allOf": [
                    {
                        "if": {"properties": {"type": {"const": word}}},
                        "then": assertion_schema(word, assertions[word]),
                    }
                    for word in known
                ],
            },
        },
    }


def assertion_schema(word: str, cls: type) -> dict[str, object]:
    """Give the JSON Schema of one assertion type: its fields and those that all types have."""
    attrs.resolve_types(cls)
    fields = [field for field in attrs.fields(cls) if field.init]
    properties: dict[str, object] = {
        "type": {"const": word},
        "message": {"type": "string"},
        "negate": {"type": "boolean"},
    }
    properties.update({json_key(field.name): type_schema(field.type) for field in fields})
    required = [json_key(field.name) for field in fields if field.default is attrs.NOTHING]
    schema: dict[str, object] = {
        "properties": properties,
        "required": ["type", *required],
        "additionalProperties": False,
    }
    described = inspect.getdoc(cls)
    if described:
        schema["description"] = described.partition("\n\n")[0]
    return schema


def type_schema(kind: Any) -> dict[str, object]:
    """Give the JSON Schema of a Python type, as the converter structures it."""
    if kind in _SCALARS:
        return _SCALARS[kind]
    origin = get_origin(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if origin in (Union, types.UnionType):
        return {"anyOf": [type_schema(member) for member in get_args(kind)]}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": type_schema(_first(get_args(kind)))}
    if kind is dict or origin in (dict, Mapping):
        return {"type": "object"}
    return {}


def _first(arguments: Iterable[Any]) -> Any:
    return next(iter(arguments), object)


def _message() -> dict[str, object]:
    return {
        "type": "object",
        "properties": {
            "role": {"enum": list(ROLES)},
            "content": {
                "oneOf": [
                    {"type": ["string", "null"]},
                    {
                        "type": "array",
                        "minItems": 1,
                        "items": {"type": "object", "required": ["type"]},
                    },
                ]
            },
            "name": {"type": "string"},
            "tool_calls": {"type": "array", "items": {"type": "object"}},
            "tool_call_id": {"type": "string"},
            "refusal": {"type": "string"},
        },
        "additionalProperties": False,
    }
