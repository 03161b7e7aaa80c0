"""The live line, on a real terminal as the operating system gives it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")
termios = pytest.importorskip("termios")

if TYPE_CHECKING:
    from collections.abc import Iterator

SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")
PATIENCE = 30.0


class Shown:
    """A program on a terminal of 80 columns; what it wrote, and how the screen looks after it."""

    def __init__(self, mode: str) -> None:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        self._before = termios.tcgetattr(theirs)
        self._terminal = ours
        self._other_end = theirs
        self.text = ""
        environ = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
        environ.pop("COLUMNS", None)
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("live_run.py")), mode],
            stdin=subprocess.PIPE,
            stderr=theirs,
            stdout=subprocess.DEVNULL,
            env=environ,
            text=True,
        )

    def until(self, pattern: str) -> None:
        """Read until something is written; fails when it never comes."""
        start = len(self.text)
        while not re.search(pattern, self.text[start:]):
            ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
            assert ready, f"{pattern!r} never came after {self.text!r}"
            self.text += os.read(self._terminal, 65_536).decode("utf-8")

    @property
    def modes(self) -> int:
        """The local modes of the terminal."""
        return int(termios.tcgetattr(self._other_end)[3])

    def step(self) -> None:
        """Let the program go one step further."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()

    def end(self) -> int:
        """Read the rest, and give the exit code."""
        code = self.process.wait(PATIENCE)
        while select.select([self._terminal], [], [], 0)[0]:
            self.text += os.read(self._terminal, 65_536).decode("utf-8")
        assert termios.tcgetattr(self._other_end) == self._before
        return code

    def close(self) -> None:
        """Give everything back."""
        self.process.kill()
        self.process.communicate()
        os.close(self._terminal)
        os.close(self._other_end)


@pytest.fixture
def show() -> Iterator[type[Shown]]:
    started: list[Shown] = []

    class Kept(Shown):
        def __init__(self, mode: str) -> None:
            super().__init__(mode)
            started.append(self)

    yield Kept
    for one in started:
        one.close()


def screen(written: str) -> list[str]:
    """Play what was written on a screen without end; anything but moving and erasing fails."""
    rows: list[str] = [""]
    row = column = 0
    place = 0
    while place < len(written):
        character = written[place]
        sequence = SEQUENCE.match(written, place)
        if sequence is not None:
            count, kind = sequence[1], sequence[2]
            assert kind in "AKm", sequence[0]
            if kind == "A":
                row -= int(count or "1")
            elif kind == "K":
                assert count == "2", sequence[0]
                rows[row] = ""
            place = sequence.end()
            continue
        place += 1
        if character == "\r":
            column = 0
        elif character == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        else:
            assert character.isprintable(), repr(character)
            rows[row] = rows[row].ljust(column)[:column] + character + rows[row][column + 1 :]
            column += 1
    return [line.rstrip() for line in rows]


@pytest.mark.parametrize("mode", ["plain", "color"])
def test_the_live_line_follows_the_run_and_goes(show: type[Shown], mode: str) -> None:
    run = show(mode)
    run.until(r"0/4")
    run.step()
    run.until(r"1/4")
    run.step()
    run.until(r"2/4.*1 failed")
    run.step()
    run.until(r"3/4.*/s.*left")
    run.step()
    run.until(r"4/4")
    run.step()
    run.until(r"Report  report\.html\r\n")
    assert run.end() == 0
    shown = screen(run.text)
    assert shown[: shown.index("Agent       keyword")] == [
        "assay 0.1.0 · keyword (deepseek.v3)",
        "4 cases · tests/inputs.jsonl",
        "asked T001",
        "asked T002",
        "",
        "✗ T002 failed (234ms) · tests/inputs.jsonl:2",
        "  ✗ equals: $.need_search: expected true, got false",
        "  output    fine",
        "asked T003",
        "asked T004",
        "",
        "Slowest",
        "  T001  234ms",
        "  T002  234ms",
        "  T003  234ms",
        "",
    ]
    assert shown[-3:] == ["FAILED   3 passed, 1 failed in 12.3s", "Report  report.html", ""]
    assert "\x1b[?25l" not in run.text
    assert bool(re.search(r"\x1b\[[0-9;]*m", run.text)) == (mode == "color")


def test_a_run_that_breaks_off_leaves_no_live_line(show: type[Shown]) -> None:
    run = show("crash")
    run.until(r"0/4")
    run.step()
    run.until(r"1/4")
    run.step()
    run.until(r"2/4")
    run.step()
    assert run.end() == 3
    shown = screen(run.text)
    assert not any("/4" in line or "━" in line for line in shown)
    assert [line for line in shown if line][-1] == "Error: it broke off"


def test_a_run_that_broke_off_shows_what_comes_then_in_its_place(show: type[Shown]) -> None:
    run = show("break")
    run.until(r"0/4")
    run.step()
    run.until(r"1/4")
    run.step()
    run.until(r"2/4")
    run.step()
    run.until(r"Error: it broke off\r\n")
    shown = screen(run.text)
    assert not any("/4" in line or "━" in line for line in shown)
    assert shown[-2:] == ["Error: it broke off", ""]
    run.step()
    assert run.end() == 0


def test_what_was_written_before_ctrl_c_is_not_thrown_away_while_the_line_is_shown(
    show: type[Shown],
) -> None:
    run = show("own")
    run.until(r"0/4")
    assert run.modes & termios.NOFLSH
    for _ in range(5):
        run.step()
    run.until(r"Report  report\.html\r\n")
    assert not run.modes & termios.NOFLSH
    assert run.end() == 0
