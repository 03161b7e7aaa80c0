"""Pages as files: whole or not there, in UTF-8, without secrets."""

from __future__ import annotations

import io
import json
import os
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import RunError
from assay.reports.sink import page_file, page_stream
from assay.secret import Redactor, Secret

SECRET = "sk-0123456789abcdef"
REDACTOR = Redactor([Secret(SECRET)])


def same(text: str) -> str:
    return text


def write(path: Path, *texts: str) -> None:
    with page_file(path, REDACTOR.text) as out:
        for text in texts:
            out.write(text)


def test_the_file_stands_when_it_is_whole_and_nothing_else_does(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.md"
    with page_file(path, same) as out:
        out.write("# Report\n")
        out.flush()
        assert not path.exists()
    assert path.read_bytes() == b"# Report\n"
    assert list(path.parent.iterdir()) == [path]


def test_after_an_exception_the_old_file_stands(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("old")

    def fail() -> None:
        with page_file(path, same) as out:
            out.write("x" * 1_000_000)
            raise KeyError("no")

    with pytest.raises(KeyError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_line_ends_are_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write(path, "one\ntwo\r\nthree\rfour")
    assert path.read_bytes() == b"one\ntwo\r\nthree\rfour"


@given(st.lists(st.text(), max_size=5))
def test_no_character_fails(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("page") / "report.md"
    write(path, *texts)
    assert path.read_bytes().decode() == "".join(texts).encode("utf-8", "backslashreplace").decode()


def test_a_lone_surrogate_in_json_text_is_the_same_character(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write(path, json.dumps({"output": "a\ud800b"}, ensure_ascii=False))
    assert json.loads(path.read_text(encoding="utf-8")) == {"output": "a\ud800b"}


@given(
    before=st.integers(0, 300_000),
    behind=st.integers(0, 300_000),
    pieces=st.lists(st.integers(1, 400_000), max_size=4),
)
def test_a_secret_is_replaced_wherever_the_text_is_cut(
    tmp_path_factory: pytest.TempPathFactory, before: int, behind: int, pieces: list[int]
) -> None:
    text = "x" * before + SECRET + "y" * behind
    path = tmp_path_factory.mktemp("page") / "report.md"
    with page_file(path, REDACTOR.text) as out:
        for piece in pieces:
            out.write(text[:piece])
            text = text[piece:]
        out.write(text)
    assert path.read_text() == "x" * before + "***" + "y" * behind


def test_a_secret_over_two_small_writes_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    write(path, "a" + SECRET[:5], SECRET[5:] + "b")
    assert path.read_text() == "a***b"


def test_a_reporter_may_close_the_stream_and_print_to_it(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    with page_file(path, same) as out, out:
        print("one", file=out)
        out.writelines(["two\n", "three\n"])
    assert path.read_text() == "one\ntwo\nthree\n"


def test_the_target_of_a_link_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    target = tmp_path / "real.md"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link.md"
    link.symlink_to(target)
    write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write(tmp_path / "report.md", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "report.md").stat().st_mode) == 0o644


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write(pipe, "through ", "the pipe")
    reader.join()
    assert read == ["through the pipe"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["taken/report.md", "folder", "x" * 300 + ".md"])
def test_a_page_that_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "taken").write_text("a file")
    (tmp_path / "folder").mkdir()
    with pytest.raises(RunError) as raised:
        write(tmp_path / name, "text")
    assert str(raised.value).startswith(f"{tmp_path / name}: the report cannot be written: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "taken"]


def test_a_full_disk_is_named() -> None:
    """``/dev/full`` is one."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(RunError, match="/dev/full: the report cannot be written: No space left"):
        write(full, "x" * 10_000_000)
    with pytest.raises(RunError, match="/dev/full: the report cannot be written: No space left"):
        write(full, "x")


def test_standard_output_gets_the_whole_page_or_nothing() -> None:
    stream = io.StringIO()
    with page_stream(stream, REDACTOR.text) as out:
        out.write(f"é {SECRET}\r\n")
        assert stream.getvalue() == ""
    assert stream.getvalue() == "é ***\r\n"

    def fail() -> None:
        with page_stream(stream, REDACTOR.text) as out:
            out.write("half")
            raise KeyError("no")

    with pytest.raises(KeyError):
        fail()
    assert stream.getvalue() == "é ***\r\n"


def test_a_large_page_for_standard_output_comes_through() -> None:
    stream = io.StringIO()
    with page_stream(stream, same) as out:
        for number in range(300_000):
            out.write(f"{number} ö\n")
    assert stream.getvalue() == "".join(f"{number} ö\n" for number in range(300_000))
