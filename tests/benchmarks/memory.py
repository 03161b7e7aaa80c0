"""Memory: a million cases that are made while they are read, and how much more than for fewer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from measure import ASSAY, judged, peak_of

SIZES = (100_000, 1_000_000)
IN_FLIGHT = 64
MOST = 200.0
"""MB (decimal)."""
MOST_MORE = 20.0
"""MB that ten times as many cases may take more."""

SOURCE = """
import json, sys
for number in range(int(sys.argv[1])):
    case = {
        "id": f"T{number:07}",
        "input": f"Question number {number}: what is it?",
        "assert": {"type": "contains", "value": f"number {number}"},
    }
    print(json.dumps(case))
"""


def run(folder: Path) -> None:
    """Print the peak for both sizes, with JSON lines and HTML written; it takes minutes."""
    peaks = [one(folder, size) for size in SIZES]
    more = peaks[1] - peaks[0]
    print(f"{'more for ten times as many':34}  {judged(more, MOST_MORE, 'MB')}")


def one(folder: Path, size: int) -> float:
    """Run once, its cases coming through a pipe, and give the peak in MB of assay's process."""
    words = ["test", "-i", "-", "-n", "echo:", "-o", "out.jsonl", "-o", "out.html"]
    with subprocess.Popen(
        [sys.executable, "-c", SOURCE, str(size)], stdout=subprocess.PIPE
    ) as source:
        process = subprocess.Popen(
            [ASSAY, *words, "--parallel", str(IN_FLIGHT)],
            cwd=folder,
            stdin=source.stdout,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert source.stdout is not None
        # Where assay ends early, the source must see that nobody reads it any more.
        source.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or source.returncode != 0:
        raise RuntimeError(f"{size} cases: assay ended with {process.returncode}")
    peak = peak_of(usage)
    sizes = ", ".join(
        f"{name} {(folder / name).stat().st_size / 1e6:.0f} MB"
        for name in ("out.jsonl", "out.html")
    )
    print(f"{size:>9} cases, {IN_FLIGHT} in flight ({sizes})")
    print(f"{'':34}  {judged(peak, MOST, 'MB')}", flush=True)
    print(f"{'':34}  {usage.ru_utime + usage.ru_stime:8.1f} s CPU", flush=True)
    return peak
