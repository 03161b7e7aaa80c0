from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.extract import Extracted, extract
from assay.jsonvalue import MAX_DEPTH, equal


def value_of(text: str) -> object:
    found = extract(text)
    assert found is not None, text
    return found.value


def source_of(text: str) -> str:
    found = extract(text)
    assert found is not None, text
    return found.source


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("\n [1, 2]\n", [1, 2]),
        ("42", 42),
        ("1e2", 100.0),
        ('"yes"', "yes"),
        ("null", None),
        ("true", True),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('"```json\\n{}\\n```"', "```json\n{}\n```"),
    ],
)
def test_the_whole_text(text: str, value: object) -> None:
    assert extract(text) == Extracted(value=value, source="")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "hello",
        "the answer is 42",
        'she said "yes"',
        "NaN",
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 1 // one\n}',
        '{"a": NaN}',
        "a: 1",
        "```\n42\n```",
        "```json\ntrue\n```",
        '```json\n"text"\n```',
        "```json\n{'a': 1}\n```",
        '```python\n{"a": 1}\n```',
        '```js\nconst x = {"a": 1}\n```',
        "```yaml\njust words\n```",
        'one {"a": 1} two {"b": 2}',
        "either [1] or [2]",
        '{"a": 1}\n{"b": 2}',
    ],
)
def test_no_json(text: str) -> None:
    assert extract(text) is None


@pytest.mark.parametrize(
    ("text", "value", "source"),
    [
        ('```json\n{"a": 1}\n```', {"a": 1}, "fenced block"),
        ("Here:\n```\n[1]\n```\nDone.", [1], "fenced block"),
        ('```JSON title="x"\n{"a": 1}\n```', {"a": 1}, "fenced block"),
        ('~~~~json\n{"a": "~~~"}\n~~~~', {"a": "~~~"}, "fenced block"),
        ('````\n{"a": "\\n```\\n"}\n````', {"a": "\n```\n"}, "fenced block"),
        ("```json\n[1]\n```\n\n```json\n[2]\n```", [1], "first of 2 fenced blocks"),
        ("```\nnot json\n```\n```\n[2]\n```\n```\n[3]\n```", [2], "second of 3 fenced blocks"),
        ("```bash\nls []\n```\n```json\n[2]\n```", [2], "fenced block"),
        ("```\n42\n```\n```json\n{}\n```", {}, "second of 2 fenced blocks"),
        ('{"prose": 1}\n```json\n[2]\n```', [2], "fenced block"),
        ('```json\n{"never": "closed"}', {"never": "closed"}, "fenced block"),
        ('1. First:\n   ```json\n   {"a":\n     1}\n   ```\n2. x', {"a": 1}, "fenced block"),
        ('- ```json\n  {"a": 1}\n  ```\n', {"a": 1}, "fenced block"),
        ('      ```json\n      {"a": 1}\n      ```\n', {"a": 1}, "fenced block"),
        ('<answer>\n```json\n{"a": 1}\n```\n</answer>', {"a": 1}, "fenced block"),
        ('```json\r\n{"a": 1}\r\n```\r\n', {"a": 1}, "fenced block"),
        ('```\n{"emoji": "😀 é"}\n```', {"emoji": "😀 é"}, "fenced block"),
    ],
)
def test_fences(text: str, value: object, source: str) -> None:
    assert extract(text) == Extracted(value=value, source=source)


def test_the_place_of_a_late_block_is_said_in_digits() -> None:
    text = "```\nno\n```\n" * 21 + "```\n[1]\n```\n" + "```\nno\n```\n" * 3
    assert source_of(text) == "22nd of 25 fenced blocks"
    assert source_of("```\nno\n```\n" * 11 + "```\n[1]\n```\n") == "12th of 12 fenced blocks"


