"""Runs that are ended from outside at random moments, by signals."""

from __future__ import annotations

import json
import random
import signal
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import judge
from attrs import define, field
from subjects import KINDS, PARALLEL, Server, Subject
from trial import Command, Trial

REPORTS = ("report.json", "report.html", "report.xml", "report.md")
OUTPUTS = [word for name in ("run.jsonl", *REPORTS) for word in ("-o", name)]
LONGEST_START = 0.6
"""Seconds after which a run has begun, mostly."""


@define(eq=False)
class SuddenEnds:
    """Makes the trials.

    Args:
        server: Of the agents that are asked over HTTP.
    """

    server: Server
    _whole: dict[tuple[str, int], Any] = field(factory=dict[tuple[str, int], Any], init=False)
    """The reports of runs that nothing was done to."""
    _lock: threading.Lock = field(factory=threading.Lock, init=False)

    def kill(self, trial: Trial) -> None:
        """SIGKILL."""
        self._end(trial, [signal.SIGKILL], (-signal.SIGKILL,))

    def terminate(self, trial: Trial) -> None:
        """SIGTERM."""
        self._end(trial, [signal.SIGTERM], (143, -signal.SIGTERM))

    def interrupt(self, trial: Trial) -> None:
        """Ctrl-C, once."""
        self._end(trial, [signal.SIGINT], (130, -signal.SIGINT))

    def interrupt_twice(self, trial: Trial) -> None:
        """Ctrl-C, twice."""
        self._end(trial, [signal.SIGINT, signal.SIGINT], (130, -signal.SIGINT))

    def _end(self, trial: Trial, numbers: list[signal.Signals], codes: tuple[int, ...]) -> None:
        chance = trial.random
        subject = Subject(chance.choice(KINDS), chance.choice((1, 1, 2)), self.server, trial)
        command = trial.start(*subject.flags, *OUTPUTS, "--json")
        _await_moment(command, chance, subject.lines)
        path = trial.root / "run.jsonl"
        before = path.read_bytes().count(b"\n") if path.exists() else 0
        for place, number in enumerate(numbers):
            command.signal(number)
            if place < len(numbers) - 1:
                time.sleep(chance.uniform(0, 0.03))
        # Too late, the run ends as it would have.
        done = trial.ended(command.end(), *codes, 1)
        if done.code in (-signal.SIGTERM, -signal.SIGINT):
            is_outside = len(done.lines) in (0, subject.lines)
            trial.require(is_outside, "a signal was not heard in mid-run")
        lines = judge.journal(trial, path) if path.exists() else []
        # Python itself ends with 1 when it is interrupted before it has begun.
        is_late = before >= subject.lines / 2 or not lines
        trial.require(done.code != 1 or is_late, f"it came at line {before}, and was not heard")
        shown = done.lines
        trial.require(lines[: len(shown)] == shown, "a line was shown that does not stand")
        judge.nothing_lost(trial, subject.answered(), lines, PARALLEL)
        is_graceful = done.code > 0 and len(numbers) == 1 and bool(lines)
        judge.reports(trial, lines, *REPORTS, all_there=is_graceful)
        if is_graceful:
            trial.require(judge.is_over(lines), "the journal has no end")
            # One that comes when all is written changes the exit code alone.
            stopped = lines[-1].get("stopped")
            trial.require(done.code != 1 or stopped is None, f"code {done.code}: {stopped}")
            judge.no_scraps(trial)
        if lines:
            self._resume(trial, subject)

    def _resume(self, trial: Trial, subject: Subject) -> None:
        """Let the run go on: it must become what it would have been."""
        done = trial.run(*subject.flags, "--resume", "run.jsonl", "-o", "report.json")
        trial.require(done.code == 1, f"--resume: exit code {done.code}: {done.err[-700:]}")
        lines = judge.journal(trial, trial.root / "run.jsonl")
        trial.require(judge.is_over(lines), "--resume: the journal has no end")
        judge.same(trial, trial.root / "report.json", self._uninterrupted(subject))

    def _uninterrupted(self, subject: Subject) -> Any:
        with self._lock:
            key = (subject.kind, subject.runs)
            if key not in self._whole:
                folder = Path(tempfile.mkdtemp(prefix="assay-fault-"))
                trial = Trial("whole", folder, random.Random(0))
                whole = Subject(*key, self.server, trial)
                done = trial.run(*whole.flags, "-o", "run.jsonl", "-o", "report.json")
                assert done.code == 1, done.err
                text = (trial.root / "report.json").read_text(encoding="utf-8")
                self._whole[key] = judge.steady(json.loads(text))
            return self._whole[key]


def _await_moment(command: Command, chance: random.Random, lines: int) -> None:
    """Wait for a random moment: in the start, behind a random line, while pages are written."""
    when = chance.choices(("start", "line", "end"), (2, 6, 2))[0]
    if when == "start":
        time.sleep(chance.uniform(0, LONGEST_START))
    elif when == "line":
        command.wait_for_lines(chance.randint(1, lines))
        time.sleep(chance.uniform(0, 0.05))
    else:
        command.wait_for_lines(lines)
        time.sleep(chance.uniform(0, 0.15))
