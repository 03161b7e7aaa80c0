"""What a terminal does with output when Ctrl-C is typed: real terminals, real processes."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from assay.process import keep_output

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what a terminal holds before it is read differs"
)

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 300
"""More than a terminal takes in before somebody reads it."""

PROGRAM = """
import fcntl, os, signal, sys, termios

os.setsid()
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
from assay.process import keep_output

interrupted = []
signal.signal(signal.SIGINT, lambda *_: interrupted.append(1))
before = termios.tcgetattr(2)
if sys.argv[1] == "keeps":
    assert keep_output(sys.stderr, True)
    assert not keep_output(sys.stderr, True)
for number in range(300):
    os.write(2, f"line {number:03} {'x' * 40}\\n".encode())
print("written", flush=True)
while not interrupted:
    signal.pause()
print("interrupted", flush=True)
sys.stdin.readline()
if sys.argv[1] == "keeps":
    assert keep_output(sys.stderr, False)
assert termios.tcgetattr(2) == before
os.write(2, b"the end\\n")
"""

BACKGROUND = """
import fcntl, os, sys, termios

os.setsid()
fcntl.ioctl(2, termios.TIOCSCTTY, 0)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    from assay.process import keep_output

    os._exit(20 if keep_output(sys.stderr, True) else 10)
_, status = os.waitpid(child, os.WUNTRACED)
print("stopped" if os.WIFSTOPPED(status) else os.WEXITSTATUS(status), flush=True)
"""


class Terminal:
    """A program on a terminal of its own, which nobody reads before ``read_all``."""

    def __init__(self, program: str, *args: str) -> None:
        self.keyboard, self._theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._theirs,
            text=True,
        )

    def said(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def read_all(self) -> str:
        """Read what the terminal shows until ``the end``."""
        text = ""
        while "the end" not in text:
            text += os.read(self.keyboard, 65_536).decode()
        return text

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.keyboard)
        os.close(self._theirs)


@pytest.fixture
def run() -> Iterator[type[Terminal]]:
    started: list[Terminal] = []

    class Kept(Terminal):
        def __init__(self, program: str, *args: str) -> None:
            super().__init__(program, *args)
            started.append(self)

    yield Kept
    for one in started:
        one.close()


def shown_around_ctrl_c(program: Terminal) -> list[str]:
    """Type Ctrl-C when all is written and nothing is read; give the lines that are then shown."""
    assert program.said() == "written"
    os.write(program.keyboard, b"\x03")
    assert program.said() == "interrupted"
    assert program.process.stdin is not None
    program.process.stdin.write("go\n")
    program.process.stdin.flush()
    text = program.read_all()
    assert program.process.wait(60) == 0
    return re.findall(r"line \d+ x{40}", text)


def test_what_was_written_before_ctrl_c_is_shown(run: type[Terminal]) -> None:
    assert len(shown_around_ctrl_c(run(PROGRAM, "keeps"))) == LINES


def test_a_terminal_by_itself_throws_it_away(run: type[Terminal]) -> None:
    assert len(shown_around_ctrl_c(run(PROGRAM, "leaves"))) < LINES


def test_a_process_in_the_background_leaves_the_terminal_alone(run: type[Terminal]) -> None:
    assert run(BACKGROUND).said() == "10"


def test_what_is_no_terminal_is_left_alone() -> None:
    assert not keep_output(io.StringIO(), True)
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 - a stream is what is asked for
        assert not keep_output(nowhere, True)