@pytest.mark.parametrize(
    ("text", "value", "source"),
    [
        ('Sure: {"a": {"b": [1]}} ok?', {"a": {"b": [1]}}, "only object in the text"),
        ("The list is [1, 2].", [1, 2], "only array in the text"),
        ('See [1] and [2]: {"a": 1}', {"a": 1}, "only object in the text"),
        ('The list [{"a": 1}, {"b": 2}] holds', [{"a": 1}, {"b": 2}], "only array in the text"),
        ('`{"a": 1}`', {"a": 1}, "only object in the text"),
        ('a {b} c { d } [e] {"a": 1}', {"a": 1}, "only object in the text"),
        ('in [0, 1) it is {"a": 1}', {"a": 1}, "only object in the text"),
        ('write {"key": value} like {"a": 1}', {"a": 1}, "only object in the text"),
        ('write [{"key"}] like {"a": 1}', {"a": 1}, "only object in the text"),
        ('sets {"a", "b"} and {"c"}: {"a": 1}', {"a": 1}, "only object in the text"),
        ("an empty {} only", {}, "only object in the text"),
        ('{"a": "} {"} and more', {"a": "} {"}, "only object in the text"),
        ('say "hi {" to {"a": 1}', {"a": 1}, "only object in the text"),
        ('```py\nx = {"b": 2}\n```\nis {"a": 1}', {"a": 1}, "only object in the text"),
        ('{"a": 1} {"b": 2', None, ""),
        ('{"user": {"id": 1}, "age": }', None, ""),
        ('{"user": {"id": 1}, "na', None, ""),
        ('[{"id": 1}, {"id": 2}, {"i', None, ""),
        ('{"a": 1, "b": ...} and {"c": {"d": 1}', None, ""),
    ],
)
def test_prose(text: str, value: object, source: str) -> None:
    expected = None if value is None else Extracted(value=value, source=source)
    assert extract(text) == expected


def test_words_far_into_a_long_text_are_found() -> None:
    text = "[x] {y} " * 50_000 + '{"a": 1}' + " [see {z}" * 50_000
    assert value_of(text) == {"a": 1}


@pytest.mark.parametrize(
    ("block", "value"),
    [
        ("a: 1\nb:\n  - x\n  - 2.5\n", {"a": 1, "b": ["x", 2.5]}),
        ("- yes\n- no\n- true\n- ~\n- null\n-\n", ["yes", "no", True, None, None, None]),
        ("a: 2024-01-01\nb: 12:30:00\n", {"a": "2024-01-01", "b": "12:30:00"}),
        ("a: 010\nb: 0o10\nc: 0x1F\nd: 1_000\n", {"a": 10, "b": 8, "c": 31, "d": "1_000"}),
        ("a: +1\nb: -1.5e3\nc: .5\nd: 1.\n", {"a": 1, "b": -1500.0, "c": 0.5, "d": 1.0}),
        ("a: '1'\nb: \"2\"\nc: |\n  3\n", {"a": "1", "b": "2", "c": "3\n"}),
        ("1: a\ntrue: b\n1: c\n", {"1": "c", "true": "b"}),
        ("a: !!str 1\nb: ! 2\n", {"a": "1", "b": "2"}),
        ("---\na: 1\n", {"a": 1}),
        ("a: &x 1\n", {"a": 1}),
        (f"a: {'7' * 5000}\n", {"a": int("7" * 4000) * 10**1000 + int("7" * 1000)}),
        ('{"a": [1, {"b": null}]}\n', {"a": [1, {"b": None}]}),
        ("<<: {a: 1}\n", {"<<": {"a": 1}}),
    ],
)
def test_yaml_fences_hold_json_types_only(block: str, value: object) -> None:
    found = extract(f"So:\n```yaml\n{block}```\n")
    assert found is not None
    assert equal(found.value, value)
    assert found.source == "fenced YAML block"


@pytest.mark.parametrize(
    "block",
    [
        "a: &x [1]\nb: *x\n",
        "a: !!python/object/apply:os.system ['true']\n",
        "a: !!binary aGVsbG8=\n",
        "a: !!set {b}\n",
        "? [a, b]\n: 1\n",
        "a: 1\n---\nb: 2\n",
        "a: .inf\n",
        "a: 1e999\n",
        "a: [\n",
        "a:\tb: c\n",
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "- a\n" * 60_000,  # too many lines
        "- aaaaaa\n" * 25_000,  # too many characters
        "\ud800: 1\n",
        "",
    ],
)
def test_other_yaml_is_not_taken(block: str) -> None:
    assert extract(f"```yaml\n{block}\n```\n") is None


