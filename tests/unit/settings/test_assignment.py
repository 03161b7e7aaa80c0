from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.settings.assignment import PLUGIN_KINDS, parse_assignment


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("1.5", 1.5),
        ("true", True),
        ('"quoted"', "quoted"),
        ("[1, 'two']", [1, "two"]),
        ('{"a b" = 1}', {"a b": 1}),
        ("http://127.0.0.1:5099/a=b", "http://127.0.0.1:5099/a=b"),
        ("gpt-4o", "gpt-4o"),
        ("", ""),
        ("$TOKEN", "$TOKEN"),
        ("1\nother = 2", "1\nother = 2"),
        ("[" * 100_000, "[" * 100_000),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_a_value_is_toml_or_else_text(text: str, value: object) -> None:
    item = parse_assignment(f"transport.yao.server={text}")
    assert item.value == value
    assert type(item.value) is type(value)
    assert item.text == text


def test_the_key_names_kind_word_and_path() -> None:
    item = parse_assignment('transport.yao.identities."admin@ops.team"=OPS')
    assert (item.kind, item.word) == ("transport", "yao")
    assert item.path == ("identities", "admin@ops.team")
    assert item.label == "--set transport.yao.identities.admin@ops.team"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "=",
        "transport.yao.server",
        "transport.yao=1",
        "transport=1",
        "transport..server=1",
        ".yao.server=1",
        "transport.yao.ser ver=1",
        "transport.yao.server\nx=1",
        "transport.yao.{a=1}=2",
    ],
)
def test_another_form_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an assignment; write KIND.WORD.KEY=VALUE, such"):
        parse_assignment(text)


def test_a_refusal_does_not_repeat_the_value() -> None:
    with pytest.raises(ValueError, match=r"^'yao.token=' is not an assignment") as caught:
        parse_assignment("yao.token=my-secret")
    assert "my-secret" not in str(caught.value)


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"no plugins of kind 'transprot' .*'transport'"):
        parse_assignment("transprot.yao.server=1")


words = st.from_regex(r"[A-Za-z0-9_-]+", fullmatch=True)
toml_values = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), words),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@settings(deadline=None)
@given(st.sampled_from(PLUGIN_KINDS), words, st.lists(words, min_size=1, max_size=3), toml_values)
def test_what_is_written_as_toml_is_read_as_it_is(
    kind: str, word: str, path: list[str], value: object
) -> None:
    item = parse_assignment(f"{'.'.join((kind, word, *path))}={json.dumps(value)}")
    assert (item.kind, item.word, item.path) == (kind, word, tuple(path))
    assert item.value == value


@settings(deadline=None)
@given(st.text())
def test_any_value_is_kept_as_it_was_written(text: str) -> None:
    assert parse_assignment(f"wrap.record.file={text}").text == text


@settings(deadline=None)
@given(st.text())
def test_any_text_is_an_assignment_or_refused(text: str) -> None:
    try:
        item = parse_assignment(text)
    except ValueError:
        return
    assert item.kind in PLUGIN_KINDS
    assert item.path
