"""A file of lines: whole lines, whatever becomes of the process, the folder and the disk."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import RunError
from assay.journal.file import LineFile, Lines, Place


def refuse(message: str) -> None:
    raise AssertionError(message)


def test_offsets_lead_to_their_lines(tmp_path: Path) -> None:
    file = LineFile(Place(tmp_path / "new" / "folder" / "out.jsonl"), refuse)
    texts = ["first", "", "日本語 🎉", "x" * 200_000, "last"]
    offsets = [file.append(text) for text in texts]
    lines = Lines(file.path)
    for offset, text in reversed(list(zip(offsets, texts, strict=True))):
        assert lines.at(offset).decode() == f"{text}\n"
    file.close()


def test_a_line_has_left_the_process_when_append_returns(tmp_path: Path) -> None:
    file = LineFile(Place(tmp_path / "out.jsonl"), refuse)
    file.append("one")
    assert (tmp_path / "out.jsonl").read_bytes() == b"one\n"
    file.append("two")
    assert (tmp_path / "out.jsonl").read_bytes() == b"one\ntwo\n"
    file.close()


def test_over_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("old\n")
    file = LineFile(Place(path), refuse)
    file.append("new")
    file.close()
    assert path.read_text() == "new\n"


def test_beside_never_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "output-20241217100000.jsonl"
    path.write_text("old\n")
    second = LineFile(Place(path, "beside"), refuse)
    third = LineFile(Place(path, "beside"), refuse)
    assert second.path == tmp_path / "output-20241217100000-2.jsonl"
    assert third.path == tmp_path / "output-20241217100000-3.jsonl"
    assert path.read_text() == "old\n"
    second.close()
    third.close()


def test_hidden_files_of_one_folder_do_not_meet_and_are_no_case_files(tmp_path: Path) -> None:
    first = LineFile(Place(tmp_path, "hidden"), refuse)
    second = LineFile(Place(tmp_path, "hidden"), refuse)
    assert first.path != second.path
    assert first.path.parent == tmp_path
    assert first.path.name.startswith(".")
    assert first.path.suffix != ".jsonl"
    first.close()
    second.close()


def test_lines_can_be_read_after_their_file_was_removed(tmp_path: Path) -> None:
    file = LineFile(Place(tmp_path / "out.jsonl"), refuse)
    offset = file.append("kept")
    lines = Lines(file.path)
    file.close()
    file.path.unlink()
    assert lines.at(offset) == b"kept\n"


def test_a_folder_removed_in_mid_run_is_made_again_with_all_lines(tmp_path: Path) -> None:
    told: list[str] = []
    folder = tmp_path / "reports" / "today"
    file = LineFile(Place(folder / "out.jsonl"), told.append)
    offsets = [file.append("one"), file.append("two")]
    shutil.rmtree(tmp_path / "reports")
    offsets.append(file.append("three"))
    assert (folder / "out.jsonl").read_text() == "one\ntwo\nthree\n"
    lines = Lines(file.path)
    assert [lines.at(offset) for offset in offsets] == [b"one\n", b"two\n", b"three\n"]
    assert len(told) == 1
    assert "out.jsonl was removed" in told[0]
    file.close()


def test_a_file_that_took_the_place_of_ours_is_not_touched(tmp_path: Path) -> None:
    told: list[str] = []
    path = tmp_path / "out.jsonl"
    file = LineFile(Place(path), told.append)
    file.append("one")
    path.unlink()
    path.write_text("somebody's\n")
    file.append("two")
    assert path.read_text() == "somebody's\n"
    assert file.path == tmp_path / "out-2.jsonl"
    assert file.path.read_text() == "one\ntwo\n"
    file.close()


def test_a_folder_that_cannot_be_made_again_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    file = LineFile(Place(folder / "out.jsonl"), refuse)
    file.append("one")
    shutil.rmtree(folder)
    folder.write_text("a file now")
    with pytest.raises(RunError, match=r"out\.jsonl: its folder could not be made"):
        file.append("two")
    file.close()


@pytest.mark.parametrize("how", ["over", "beside", "hidden"])
def test_a_place_that_cannot_be_is_an_error(tmp_path: Path, how: str) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(RunError, match=r"its folder could not be made: .*; name another place"):
        LineFile(Place(tmp_path / "taken" / "out.jsonl", how), refuse)  # type: ignore[arg-type] # parametrised


def test_a_folder_is_no_place(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="it could not be made: Is a directory"):
        LineFile(Place(tmp_path), refuse)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    """A limit of the file's size stands for the disk: a write takes what fits, then fails."""
    path = tmp_path / "out.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    file = LineFile(Place(path), refuse)
    file.append("first")
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(RunError, match="a line could not be written: File too large"):
            file.append("x" * 5000)
        assert path.read_text() == "first\n"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    file.append("second")
    assert path.read_text() == "first\nsecond\n"
    file.close()


WRITER = """
import sys
from pathlib import Path
from assay.journal.file import LineFile, Place
from assay.codec.encode import encode
file = LineFile(Place(Path(sys.argv[1])), print)
number = 0
while True:
    file.append(encode({"type": "result", "index": number, "output": "héllo 🎉 " * (number % 700)}))
    number += 1
    if number == 50:
        print("going", flush=True)
"""


def test_only_the_last_line_can_be_torn_by_kill_9(tmp_path: Path) -> None:
    """The system ends even a single write between two pages when it kills a process."""
    path = tmp_path / "out.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    *lines, _ = path.read_bytes().split(b"\n")
    numbers = [json.loads(line)["index"] for line in lines]
    assert len(numbers) >= 50
    assert numbers == list(range(len(numbers)))
