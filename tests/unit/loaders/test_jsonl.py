"""The loader of case files and standard input."""

from __future__ import annotations

import os
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from assay import ConfigError, LoadContext, Suite
from assay.testing import check_loader
from assay_plugins.loaders.jsonl import Jsonl

if TYPE_CHECKING:
    from pathlib import Path

LOADER = Jsonl()


def only(source: str, context: LoadContext) -> Suite:
    (suite,) = LOADER.load(source, context)
    return suite


@pytest.mark.parametrize("source", ["a.jsonl", "tests/a.jsonl", "/x/a.JSONL", "-", "no such.jsonl"])
def test_what_is_accepted(tmp_path: Path, source: str) -> None:
    assert LOADER.accepts(source, LoadContext(cwd=tmp_path))


@pytest.mark.parametrize("source", ["hello", "", "a.json", "tests", "--", "a.jsonl.bak"])
def test_what_is_not_accepted(tmp_path: Path, source: str) -> None:
    assert not LOADER.accepts(source, LoadContext(cwd=tmp_path))


def test_a_file_is_one_suite(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    file = tmp_path / "tests" / "inputs.jsonl"
    file.write_text('{"id": "a"}\n// note\n{"id": "b"}\n')

    suite = only("./tests/../tests/inputs.jsonl", LoadContext(cwd=tmp_path))

    assert suite.key == "tests/inputs.jsonl"
    assert suite.path == file
    assert suite.folder == tmp_path / "tests"
    for _ in range(2):
        assert [(str(entry.where), entry.value) for entry in suite.entries()] == [
            ("tests/inputs.jsonl:1", {"id": "a"}),
            ("tests/inputs.jsonl:3", {"id": "b"}),
        ]


def test_keys_outside_of_the_working_directory(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "a.jsonl"
    file.write_text("")
    context = LoadContext(cwd=tmp_path / "work")

    assert only("../a.jsonl", context).key == "../a.jsonl"
    assert only(str(file), context).key == file.as_posix()


def test_an_absolute_path_inside_the_working_directory_has_a_relative_key(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")

    assert only(str(tmp_path / "a.jsonl"), LoadContext(cwd=tmp_path)).key == "a.jsonl"


def test_standard_input_is_read_from_the_file_that_core_keeps(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text('{"id": "a"}\n')

    suite = only("-", LoadContext(cwd=tmp_path, stdin=lambda: kept))

    assert (suite.key, suite.path, suite.folder) == ("-", None, None)
    for _ in range(2):
        (entry,) = suite.entries()
        assert (str(entry.where), entry.value) == ("<stdin>:1", {"id": "a"})


def test_standard_input_that_nobody_hands_over_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="standard input cannot be read here"):
        only("-", LoadContext(cwd=tmp_path))


def test_a_mistyped_file_is_an_error_with_the_name_meant(tmp_path: Path) -> None:
    (tmp_path / "inputs.jsonl").write_text("")

    with pytest.raises(ConfigError) as told:
        only("input.jsonl", LoadContext(cwd=tmp_path))

    assert str(told.value) == "input.jsonl: no such file; did you mean inputs.jsonl?"


@pytest.mark.parametrize("source", ["nowhere/a.jsonl", "a\0b.jsonl", "x" * 5000 + ".jsonl"])
def test_a_file_that_cannot_be_is_an_error(tmp_path: Path, source: str) -> None:
    with pytest.raises(ConfigError, match="no such file; check the path"):
        only(source, LoadContext(cwd=tmp_path))


def test_a_folder_of_such_a_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").mkdir()

    with pytest.raises(ConfigError, match=r"a\.jsonl: this is a folder"):
        only("a.jsonl", LoadContext(cwd=tmp_path))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_named_pipe_is_an_error_that_names_standard_input(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jsonl")

    with pytest.raises(ConfigError, match=r"not a regular file.*-i -"):
        only("a.jsonl", LoadContext(cwd=tmp_path))


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    line = b'{"id": "a", "input": "' + b"x" * 1000 + b'"}\n'
    (tmp_path / "a.jsonl").write_bytes(line * 20_000)
    suite = only("a.jsonl", LoadContext(cwd=tmp_path))

    tracemalloc.start()
    count = sum(1 for _ in suite.entries())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert count == 20_000
    assert peak < 1_000_000


def test_it_keeps_the_contract_of_loaders(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a"}\noops\n')

    check_loader(Jsonl, "a.jsonl", cwd=tmp_path, rejects=["a.json", "hello", "."])
