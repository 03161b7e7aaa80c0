"""Disks that are full, and folders that are removed while a run writes into them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import judge
from attrs import define
from subjects import KINDS, PARALLEL, Server, Subject
from trial import Trial

PAGE = 4096
LIMITED = (
    "import os, resource, sys; most = int(sys.argv[1]);"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (most, most));"
    "os.execv(sys.argv[2], sys.argv[2:])"
)
"""A program that lets no file grow beyond a size, and becomes another one."""

REMOVING = """
    import shutil
    from pathlib import Path
    import agent

    def _mischief(request):
        if request.text == "{when}" and Path("out").is_dir():
            shutil.rmtree("out")
            if {is_blocked}:
                Path("out").write_text("in the way")

    async def reply(request):
        _mischief(request)
        return await agent.awaited(request)
"""


def can_mount() -> bool:
    """Whether this process may mount a file system: in a container, root may not."""
    if os.geteuid() != 0 or shutil.which("mount") is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        try:
            with _mounted(Path(folder) / "disk", PAGE):
                return True
        except subprocess.CalledProcessError:
            return False


@define(eq=False)
class Storage:
    """Makes the trials."""

    server: Server

    def full_disk(self, trial: Trial) -> None:
        """A small file system is full before the run is over, and is made larger later."""
        subject = self._subject(trial)
        disk = trial.root / "disk"
        with _mounted(disk, trial.random.randint(2, 3) * PAGE):
            run = trial.start(*subject.flags, "-o", "disk/run.jsonl", "-o", "report.json")
            done = trial.ended(run.end(), 3)
            trial.says(done, "disk/run.jsonl", "No space left on device")
            self._judge(trial, subject, disk / "run.jsonl")
            subprocess.run(["mount", "-o", "remount,size=16m", str(disk)], check=True)
            self._resume(trial, subject, "disk/run.jsonl")

    def full_disk_for_a_page(self, trial: Trial) -> None:
        """The lines can be written, and one of the pages cannot."""
        subject = self._subject(trial)
        disk = trial.root / "disk"
        with _mounted(disk, PAGE):
            outputs = ("-o", "run.jsonl", "-o", "disk/report.html", "-o", "report.xml")
            done = trial.ended(trial.start(*subject.flags, *outputs).end(), 3)
            trial.says(done, "disk/report.html: the report cannot be written", "run.jsonl holds")
            trial.require(not list(disk.iterdir()), "half a page is left")
            lines = judge.journal(trial, trial.root / "run.jsonl")
            judge.nothing_lost(trial, subject.answered(), lines, 0)
            judge.reports(trial, lines, "report.xml", all_there=True)

    def file_too_large(self, trial: Trial) -> None:
        """No file may grow beyond a size; later it may."""
        subject = self._subject(trial)
        most = trial.random.randint(3000, 12000)
        limited = [sys.executable, "-c", LIMITED, str(most)]
        run = trial.start(*subject.flags, "-o", "run.jsonl", "-o", "report.json", before=limited)
        done = trial.ended(run.end(), 3)
        trial.says(done, "run.jsonl", "File too large")
        self._judge(trial, subject, trial.root / "run.jsonl")
        self._resume(trial, subject, "run.jsonl")

    def folder_removed(self, trial: Trial) -> None:
        """The folder of the reports is removed in mid-run; it can be made again."""
        subject = self._subject(trial, "async")
        flags = self._removing(trial, subject, is_blocked=False)
        outputs = ("-o", "out/run.jsonl", "-o", "out/report.json", "-o", "out/report.html")
        done = trial.ended(trial.start(*flags, *outputs).end(), 1)
        trial.says(done, "out/run.jsonl was removed during the run")
        lines = judge.journal(trial, trial.root / "out" / "run.jsonl")
        trial.require(judge.is_over(lines), "the journal has no end")
        judge.nothing_lost(trial, subject.answered(), lines, 0)
        judge.reports(trial, lines, "out/report.json", "out/report.html", all_there=True)
        judge.no_scraps(trial)

    def folder_lost(self, trial: Trial) -> None:
        """The folder of the reports is removed in mid-run, and cannot be made again."""
        subject = self._subject(trial, "async")
        flags = self._removing(trial, subject, is_blocked=True)
        done = trial.ended(trial.start(*flags, "-o", "out/run.jsonl", "-o", "report.json").end(), 3)
        trial.says(done, "out/run.jsonl: its folder could not be made", "-o")
        trial.require((trial.root / "out").read_text() == "in the way", "out was written over")

    def _subject(self, trial: Trial, kind: str | None = None) -> Subject:
        chance = trial.random
        return Subject(kind or chance.choice(KINDS), chance.choice((1, 2)), self.server, trial)

    def _removing(self, trial: Trial, subject: Subject, *, is_blocked: bool) -> list[str]:
        when = trial.random.randrange(1, 30)
        trial.write("removing.py", REMOVING.format(when=when, is_blocked=is_blocked))
        return subject.flags_for("python:removing.py:reply")

    def _judge(self, trial: Trial, subject: Subject, path: Path) -> None:
        lines = judge.journal(trial, path)
        # The line that could not be written is one more that is missing.
        judge.nothing_lost(trial, subject.answered(), lines, PARALLEL)
        trial.require(bool(lines) and not judge.is_over(lines), "the disk was large enough")

    def _resume(self, trial: Trial, subject: Subject, name: str) -> None:
        done = trial.run(*subject.flags, "--resume", name, "-o", "report.json")
        trial.require(done.code == 1, f"--resume: exit code {done.code}: {done.err[-700:]}")
        lines = judge.journal(trial, trial.root / name)
        trial.require(judge.is_over(lines), "--resume: the journal has no end")
        judge.reports(trial, lines, "report.json", all_there=True)


@contextmanager
def _mounted(folder: Path, size: int) -> Generator[None]:
    folder.mkdir()
    options = f"size={size},mode=777"
    mount = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
    subprocess.run(mount, check=True, stderr=subprocess.PIPE)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
