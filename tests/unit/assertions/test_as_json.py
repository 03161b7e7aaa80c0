"""Every built-in assertion as the JSON of a case file, there and back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.codec.converter import Structurer
from assay.codec.faults import wrongs
from assay_plugins.assertions.contains import Contains
from assay_plugins.assertions.equals import Equals
from assay_plugins.assertions.json_path import JsonPath
from assay_plugins.assertions.not_contains import NotContains
from assay_plugins.assertions.regex import Regex
from assay_plugins.assertions.script import ScriptCheck
from assay_plugins.assertions.type import Type


def structure(fields: object, cls: type) -> Any:
    return Structurer().structure(fields, cls)


def faults(fields: object, cls: type) -> list[tuple[str, str, str]]:
    structurer = Structurer()
    try:
        structurer.structure(fields, cls)
    except Exception as error:  # noqa: BLE001 - whatever it is, wrongs() flattens it
        return [
            (path, wrong.what, wrong.mend) for path, wrong in wrongs(error, "", structurer.keys)
        ]
    return []


SAMPLES: list[tuple[type, dict[str, object], object]] = [
    (Equals, {"value": {"a": [1, None]}}, Equals(value={"a": [1, None]})),
    (Equals, {"value": None}, Equals(value=None)),
    (Contains, {"value": ["a", 1]}, Contains(value=["a", 1])),
    (Contains, {"value": "a", "ignore_case": True}, Contains(value="a", ignore_case=True)),
    (NotContains, {"value": {"a": 1}}, NotContains(value={"a": 1})),
    (JsonPath, {"path": "a", "value": None}, JsonPath(path="a", value=None)),
    (JsonPath, {"path": "a", "in": [1, [2], None]}, JsonPath(path="a", in_=(1, [2], None))),
    (JsonPath, {"path": "a", "exists": False}, JsonPath(path="a", exists=False)),
    (Regex, {"value": "a+"}, Regex(value="a+")),
    (Regex, {"value": "(?=a)", "engine": "python"}, Regex(value="(?=a)", engine="python")),
    (Type, {"value": "null"}, Type(value="null")),
    (Type, {"value": "array", "path": "$"}, Type(value="array", path="$")),
    (ScriptCheck, {"script": "a.py:f"}, ScriptCheck(script="a.py:f")),
    (ScriptCheck, {"script": "a.py:f", "value": None}, ScriptCheck(script="a.py:f", value=None)),
]


@pytest.mark.parametrize(("cls", "fields", "assertion"), SAMPLES)
def test_there_and_back(cls: type, fields: dict[str, object], assertion: object) -> None:
    assert structure(fields, cls) == assertion

    written = json.loads(json.dumps(Structurer().fields(assertion)))
    assert written == fields
    assert structure(written, cls) == assertion


@pytest.mark.parametrize(
    ("cls", "fields", "where"),
    [
        (Equals, {}, "value"),
        (Contains, {}, "value"),
        (Contains, {"value": None}, "value"),
        (Contains, {"value": "a", "ignore_case": "yes"}, "ignore_case"),
        (Contains, {"value": "a", "ignorecase": True}, "ignorecase"),
        (NotContains, {"value": ""}, "value"),
        (JsonPath, {"value": 1}, "path"),
        (JsonPath, {"path": 3, "value": 1}, "path"),
        (JsonPath, {"path": "$.a[", "value": 1}, "path"),
        (JsonPath, {"path": "a", "in": 3}, "in"),
        (JsonPath, {"path": "a", "in": []}, "in"),
        (JsonPath, {"path": "a", "exists": "no"}, "exists"),
        (JsonPath, {"path": "a"}, ""),
        (JsonPath, {"path": "a", "exists": None}, ""),
        (Regex, {"value": 3}, "value"),
        (Regex, {"value": "a", "engine": "pcre"}, "engine"),
        (Regex, {"value": "("}, "value"),
        (Regex, {"value": ""}, "value"),
        (Regex, {"value": "(?=a)"}, ""),
        (Type, {"value": "list"}, "value"),
        (Type, {"value": "array", "path": "a b"}, "path"),
        (ScriptCheck, {}, "script"),
        (ScriptCheck, {"script": ""}, "script"),
    ],
)
def test_a_fault_names_the_field(cls: type, fields: dict[str, object], where: str) -> None:
    told = faults(fields, cls)

    assert [path for path, _, _ in told] == [where]
    assert all(what for _, what, _ in told)


@pytest.mark.parametrize(
    ("cls", "fields", "fault"),
    [
        (
            Contains,
            {"value": []},
            ("value", "an empty list asks for nothing", "list what to look for"),
        ),
        (
            JsonPath,
            {"path": "a.b-c", "exists": True},
            (
                "path",
                "not a JSON path at character 4: "
                "expected '.', '..' or a bracketed selection, found '-'",
                "write names as $.a.b or $['a b'], and indexes as $.a[0]",
            ),
        ),
        (
            Regex,
            {"value": "(?<=a)b"},
            (
                "",
                "value is not a pattern of RE2: invalid perl operator: (?<=",
                'write it in the syntax of RE2, or add "engine": "python"',
            ),
        ),
    ],
)
def test_a_fault_says_what_and_how_to_mend_it(
    cls: type, fields: dict[str, object], fault: tuple[str, str, str]
) -> None:
    assert faults(fields, cls) == [fault]