def test_yaml_comes_after_all_json_fences_and_before_prose() -> None:
    assert source_of("```yml\na: 1\n```\n```\n[1]\n```\n") == "fenced block"
    assert source_of("```yml\na: 1\n```\n```\nnone\n```\n") == "fenced YAML block"
    assert source_of('```yml\na: 1\n```\n{"a": 1}') == "fenced YAML block"
    assert (
        source_of("```yml\n- :\n: -\n```\n```YAML\na: 1\n```") == "second of 2 fenced YAML blocks"
    )


def test_nul_in_a_fence_is_not_repaired() -> None:
    assert extract('```\n{"a": "\0"}\n```') is None


SIZE = 50_000


@pytest.mark.parametrize(
    "unit",
    ["{", "[", "`", "~", '"', '{"', '["', "[1 ", "[1,", "{}", "[]", '{"a":', '{"a" ', '[{"a"} ',
     "[0, 1) ", '\\"', "```\n", "```a\n", "```\na\n", "> ```\na\n", "- ```\na\n", "* a\n",
     "```json\n{\n", "```yaml\na: [\n```\n", "9 ", "- ", "\n", "{\n", '{"a":1}\n', "[NaN]",
     "\0", "\ud800", "- > ```\na\n"],
)  # fmt: skip
def test_hostile_text_comes_to_an_end(unit: str) -> None:
    text = unit * (SIZE // len(unit))
    assert extract(text) is None
    assert extract("```\nx\n```\n" + text) is None
    assert extract("```yaml\n" + text) is None


def test_endless_digits_are_no_json() -> None:
    assert extract("9" * 1_000_000) is None
    assert extract("so [" + "9" * 1_000_000 + "]") is None


def test_hostile_nesting_is_no_json() -> None:
    assert extract("[" * 100_000 + "]" * 100_000) is None
    assert extract("see " + "[" * 100_000 + "]" * 100_000) is None
    assert extract("```\n" + '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n```") is None


PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', ":", ",", "\\", "a", "1", "null", " ", "\n", "```", "~~~", "json",
     "yaml", "- ", "> ", "    ", '{"a": 1}', "[2]", "\r\n", "&a", "*a", "!!", "\0", "\ud800", "é"]
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(PIECES, max_size=40).map("".join) | st.text())
@example("```\n```\n```")
def test_whatever_a_text_is_it_is_read_without_an_error(text: str) -> None:
    found = extract(text)
    if found is not None and found.source:
        assert isinstance(found.value, (dict, list))
    elif found is not None:
        assert equal(found.value, json.loads(text))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
CONTAINERS = st.lists(JSON, max_size=3) | st.dictionaries(st.text(), JSON, max_size=3)
# Words without brackets, quotes or fences.
WORDS = st.text(alphabet="abc .,:!?\n", max_size=30)


@settings(deadline=None)
@given(JSON, st.sampled_from([None, 2]), st.booleans())
def test_json_is_found_as_the_whole_text(value: object, indent: int | None, ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert extract(text) == Extracted(value=value, source="")


@settings(deadline=None)
@given(CONTAINERS, WORDS, WORDS, st.sampled_from(["json", "", "text"]), st.booleans())
def test_json_is_found_in_a_fence(
    value: object, before: str, behind: str, info: str, indented: bool
) -> None:
    block = json.dumps(value, indent=2 if indented else None)
    text = f"{before}\n```{info}\n{block}\n```\n{behind}"
    assert extract(text) == Extracted(value=value, source="fenced block")


@settings(deadline=None)
@given(CONTAINERS, WORDS, WORDS)
def test_json_is_found_between_words(value: object, before: str, behind: str) -> None:
    assert value_of(f"so {before}{json.dumps(value)}{behind}") == value
