"""A file that is written instead of another: that one stands until its place is taken."""

from __future__ import annotations

import os
import resource
import signal
from typing import TYPE_CHECKING

import pytest

from assay.errors import RunError
from assay.journal.file import LineFile, Lines, Place
from assay.journal.write import Journal

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.journal.conftest import Run


def refuse(message: str) -> None:
    raise AssertionError(message)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    path.write_text("old\n")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_old_one_stands_until_then(old: Path) -> None:
    file = LineFile(Place(old, "instead"), refuse)
    file.append("one")
    assert file.is_waiting
    assert old.read_text() == "old\n"
    assert file.path.parent == old.parent

    file.take_place()

    assert not file.is_waiting
    assert (file.path, old.read_text(), names(old.parent)) == (old, "one\n", ["run.jsonl"])
    file.append("two")
    file.close()
    assert old.read_text() == "one\ntwo\n"


def test_only_one_at_a_time_is_written_instead(old: Path) -> None:
    first = LineFile(Place(old, "instead"), refuse)
    with pytest.raises(RunError, match="another run is writing it; wait until that run is over"):
        LineFile(Place(old, "instead"), refuse)
    with pytest.raises(RunError, match="another run is writing it; name another place with -o"):
        LineFile(Place(old), refuse)
    assert old.read_text() == "old\n"
    assert len(names(old.parent)) == 2

    first.take_place()
    with pytest.raises(RunError, match="another run is writing it"):
        LineFile(Place(old, "instead"), refuse)
    first.close()

    LineFile(Place(old, "instead"), refuse).close()


def test_its_place_is_taken_once(old: Path) -> None:
    file = LineFile(Place(old, "instead"), refuse)
    file.take_place()
    inode = old.stat().st_ino
    file.take_place()
    assert old.stat().st_ino == inode
    file.close()


def test_readers_of_the_old_one_read_on(old: Path) -> None:
    lines = Lines(old)
    file = LineFile(Place(old, "instead"), refuse)
    file.append("one")
    file.take_place()
    file.close()
    assert lines.at(0) == b"old\n"


def test_one_that_was_removed_meanwhile_is_written_again(old: Path) -> None:
    told: list[str] = []
    file = LineFile(Place(old, "instead"), told.append)
    file.append("one")
    file.path.unlink()
    file.take_place()
    file.close()
    assert (old.read_text(), len(told)) == ("one\n", 1)


def test_a_place_that_cannot_be_taken_leaves_both(old: Path) -> None:
    file = LineFile(Place(old, "instead"), refuse)
    file.append("one")
    old.unlink()
    old.mkdir()
    with pytest.raises(RunError, match=r"run\.jsonl: it could not be replaced: .*; move the file"):
        file.take_place()
    assert old.is_dir()
    assert file.path.read_text() == "one\n"
    file.close()


def test_a_full_disk_leaves_the_old_one(old: Path) -> None:
    """A limit of the file's size stands for the disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    file = LineFile(Place(old, "instead"), refuse)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(RunError, match="File too large; move the file of the earlier run to"):
            file.append("x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    file.close()
    assert old.read_text() == "old\n"


def test_a_journal_that_ends_before_leaves_nothing(old: Path, run: Run) -> None:
    with Journal(Place(old, "instead"), told=refuse) as journal:
        journal.start(run.info)
        journal.result(run.result(0))
        assert len(names(old.parent)) == 2
    assert (old.read_text(), names(old.parent)) == ("old\n", ["run.jsonl"])


def test_a_journal_that_took_its_place_stays(old: Path, run: Run) -> None:
    with Journal(Place(old, "instead"), told=refuse) as journal:
        journal.start(run.info)
        journal.take_place()
        journal.result(run.result(0))
        assert journal.paths == (old,)
    assert len(old.read_text().splitlines()) == 2


@pytest.mark.skipif(os.name != "posix", reason="other systems know no such modes")
def test_the_mode_is_that_of_the_old_one(old: Path) -> None:
    old.chmod(0o604)
    file = LineFile(Place(old, "instead"), refuse)
    file.take_place()
    file.close()
    assert old.stat().st_mode & 0o777 == 0o604
