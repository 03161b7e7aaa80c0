"""JSON lines as case files have them."""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from assay import ConfigError, Entry, Where
from assay_plugins._lines import read_lines

if TYPE_CHECKING:
    from pathlib import Path

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@frozen
class Filler:
    """A line that is skipped."""

    text: str


FILLERS = st.sampled_from(
    ["", "   ", "\t", "// a comment", "  // {not: json}", "\u3000", "\xa0"]
).map(Filler)


def entries(path: Path, content: bytes) -> list[Entry]:
    path.write_bytes(content)
    return list(read_lines(path, "cases.jsonl"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "cases.jsonl"


@given(
    lines=st.lists(JSON | FILLERS, max_size=8),
    ascii_only=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    last_end=st.booleans(),
)
def test_every_value_is_read_with_its_line(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[object],
    ascii_only: bool,
    end: str,
    bom: bool,
    last_end: bool,
) -> None:
    texts = [
        line.text if isinstance(line, Filler) else json.dumps(line, ensure_ascii=ascii_only)
        for line in lines
    ]
    text = end.join(texts) + (end if last_end else "")
    path = tmp_path_factory.mktemp("lines") / "cases.jsonl"

    found = entries(path, (codecs.BOM_UTF8 if bom else b"") + text.encode())

    assert [(entry.where.line, entry.value) for entry in found] == [
        (number, line) for number, line in enumerate(lines, 1) if not isinstance(line, Filler)
    ]
    assert not any(entry.problem for entry in found)


@given(content=st.binary(max_size=200))
def test_any_bytes_give_entries(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    for entry in entries(tmp_path_factory.mktemp("bytes") / "cases.jsonl", content):
        assert (entry.problem is None) == (entry.mend is None)


def test_a_line_that_is_not_json_has_its_column(file: Path) -> None:
    first, second, third = entries(file, b'{"id": 1}\n\n  {"id": x}\n[1] 2\n')

    assert first.value == {"id": 1}
    assert second.where == Where("cases.jsonl", 3)
    assert second.problem == "not JSON at column 10: Expecting value"
    assert second.mend == "write one JSON object per line"
    assert str(third.where) == "cases.jsonl:4"
    assert third.problem is not None
    assert third.problem.startswith("not JSON at column 5: Extra data")


def test_a_line_that_is_not_utf_8_has_its_column_in_characters(file: Path) -> None:
    found = entries(file, '{"id": "é'.encode() + b"\xff" + b'"}\n{"id": "b"}\n')

    assert found[0].problem == "not UTF-8 at column 10 (byte 0xFF)"
    assert found[0].mend == "save the file as UTF-8"
    assert found[1].value == {"id": "b"}


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_of_utf_16_is_one_fault(file: Path, encoding: str) -> None:
    (entry,) = entries(file, '\ufeff{"id": "a"}\n{"id": "b"}\n'.encode(encoding))

    assert entry.problem == "the file is UTF-16, not UTF-8"


def test_files_with_marks_can_be_put_one_behind_the_other(file: Path) -> None:
    part = codecs.BOM_UTF8 + b'{"id": "a"}\n'

    assert [entry.value for entry in entries(file, part + part)] == [{"id": "a"}, {"id": "a"}]


def test_other_line_separators_do_not_end_a_line(file: Path) -> None:
    value = {"id": "a\u2028b\u2029c\x85d\x0b\x0ce"}

    (entry,) = entries(file, json.dumps(value, ensure_ascii=False).encode())

    assert entry.value == value


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_constants_that_are_not_json_are_faults(file: Path, constant: str) -> None:
    (entry,) = entries(file, f'{{"id": {constant}}}'.encode())

    assert entry.problem is not None
    assert constant in entry.problem


def test_deep_nesting_is_a_fault_of_its_line(file: Path) -> None:
    first, second = entries(file, b"[" * 100_000 + b"]" * 100_000 + b"\n1\n")

    assert first.problem is not None
    assert first.problem.startswith("not JSON: ")
    assert second.value == 1


def test_a_line_may_be_long(file: Path) -> None:
    value = {"id": "x" * 5_000_000}

    (entry,) = entries(file, json.dumps(value).encode())

    assert entry.value == value


def test_a_file_is_read_anew_each_time(file: Path) -> None:
    assert [entry.value for entry in entries(file, b"1")] == [1]
    assert [entry.value for entry in entries(file, b"2")] == [2]


def test_a_file_that_is_gone_is_a_configuration_error(file: Path) -> None:
    with pytest.raises(ConfigError, match=r"^cases\.jsonl: cannot be read: No such file"):
        list(read_lines(file, "cases.jsonl"))
