"""Measuring whole processes: their CPU time, wall time and peak memory, over several runs."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from resource import struct_rusage

from attrs import frozen

ASSAY = str(Path(sys.executable).with_name("assay"))
"""The installed command."""


@frozen(kw_only=True)
class Sample:
    """One run of a process."""

    cpu: float
    """Seconds, user and system, its children included."""
    wall: float
    """Seconds."""
    peak: float
    """MB (decimal) of the process itself."""


@frozen(kw_only=True)
class Figures:
    """Several runs of one command."""

    samples: tuple[Sample, ...]

    def median(self, of: Callable[[Sample], float]) -> float:
        """Give the median of one figure."""
        return statistics.median(of(sample) for sample in self.samples)

    @property
    def cpu(self) -> float:
        """Median CPU seconds."""
        return self.median(lambda sample: sample.cpu)

    @property
    def wall(self) -> float:
        """Median wall seconds."""
        return self.median(lambda sample: sample.wall)

    @property
    def peak(self) -> float:
        """Greatest peak in MB."""
        return max(sample.peak for sample in self.samples)


def measure(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    expect: int = 0,
) -> Sample:
    """Run a command once, its output thrown away.

    Raises:
        RuntimeError: It ended with another exit code than expected.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=_compiling(os.environ if environ is None else environ),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != expect:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}, not {expect}")
    return Sample(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        peak=peak_of(usage),
    )


def _compiling(environ: Mapping[str, str]) -> dict[str, str]:
    """Let compiled files be kept, as they are where assay was installed."""
    return {key: value for key, value in environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def peak_of(usage: struct_rusage) -> float:
    """Give the peak memory of a process in MB (decimal)."""
    # Linux gives KiB, macOS bytes.
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6


def interleaved(commands: Mapping[str, Callable[[], Sample]], *, rounds: int) -> dict[str, Figures]:
    """Run several commands in turn, so that what else the machine does meets all alike."""
    samples: dict[str, list[Sample]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, run in commands.items():
            samples[name].append(run())
    return {name: Figures(samples=tuple(found)) for name, found in samples.items()}


def judged(value: float, aim: float, unit: str) -> str:
    """Write a figure with its aim, and whether it was reached."""
    verdict = "reached" if value <= aim else "MISSED"
    return f"{value:8.2f} {unit}  (aim: at most {aim:g} {unit}, {verdict})"
