"""Assertions as the command line has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cases.shorthand import assertion_of
from assay.discovery.manager import make_plugins
from assay.errors import ConfigError

PLUGINS = make_plugins()


def made(text: str) -> dict[str, Any]:
    return assertion_of(text, words=PLUGINS.words("assertion"), assertion=PLUGINS.assertion)


@pytest.mark.parametrize(
    ("text", "assertion"),
    [
        ("contains:hello", {"type": "contains", "value": "hello"}),
        ("contains: a:b ", {"type": "contains", "value": " a:b "}),
        ("equals:42", {"type": "equals", "value": "42"}),
        ("regex:^a:b$", {"type": "regex", "value": "^a:b$"}),
        ("type:object", {"type": "type", "value": "object"}),
        ("script:checks.py:check", {"type": "script", "script": "checks.py:check"}),
        ("json_path:$.a", {"type": "json_path", "path": "$.a"}),
        ('{"type": "equals", "value": 42}', {"type": "equals", "value": 42}),
        (' {"a": 1}', {"a": 1}),
    ],
)
def test_the_text_is_the_one_required_field(text: str, assertion: dict[str, Any]) -> None:
    assert made(text) == assertion


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("contians:x", "no assertion type 'contians'; did you mean 'contains'"),
        ("", "no assertion type ''"),
        ("contains", "the value is missing; write contains:VALUE"),
        ("{bad", "not JSON"),
    ],
)
def test_what_is_none(text: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        made(text)
    assert str(caught.value).startswith(f"--assert {text}: {problem}")


@given(text=st.text())
@settings(deadline=None)
def test_any_text_is_an_assertion_or_a_config_error(text: str) -> None:
    told = ""
    try:
        told = repr(made(text))
    except ConfigError as error:
        told = str(error)
    assert told.startswith(("{", "--assert "))


@given(value=st.text())
@settings(deadline=None)
def test_any_text_can_be_looked_for(value: str) -> None:
    assert made(f"contains:{value}") == {"type": "contains", "value": value}
