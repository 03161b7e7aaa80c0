"""What the Python engine says of a file without running it."""

from __future__ import annotations

import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from assay.errors import ConfigError
from assay_plugins.scripts.python import Python

if TYPE_CHECKING:
    from pathlib import Path

TEXT = dedent("""
    import os.path, json as js
    from helpers import one, two as other

    def plain(): inner = 1
    async def later():
        def nested(): pass
    class Callable_:
        def method(self): pass
    by_lambda = lambda hidden: hidden
    first, (second, *third) = 1, (2, 3)
    typed: int = 1
    if os.name == "posix":
        def on_posix(): pass
    else:
        elsewhere = None
    try:
        import fast
    except ImportError as problem:
        def slow(): pass
    with open("x") as stream:
        within = 1
    for item in []:
        looped = item
    match 5:
        case int(): matched = 1
    if (walrus := 5): pass
    listed = [short for short in []]
    raise SystemExit("never run")
""")

DEFINED = """
    os js one other plain later Callable_ by_lambda first second third typed on_posix elsewhere
    fast slow stream within item looped matched walrus listed
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "checks.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", DEFINED.split())
def test_names_bound_at_the_top_level_count(file: Path, name: str) -> None:
    assert Python().defines(file, name)


@pytest.mark.parametrize(
    "name",
    [
        "json",
        "two",
        "helpers",
        "path",
        "inner",
        "nested",
        "method",
        "hidden",
        "short",
        "nowhere",
        "",
    ],
)
def test_other_names_do_not(file: Path, name: str) -> None:
    assert not Python().defines(file, name)


@pytest.mark.parametrize("text", ["from helpers import *", "def __getattr__(name): return len"])
def test_a_file_that_may_define_anything_is_given_the_benefit(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    assert Python().defines(file, "whatever")


def test_a_changed_file_is_read_again(file: Path) -> None:
    engine = Python()
    assert not engine.defines(file, "added")
    file.write_text(TEXT + "added = 1\n", encoding="utf-8")
    assert engine.defines(file, "added")


def test_other_encodings_and_marks(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbfdef pr\xc3\xbcfe(): pass\r\n")
    assert Python().defines(file, "prüfe")
    file.write_bytes("# coding: latin-1\ndef prüfe(): pass\n".encode("latin-1"))
    assert Python().defines(file, "prüfe")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"x = 1\ndef check(:\n", r"checks\.py:2 is not Python: invalid syntax"),
        (b"x = '\xff'\n", r"is not Python: "),
        (b"x = 1\0\n", r"is not Python: "),
        (b"(" * 10_000, r"is not Python: "),
    ],
)
def test_what_is_not_python_is_an_error_with_its_line(
    file: Path, data: bytes, message: str
) -> None:
    file.write_bytes(data)
    with pytest.raises(ConfigError, match=message):
        Python().defines(file, "check")


def test_a_file_that_is_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        Python().defines(file, "check")


def test_the_command_names_this_interpreter_and_the_root(tmp_path: Path) -> None:
    command = Python().command(tmp_path)
    assert command[0] == sys.executable
    assert command[-1] == str(tmp_path)
