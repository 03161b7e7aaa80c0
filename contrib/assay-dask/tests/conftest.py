"""Real clusters on this machine, and the command that uses them."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from queue import Empty, Queue
from textwrap import dedent
from typing import IO, Any

import pytest
from attrs import define, field, frozen

LIMIT = 60.0
"""Seconds until what does not end is given up: far beyond what any of it takes."""


@frozen
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


@define
class Running:
    """A process that is under way: its lines can be waited for."""

    process: subprocess.Popen[str]
    _lines: dict[str, Queue[str | None]] = field(init=False)
    _texts: dict[str, list[str]] = field(init=False)
    _readers: list[threading.Thread] = field(factory=list[threading.Thread], init=False)

    def __attrs_post_init__(self) -> None:
        self._lines = {"out": Queue(), "err": Queue()}
        self._texts = {"out": [], "err": []}
        streams = {"out": self.process.stdout, "err": self.process.stderr}
        for name, stream in streams.items():
            assert stream is not None
            reader = threading.Thread(target=self._read, args=(name, stream), daemon=True)
            reader.start()
            self._readers.append(reader)

    def _read(self, name: str, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self._texts[name].append(line)
                self._lines[name].put(line.rstrip("\n"))
        self._lines[name].put(None)

    def wait_for(self, text: str, stream: str = "out") -> str:
        """Wait for a line that holds a text, and give it."""
        while True:
            try:
                line = self._lines[stream].get(timeout=LIMIT)
            except Empty:
                self.process.kill()
                raise AssertionError(f"no line with {text!r}: {self._texts}") from None
            assert line is not None, f"it ended without a line with {text!r}: {self._texts}"
            if text in line:
                return line

    def end(self) -> Result:
        """Wait until it has ended."""
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"it does not end: {self._texts}") from None
        for reader in self._readers:
            reader.join(LIMIT)
        return Result(code, "".join(self._texts["out"]), "".join(self._texts["err"]))

    def kill(self) -> None:
        """Kill it, if it still runs."""
        self.process.kill()
        self.process.wait()


def start(command: list[str], folder: Path, env: Mapping[str, str]) -> Running:
    """Start a process in a group of its own."""
    return Running(
        subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
    )


def environment(folder: Path) -> dict[str, str]:
    """Give the variables of a user who has set none."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
    }


@define
class Dask:
    """A scheduler and workers, each a process of dask's own command."""

    folder: Path
    scheduler: Running
    address: str
    workers: list[Running] = field(factory=list[Running], init=False)

    def add(self, count: int = 1, program: str = "", env: Mapping[str, str] | None = None) -> None:
        """Start workers, and wait until they take part in the cluster.

        Args:
            count: How many.
            program: Python that each runs before dask.
            env: Further variables.
        """
        code = f"{program}\nfrom distributed.cli.dask_worker import main\nmain()"
        options = ["--no-nanny", "--no-dashboard", "--nthreads", "1", "--memory-limit", "0"]
        options += ["--host", "127.0.0.1", "--local-directory", str(self.folder)]
        command = [sys.executable, "-c", code, self.address, *options]
        variables = {**environment(self.folder), **(env or {})}
        new = [start(command, self.folder, variables) for _ in range(count)]
        for worker in new:
            worker.wait_for("Registered to", "err")
        self.workers += new

    @property
    def pids(self) -> set[int]:
        """The processes of the workers."""
        return {worker.process.pid for worker in self.workers}

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of a run on this cluster."""
        return ("--executor", "dask", "--set", f"executor.dask.scheduler={self.address}")

    def close(self) -> None:
        """End all of it."""
        for each in (*self.workers, self.scheduler):
            each.kill()


def start_dask(folder: Path) -> Dask:
    """Start a scheduler, and wait until it has an address."""
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--no-dashboard"]
    command += ["--host", "127.0.0.1", "--port", "0"]
    scheduler = start(command, folder, environment(folder))
    line = scheduler.wait_for("Scheduler at:", "err")
    return Dask(folder, scheduler, line.split()[-1])


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A cluster of two workers that no test breaks."""
    made = start_dask(tmp_path_factory.mktemp("shared"))
    made.add(2)
    yield made
    made.close()


@pytest.fixture
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    """A cluster of one test, without workers yet."""
    made = start_dask(tmp_path_factory.mktemp("dask"))
    yield made
    made.close()


@define
class Cli:
    """The command ``assay`` in a folder of its own."""

    root: Path
    env: dict[str, str]
    _running: list[Running] = field(factory=list[Running], init=False)

    def start(self, *args: str) -> Running:
        """Start ``assay test`` with these arguments."""
        command = [sys.executable, "-m", "assay", "test", *args]
        self._running.append(start(command, self.root, self.env))
        return self._running[-1]

    def __call__(self, *args: str) -> Result:
        """Run ``assay test`` with these arguments and wait for its end."""
        return self.start(*args).end()

    def write(self, name: str, text: str) -> Path:
        """Write a file of text, which may be indented as the test is."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
        return path

    def cases(self, *cases: object) -> None:
        """Write ``cases.jsonl``."""
        self.write("cases.jsonl", "".join(f"{json.dumps(case)}\n" for case in cases))

    def read(self, name: str) -> str:
        """Read a file of text."""
        return (self.root / name).read_text(encoding="utf-8")

    def close(self) -> None:
        """End what still runs."""
        for each in self._running:
            each.kill()


@pytest.fixture
def cli(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """The command; afterwards nothing may be left of it in the folder for temporary files."""
    temporary = tmp_path_factory.mktemp("temporary")
    env = environment(tmp_path_factory.mktemp("home"))
    made = Cli(tmp_path, {**env, "TMPDIR": str(temporary)})
    yield made
    made.close()
    left = sorted(temporary.iterdir())
    assert not left, f"left behind: {left}"


def wait_until_gone(process: int) -> None:
    """Wait until a process that is no child of ours has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], LIMIT)[0], f"{process} was left behind"
    finally:
        os.close(descriptor)


class Bell:
    """A pipe with a name, by which processes of a run tell their number: ``Path(name)``."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        # For writing, too: so it is never at its end.
        self._descriptor = os.open(path, os.O_RDWR)

    def heard(self) -> int:
        """Wait for the next line, and give the number that it holds."""
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([self._descriptor], [], [], LIMIT)[0], "nobody rings"
            line += os.read(self._descriptor, 1)
        return int(line)

    def close(self) -> None:
        """Hear no more."""
        os.close(self._descriptor)


@pytest.fixture
def bell(tmp_path: Path) -> Iterator[Bell]:
    """The bell ``bell`` in the folder of the run."""
    made = Bell(tmp_path / "bell")
    yield made
    made.close()


@pytest.fixture
def gone() -> Any:
    """The function ``wait_until_gone``: a test cannot import this file."""
    return wait_until_gone


@pytest.fixture
def interrupt() -> int:
    """The signal of Ctrl-C."""
    return signal.SIGINT
