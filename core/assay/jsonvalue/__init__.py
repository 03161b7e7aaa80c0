"""JSON values: equality, text, differences.

A JSON value is a ``dict`` with text as keys, a list, text, a number, ``True``, ``False`` or
``None``; tuples count as lists. Nothing here recurses into values without a bound, so that what
an agent answers may be nested as it likes.
"""

from __future__ import annotations

from assay.jsonvalue.convert import is_json, to_json_value
from assay.jsonvalue.differences import Difference, describe, differences
from assay.jsonvalue.equality import equal, includes, walk
from assay.jsonvalue.kinds import is_array, is_object
from assay.jsonvalue.read import LINE_DEPTH, MAX_DEPTH, MAX_DIGITS, JsonError, loads
from assay.jsonvalue.text import canonical, compact, dumps, indented

__all__ = [
    "LINE_DEPTH",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "Difference",
    "JsonError",
    "canonical",
    "compact",
    "describe",
    "differences",
    "dumps",
    "equal",
    "includes",
    "indented",
    "is_array",
    "is_json",
    "is_object",
    "loads",
    "to_json_value",
    "walk",
]
