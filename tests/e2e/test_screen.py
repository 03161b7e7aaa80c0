"""The command on a real terminal: what it shows there, and what stays when a run breaks off."""

from __future__ import annotations

import os
import re
import select
import subprocess
from typing import TYPE_CHECKING

import pytest

pty = pytest.importorskip("pty", reason="needs a POSIX terminal")
termios = pytest.importorskip("termios")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.e2e.conftest import Cli

PATIENCE = 60.0
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def terminal(cli: Cli) -> Iterator[Callable[..., tuple[int, str]]]:
    """Runs the command on a terminal of 80 columns; gives its exit code and what it wrote."""
    started: list[tuple[subprocess.Popen[bytes], int]] = []

    def run(*args: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
        ours, theirs = pty.openpty()
        termios.tcsetwinsize(theirs, (24, 80))
        process = subprocess.Popen(
            cli.command(*args),
            cwd=cli.root,
            env={**cli.env, "TERM": "xterm-256color", **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
        )
        started.append((process, ours))
        os.close(theirs)
        text = b""
        while select.select([ours], [], [], PATIENCE)[0]:
            try:
                text += os.read(ours, 65_536)
            except OSError:
                break
        return process.wait(PATIENCE), text.decode()

    yield run
    for process, ours in started:
        process.kill()
        process.wait()
        os.close(ours)


def cases(cli: Cli) -> None:
    cli.cases(
        "cases.jsonl",
        *({"id": f"T{n}", "input": f"answer {n}", "expected": "answer 1"} for n in range(3)),
    )


TEST = ("test", "-i", "cases.jsonl", "-n", "echo:", "-o", "report.json")


def test_on_a_terminal_there_are_colours_and_a_live_line_that_goes(
    cli: Cli, terminal: Callable[..., tuple[int, str]]
) -> None:
    cases(cli)
    code, text = terminal(*TEST)
    assert code == 1
    assert "\x1b[31m" in text
    assert re.search(r"\d/3", text)
    assert CONTROL.sub("", text).splitlines()[-1] == "Report  report.json"


@pytest.mark.parametrize("env", [{"CI": "true"}, {"TERM": "dumb"}])
def test_where_nothing_can_be_redrawn_nothing_is(
    cli: Cli, terminal: Callable[..., tuple[int, str]], env: Mapping[str, str]
) -> None:
    cases(cli)
    code, text = terminal(*TEST, env=env)
    assert code == 1
    moves = {sequence for sequence in CONTROL.findall(text) if not sequence.endswith("m")}
    assert not moves
    assert "/3" not in text
    assert "\r" not in text.replace("\r\n", "")


def test_a_pipe_gets_plain_text(cli: Cli) -> None:
    cases(cli)
    done = cli(*TEST)
    assert "\x1b" not in done.err
    assert "\r" not in done.err
    assert max(map(len, done.err.splitlines())) <= 80


def test_a_run_that_breaks_off_leaves_its_error_and_no_live_line(
    cli: Cli, terminal: Callable[..., tuple[int, str]]
) -> None:
    cli.write(
        "agent.py",
        """
        from pathlib import Path


        def reply(request):
            file = Path("cases.jsonl")
            file.write_text(file.read_text().replace("T2", "T9"))
            return request.text
        """,
    )
    # So long that the file is not read at once.
    cli.cases("cases.jsonl", *({"id": f"T{n}", "input": "x" * 200_000} for n in range(3)))
    code, text = terminal("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply")
    assert code == 2, text
    _, live, behind = text.rpartition("/3")
    assert live, text
    # The last thing that happens to the line is that it is erased; the message stands for itself.
    erased = behind.rindex("\x1b[2K")
    assert "━" not in behind[erased:]
    last = [line for line in CONTROL.sub("", behind[erased:]).splitlines() if line.strip()]
    assert last[-1].startswith("Error: cases.jsonl")
