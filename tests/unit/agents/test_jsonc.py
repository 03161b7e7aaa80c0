"""JSON with comments and trailing commas."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.jsonvalue import is_array, is_object
from assay_plugins.agents._jsonc import JsoncError, loads

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)
COMMENT_TEXT = st.text(max_size=10).filter(lambda text: "\n" not in text and "*/" not in text)
SPACE = st.lists(
    st.sampled_from(["", " ", "\n", "\r\n", "\t"])
    | COMMENT_TEXT.map(lambda text: f"//{text}\n")
    | COMMENT_TEXT.map(lambda text: f"/*{text} */"),
    max_size=3,
).map("".join)


def written(value: object, data: st.DataObject) -> str:
    """Write a value with comments and trailing commas wherever they may stand."""
    space = data.draw(SPACE)
    has_comma = data.draw(st.booleans())
    if is_object(value):
        opening, closing = "{", "}"
        items = [
            f"{space}{json.dumps(key)}{data.draw(SPACE)}:{written(item, data)}"
            for key, item in value.items()
        ]
    elif is_array(value):
        opening, closing = "[", "]"
        items = [written(item, data) for item in value]
    else:
        return f"{space}{json.dumps(value)}{data.draw(SPACE)}"
    trailing = f",{data.draw(SPACE)}" if items and has_comma else ""
    return f"{space}{opening}{data.draw(SPACE)}{','.join(items)}{trailing}{closing}"


@given(value=JSON, data=st.data())
def test_comments_and_trailing_commas_change_nothing(value: object, data: st.DataObject) -> None:
    assert loads(written(value, data)) == value


@given(value=JSON)
def test_plain_json_is_read_as_it_is(value: object) -> None:
    assert loads(json.dumps(value, ensure_ascii=False, indent=1)) == value


@given(text=st.text(st.sampled_from('{}[],:"\\/* \n1a')))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        value = loads(text)
    except JsoncError:
        return
    assert loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text",
    ['"// no comment"', '"/* none */"', '"a,]"', '"\\"// \\" ,}"', '["http://x/y", "*/"]'],
)
def test_strings_are_respected(text: str) -> None:
    assert loads(text) == json.loads(text)


@pytest.mark.parametrize("text", ["[,]", "[1,,]", "{,}", '{"a":,}', "[1 2]", "[1,] 2", "", "//"])
def test_only_a_comma_behind_a_value_is_left_out(text: str) -> None:
    with pytest.raises(JsoncError):
        loads(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n  "a": 1 // one\n  "b": 2\n}', (3, 3)),
        ('{ /* long\n comment */ "a": x}', (2, 18)),
        ('{\n  "a": "open\n}', (2, 13)),
        ('{\n  "a": 1, /* open\n}', (2, 11)),
        ("/", (1, 1)),
    ],
)
def test_errors_tell_line_and_column(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(JsoncError) as told:
        loads(text)

    assert (told.value.line, told.value.column) == place
    assert str(told.value).startswith(f"line {place[0]}, column {place[1]}: ")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(JsoncError, match="Nested"):
        loads("[" * 100_000)
