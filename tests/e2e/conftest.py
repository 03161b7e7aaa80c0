"""The installed command, run in a folder of its own: ``cli("test", "-i", "cases.jsonl")``."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import venv
from pathlib import Path
from queue import Empty, Queue
from textwrap import dedent
from typing import IO, TYPE_CHECKING, Any

import pytest
from attrs import define, field, frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LIMIT = 60.0
"""Seconds until a command that does not end is given up: far beyond what any of them takes."""

_TIMES = re.compile(r"(?<![\w.])(?:\d+(?:\.\d+)?(?:ms|s|m|h))+(?![\w])")
_MEASURED = ("duration_ms", "avg_duration_ms", "min_duration_ms", "max_duration_ms")
_UNIQUE = ("timestamp", "started_at", "completed_at", "chat_id", "version", "hash")


@frozen
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    @property
    def seen(self) -> str:
        """What stands on stderr, with every duration written as ``0ms``."""
        return _TIMES.sub("0ms", self.err)


@define
class Running:
    """A command that is under way: its lines can be waited for."""

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

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

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


@define
class Cli:
    """The command in a folder of its own, away from the settings of whoever runs the tests."""

    root: Path
    env: dict[str, str]
    python: str = sys.executable
    _running: list[subprocess.Popen[str]] = field(factory=list["subprocess.Popen[str]"], init=False)

    def __call__(
        self,
        *args: str | Path,
        stdin: str | bytes = b"",
        env: Mapping[str, str] | None = None,
        cwd: str | Path = "",
    ) -> Result:
        """Run ``assay`` with these arguments and wait for its end."""
        done = subprocess.run(
            self.command(*args),
            cwd=self.root / cwd,
            env={**self.env, **(env or {})},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def install(self, distribution: str, version: str = "1.0", **plugins: str) -> None:
        """Install a made-up distribution: ``kind__word="source of its module"``.

        It is found by commands from now on.
        """
        site = self.root / "site"
        stem = distribution.replace("-", "_")
        points = ["[assay]"]
        for name, source in plugins.items():
            module = f"{stem}_{name}"
            self.write(f"site/{module}.py", source)
            points.append(f"{name.replace('__', '.')} = {module}")
        self.write(f"site/{stem}-{version}.dist-info/entry_points.txt", "\n".join(points) + "\n")
        self.env["PYTHONPATH"] = str(site)

    def start(self, *args: str | Path, env: Mapping[str, str] | None = None) -> Running:
        """Start ``assay`` with these arguments, in a process group of its own."""
        process = subprocess.Popen(
            self.command(*args),
            cwd=self.root,
            env={**self.env, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._running.append(process)
        return Running(process)

    def command(self, *args: str | Path) -> list[str]:
        """Give the whole command line."""
        return [self.python, "-m", "assay", *map(str, args)]

    def write(self, name: str, text: str) -> Path:
        """Write a file of text, which may be indented as the test is."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8", newline="")
        return path

    def cases(self, name: str, *cases: object) -> Path:
        """Write a file of JSON lines."""
        return self.write(name, "".join(f"{json.dumps(case)}\n" for case in cases))

    def read(self, name: str) -> str:
        """Read a file of text."""
        return (self.root / name).read_text(encoding="utf-8")

    def json(self, name: str) -> dict[str, Any]:
        """Read a JSON file that holds an object."""
        value = json.loads(self.read(name))
        assert isinstance(value, dict)
        return value

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Read a file of JSON lines."""
        return [json.loads(line) for line in self.read(name).split("\n") if line]

    def files(self, folder: str = "") -> list[str]:
        """Name all files in the folder and below, sorted."""
        start = self.root / folder
        found = (path for path in start.rglob("*") if path.is_file())
        return sorted(
            path.relative_to(start).as_posix() for path in found if "__pycache__" not in path.parts
        )

    def results(self, *args: str | Path, **how: Any) -> dict[str, dict[str, Any]]:
        """Run ``assay test`` with these arguments and give its result lines by id."""
        done = self("test", "--json", "-q", *args, **how)
        assert done.code in (0, 1), done
        return {line["id"]: line for line in done.lines if line["type"] == "result"}

    def close(self) -> None:
        """End what is still running."""
        for process in self._running:
            if process.poll() is None:
                process.kill()
                process.wait()


def steady(value: Any) -> Any:
    """Give a JSON value of a report without what differs from run to run."""
    if isinstance(value, list):
        return [steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: steady(item) for key, item in value.items() if key not in _UNIQUE}
    for key in _MEASURED:
        if key in kept:
            assert isinstance(kept[key], int)
            assert kept[key] >= 0
            kept[key] = 0
    if "std_deviation_ms" in kept:
        kept["std_deviation_ms"] = 0.0
    return kept


@pytest.fixture(scope="session")
def steadily() -> Any:
    """The function ``steady``: a test cannot import this file."""
    return steady


def clean_environment(home: Path, temporary: Path) -> dict[str, str]:
    """Give the variables of a user who has set none that assay looks at."""
    kept = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    return {
        **env,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "TMPDIR": str(temporary),
        "TEMP": str(temporary),
        "LANG": "C.UTF-8",
    }


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a virtual environment in which ``contrib/assay-example`` is installed.

    It sees all that the Python that runs the tests sees: assay comes from there.
    """
    package = Path(__file__).parents[2] / "contrib" / "assay-example"
    source = tmp_path_factory.mktemp("source") / package.name
    # The build writes into the folder that it builds.
    shutil.copytree(package, source, ignore=shutil.ignore_patterns("tests", ".*", "__pycache__"))
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    schemes = {"base": str(folder), "platbase": str(folder)}
    theirs = Path(sysconfig.get_path("purelib", vars=schemes))
    ours = sysconfig.get_path("purelib")
    (theirs / "host.pth").write_text(f"import site; site.addsitedir({ours!r})\n", encoding="utf-8")
    has_backend = importlib.util.find_spec("hatchling") is not None
    command = [sys.executable, "-m", "pip", "-q", "--python", str(python), "install", "--no-deps"]
    command += ["--no-build-isolation"] if has_backend else []
    subprocess.run([*command, str(source)], check=True, timeout=10 * LIMIT)
    return python


@pytest.fixture
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files of commands."""
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture
def cli(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, temporary: Path) -> Iterator[Cli]:
    """The command; afterwards nothing of it may be left in the folder for temporary files."""
    home = tmp_path_factory.mktemp("home")
    made = Cli(tmp_path, clean_environment(home, temporary))
    # Deno, which runs TypeScript, keeps what it has compiled; all tests may share it.
    made.env["DENO_DIR"] = str(tmp_path_factory.getbasetemp() / "deno")
    yield made
    made.close()
    left: Sequence[Path] = sorted(temporary.iterdir())
    assert not left, f"left behind: {left}"
    assert not sorted(home.iterdir())


@pytest.fixture
def shell(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command, for a shell: its ``assay`` and ``python`` are those that run the tests."""
    folder = tmp_path_factory.mktemp("bin")
    for name, arguments in (("assay", "-m assay "), ("python", "")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments}"$@"\n')
        script.chmod(0o755)
    cli.env["PATH"] = f"{folder}:{cli.env['PATH']}"
    return cli
