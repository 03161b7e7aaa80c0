"""A run of assay in a folder of its own, that something is done to."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from textwrap import dedent
from typing import IO, Any

from attrs import define, field, frozen

LIMIT = 120.0
"""Seconds after which a command that does not end is a fault of its own."""
GONE = 10.0
"""Seconds that the kernel may take to end what a process leaves behind."""
MARK = "FAULT_TRIAL"
"""The variable by which processes of a trial are known, whatever group they are in."""

Line = dict[str, Any]


@frozen
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def lines(self) -> list[Line]:
        """The whole lines of standard output, as JSON."""
        return [json.loads(line) for line in self.out.split("\n")[:-1] if line]


@define(eq=False)
class Command:
    """A command that is under way."""

    process: subprocess.Popen[bytes]
    _errors: Path
    _began: float = field(factory=time.monotonic, init=False)
    _out: list[bytes] = field(factory=list[bytes], init=False)
    _changed: threading.Condition = field(factory=threading.Condition, init=False)
    _is_read: bool = field(default=False, init=False)
    _reader: threading.Thread = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._reader = threading.Thread(target=self._read, daemon=True)
        if self.process.stdout is not None:
            self._reader.start()

    def _read(self) -> None:
        stream: IO[bytes] | None = self.process.stdout
        assert stream is not None
        for line in stream:
            with self._changed:
                self._out.append(line)
                self._changed.notify_all()
        with self._changed:
            self._is_read = True
            self._changed.notify_all()

    def wait_for_lines(self, count: int) -> bool:
        """Wait for so many lines on standard output; False: it ended before."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._out) >= count or self._is_read, LIMIT)
            return len(self._out) >= count

    def wait_for(self, word: str) -> None:
        """Wait until a text stands on standard error, or the command ends."""
        until = time.monotonic() + LIMIT
        while word not in self.errors() and self.process.poll() is None:
            if time.monotonic() > until:
                raise AssertionError(f"no {word!r} on standard error: {self.errors()}")
            time.sleep(0.01)

    def errors(self) -> str:
        """What stands on standard error so far."""
        return self._errors.read_text(encoding="utf-8", errors="replace")

    def signal(self, number: int) -> None:
        """Send it a signal; nothing happens when it has ended."""
        self.process.send_signal(number)

    def end(self, limit: float = LIMIT) -> Ended:
        """Wait until it ends; one that does not is killed, and the code is None of its own."""
        try:
            code = self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it does not end: {self.errors()}") from None
        seconds = time.monotonic() - self._began
        if self._reader.ident is not None:
            self._reader.join(LIMIT)
        out = b"".join(self._out).decode("utf-8", "replace")
        return Ended(code, out, self.errors(), seconds)


@define(eq=False)
class Trial:
    """One trial: a folder, and what was found wrong in it."""

    name: str
    folder: Path
    random: random.Random
    problems: list[str] = field(factory=list[str], init=False)
    codes: list[int] = field(factory=list[int], init=False)
    checked: int = field(default=0, init=False)
    """Lines of journals that were looked at."""
    env: dict[str, str] = field(init=False)
    _commands: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        home, temporary = self.folder / "home", self.folder / "tmp"
        for path in (home, temporary, self.root):
            path.mkdir(parents=True)
        kept = ("PATH", "LD_LIBRARY_PATH")
        self.env = {
            **{name: os.environ[name] for name in kept if name in os.environ},
            "HOME": str(home),
            "TMPDIR": str(temporary),
            "LANG": "C.UTF-8",
            MARK: self.folder.name,
        }

    @property
    def root(self) -> Path:
        """Where commands run."""
        return self.folder / "work"

    def write(self, name: str, text: str) -> Path:
        """Write a file of text, which may be indented."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def install(self, **plugins: str) -> None:
        """Install plugins in a distribution: ``kind__word="source of its module"``."""
        points = ["[assay]"]
        for name, source in plugins.items():
            self.write(f"site/faulty_{name}.py", source)
            points.append(f"{name.replace('__', '.')} = faulty_{name}")
        self.write("site/faulty-1.0.dist-info/entry_points.txt", "\n".join([*points, ""]))
        self.env["PYTHONPATH"] = str(self.root / "site")

    def start(
        self,
        *args: str,
        env: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
        stdin: IO[bytes] | int = subprocess.DEVNULL,
        stdout: IO[bytes] | int = subprocess.PIPE,
        stderr: IO[bytes] | int | None = None,
        in_session: bool = False,
    ) -> Command:
        """Start ``assay`` with these arguments.

        Args:
            args: The arguments.
            env: More variables.
            before: A command that becomes it.
            stdin: Its standard input.
            stdout: Its standard output; by default it is read.
            stderr: Its standard error; by default a file that is read at the end.
            in_session: Whether it stays in our session, where Ctrl-Z is possible.
        """
        self._commands += 1
        errors = self.folder / f"stderr-{self._commands}"
        with errors.open("wb") as file:
            process = subprocess.Popen(
                [*before, sys.executable, "-m", "assay", *args],
                cwd=self.root,
                env={**self.env, **(env or {})},
                stdin=stdin,
                stdout=stdout,
                stderr=file if stderr is None else stderr,
                start_new_session=not in_session,
                process_group=0 if in_session else None,
            )
        return Command(process, errors)

    def run(self, *args: str, env: Mapping[str, str] | None = None) -> Ended:
        """Run ``assay`` to its end."""
        return self.start(*args, env=env).end()

    def require(self, holds: bool, problem: str) -> bool:
        """Note a problem unless something holds."""
        if not holds:
            self.problems.append(problem)
        return holds

    def ended(self, done: Ended, *codes: int) -> Ended:
        """Note how the command under trial ended, and see that nothing of it is left."""
        self.codes.append(done.code)
        wanted = " or ".join(map(str, codes))
        self.require(done.code in codes, f"exit code {done.code}, not {wanted}: {done.err[-700:]}")
        until = time.monotonic() + GONE
        while (left := self._left()) and time.monotonic() < until:
            time.sleep(0.01)
        self.require(not left, f"processes were left behind: {left}")
        for number in left:
            os.kill(number, signal.SIGKILL)
        return done

    def says(self, done: Ended, *words: str) -> None:
        """See that the message names what has to be named."""
        for word in words:
            self.require(word in done.err, f"the message does not say {word!r}: {done.err[-700:]}")

    def _left(self) -> list[int]:
        mark = f"{MARK}={self.folder.name}".encode()
        found: list[int] = []
        for path in Path("/proc").iterdir():
            if not path.name.isdigit():
                continue
            try:
                if mark in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
            except OSError:
                continue
        return found


Fault = Callable[[Trial], None]
"""Makes a trial; what does not hold is noted in it."""


def carry_out(name: str, seed: str, fault: Fault) -> tuple[Trial, Path]:
    """Carry a trial out in a fresh folder; gives the folder, too, for whoever looks for why."""
    folder = Path(tempfile.mkdtemp(prefix="assay-fault-"))
    trial = Trial(name, folder, random.Random(seed))
    try:
        fault(trial)
    except Exception as error:  # noqa: BLE001 - a trial that breaks has not held
        trial.problems.append(f"{type(error).__name__}: {error}")
    return trial, folder
