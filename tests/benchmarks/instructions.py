"""Instructions of whole processes, as callgrind counts them: the same whatever else a machine does.

It needs valgrind, and takes minutes, since a program runs some fifty times slower under it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from echo import write_cases
from over_http import NAMES, Files, environment, programs, server

CALLGRIND = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null")
COUNTED = re.compile(r"Collected : (\d+)")
IN_FLIGHT = 16
SIZES = (1, 201)
"""So many cases tell what each further one takes."""
MANY = 1_000


def run(folder: Path) -> None:
    """Print millions of instructions: of start-up, of a run of one case, of each further one."""
    if shutil.which(CALLGRIND[0]) is None:
        print("valgrind is not installed")
        return
    python = [sys.executable, "-m", "assay"]
    bare = counted([sys.executable, "-c", "pass"], folder)
    print(f"{'python -c pass':24} {bare:8.0f} million")
    for name, given in {
        "assay --help": ["--help"],
        "assay test -i hello": ["test", "-i", "hello", "-n", "echo:"],
    }.items():
        count = counted([*python, *given], folder)
        print(f"{name:24} {count:8.0f} million {count / bare:8.1f} x bare python")
    files = Files(folder, {size: write_cases(folder / f"{size}.jsonl", size) for size in SIZES})
    print(f"\n{'':24} {'one case':>9} {'each more':>10} {f'{MANY} cases':>11}")
    with server(0.0) as url:
        for api in NAMES:
            by_size = {size: programs(api, url, files, size, IN_FLIGHT) for size in SIZES}
            for name in ("aiohttp", "assay"):
                show(f"{name}, {api}", {size: by_size[size][name] for size in SIZES}, folder)
    echo = ["-n", "echo:", "-o", "out.jsonl", "--parallel", str(IN_FLIGHT)]
    words = {size: [*python, "test", "-i", f"{size}.jsonl", *echo] for size in SIZES}
    show("assay, echo", words, folder)


def show(name: str, words: Mapping[int, Sequence[str]], folder: Path) -> None:
    """Print a line of the table."""
    one, more = (counted(words[size], folder) for size in SIZES)
    each = (more - one) / (SIZES[1] - SIZES[0])
    print(f"{name:24} {one:9.0f} {each:10.2f} {one + each * (MANY - 1):11.0f}", flush=True)


def counted(words: Sequence[str], folder: Path) -> float:
    """Run a command line under callgrind, and give its instructions in millions.

    Raises:
        RuntimeError: It ended with another exit code than 0.
    """
    # A script has no instructions of its own to count: its interpreter runs it.
    program = words if words[0] == sys.executable else [sys.executable, *words]
    done = subprocess.run(
        [*CALLGRIND, *program],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    found = COUNTED.search(done.stderr)
    if done.returncode != 0 or found is None:
        raise RuntimeError(f"{' '.join(program)} ended with {done.returncode}: {done.stderr}")
    return int(found[1]) / 1e6
