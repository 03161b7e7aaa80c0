"""Files that one process at a time writes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from assay.process import close_alone, is_taken, open_alone

if TYPE_CHECKING:
    from pathlib import Path

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND

HOLDER = """
import os, sys
from pathlib import Path
from assay.process import open_alone
open_alone(Path(sys.argv[1]), os.O_RDWR)
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lines"
    path.write_text("one\n")
    return path


def test_nobody_else_opens_it_until_it_is_closed(path: Path) -> None:
    first = open_alone(path, _FLAGS)
    assert is_taken(path)
    with pytest.raises(BlockingIOError, match="another run is writing it"):
        open_alone(path, _FLAGS)
    close_alone(first)
    assert not is_taken(path)
    close_alone(open_alone(path, _FLAGS))


def test_what_another_writes_is_not_emptied(path: Path) -> None:
    first = open_alone(path, _FLAGS)
    with pytest.raises(BlockingIOError):
        open_alone(path, _FLAGS | os.O_TRUNC)
    assert path.read_text() == "one\n"
    close_alone(first)
    close_alone(open_alone(path, _FLAGS | os.O_TRUNC))
    assert path.read_text() == ""


def test_who_only_reads_is_in_nobodys_way(path: Path) -> None:
    first = open_alone(path, _FLAGS)
    assert path.read_text() == "one\n"
    close_alone(first)
    with path.open("rb"):
        assert not is_taken(path)


def test_devices_are_opened_as_ever(path: Path) -> None:
    null = path.with_name("null")
    null.symlink_to(os.devnull)
    close_alone(open_alone(null, _FLAGS | os.O_TRUNC))


def test_a_process_that_is_killed_holds_nothing(path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        assert is_taken(path)
        holder.kill()
        holder.wait()
        assert not is_taken(path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")
def test_a_process_that_was_forked_meanwhile_holds_nothing(path: Path) -> None:
    first = open_alone(path, _FLAGS)
    stay, go = os.pipe()
    child = os.fork()
    if not child:
        # It has the file too, as what an agent starts may have it.
        os.close(go)
        os.read(stay, 1)
        os._exit(0)
    close_alone(first)
    assert not is_taken(path)
    os.close(stay)
    os.close(go)
    os.waitpid(child, 0)
