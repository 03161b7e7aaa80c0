"""Measures what a run on a cluster costs: ``python benchmarks/cluster_costs.py [CASES]``.

A scheduler and two workers are started on this machine, each a process of dask's own command, and
runs on them are measured: time, CPU of each part, memory of the run's own process, sizes of files.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from attrs import frozen

WORKERS = 2
WAITING = 0.05
"""Seconds that the agent takes which waits."""

MOST_WAITING = 20_000
"""Cases for the agent that waits: more of them tell nothing new."""

AGENT = f"""
import asyncio

async def reply(request):
    await asyncio.sleep({WAITING})
    return request.text
"""


@frozen
class Cluster:
    """The processes of a cluster."""

    address: str
    scheduler: int
    workers: list[int]


@frozen(kw_only=True)
class Measured:
    """What a run took."""

    seconds: float
    driver_cpu: float
    scheduler_cpu: float
    workers_cpu: float
    driver_mb: float
    """The most memory of the run's own process, in decimal megabytes."""


@contextmanager
def cluster(folder: Path) -> Generator[Cluster]:
    """Start a scheduler and workers."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", *arguments, "--host", "127.0.0.1", "--no-dashboard"]
        process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    def told(process: subprocess.Popen[str], text: str) -> str:
        assert process.stderr is not None
        for line in process.stderr:
            if text in line:
                return line
        raise RuntimeError("a process of the cluster ended")

    try:
        scheduler = start("distributed.cli.dask_scheduler", "--port", "0")
        address = told(scheduler, "Scheduler at:").split()[-1]
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(folder))
        command = ("distributed.cli.dask_worker", address, *options)
        workers = [start(*command) for _ in range(WORKERS)]
        for worker in workers:
            told(worker, "Registered to")
        yield Cluster(address, scheduler.pid, [worker.pid for worker in workers])
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def cpu(pid: int) -> float:
    """Give the CPU seconds of a process until now (Linux tells)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run(folder: Path, made: Cluster | None, *flags: str) -> Measured:
    """Measure a run, on a cluster or, without one, in one process."""
    where = () if made is None else ("--executor", "dask")
    if made is not None:
        where = (*where, "--set", f"executor.dask.scheduler={made.address}")
        where = (*where, "--set", f"executor.dask.workers={WORKERS}")
    command = [sys.executable, "-m", "assay", "test", "-q", *flags, *where]
    others = [] if made is None else [made.scheduler, *made.workers]
    before = [cpu(pid) for pid in others]
    began = perf_counter()
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    spent = [cpu(pid) - was for pid, was in zip(others, before, strict=True)]
    return Measured(
        seconds=seconds,
        driver_cpu=used.ru_utime + used.ru_stime,
        scheduler_cpu=sum(spent[:1]),
        workers_cpu=sum(spent[1:]),
        driver_mb=used.ru_maxrss * 1024 / 1e6,
    )


def write_cases(folder: Path, name: str, count: int) -> None:
    """Write cases that are as long as real ones are: a question of a few lines."""
    question = "What is the capital of France, and since when? " * 6
    check = {"type": "contains", "value": "France"}
    with (folder / name).open("w", encoding="utf-8") as file:
        for number in range(count):
            case = {"id": f"case-{number:07d}", "input": question, "assert": [check]}
            file.write(f"{json.dumps(case)}\n")


def show(label: str, count: int, measured: Measured) -> None:
    """Print a line of the table."""
    each = [measured.driver_cpu, measured.scheduler_cpu, measured.workers_cpu]
    milliseconds = "  ".join(f"{1000 * seconds / count:6.2f}" for seconds in each)
    print(
        f"{label:<36} {count:>8}  {measured.seconds:7.1f}  {count / measured.seconds:8.0f}"
        f"  {milliseconds}  {measured.driver_mb:7.0f}",
        flush=True,
    )


def main() -> None:
    """Measure, and print a table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    print(f"{os.cpu_count()} processors, {WORKERS} workers; CPU in ms per case, memory in MB")
    print(
        f"{'run':<36} {'cases':>8}  {'seconds':>7}  {'cases/s':>8}"
        f"  {'run':>6}  {'sched.':>6}  {'work.':>6}  {'memory':>7}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent.py").write_text(AGENT)
        some = min(count, MOST_WAITING)
        for size in {some, count, 5 * count}:
            write_cases(folder, f"{size}.jsonl", size)
        with cluster(folder) as made:
            echo = ("-n", "echo:", "--parallel", "64", "-o", "r.jsonl")
            run(folder, made, "-i", f"{count}.jsonl", *echo)
            few = ("-i", f"{count}.jsonl", *echo)
            show("echo, one process", count, run(folder, None, *few))
            show("echo, cluster", count, run(folder, made, *few))
            many = ("-i", f"{5 * count}.jsonl", *echo)
            show("echo, cluster, five times as many", 5 * count, run(folder, made, *many))
            page = run(folder, made, *few, "-o", "r.html")
            show("echo, cluster, with a page", count, page)
            sizes = [(folder / name).stat().st_size / count for name in ("r.jsonl", "r.html")]
            waits = ("-i", f"{some}.jsonl", "-n", "python:agent.py:reply", "-o", "r.jsonl")
            one = ("-i", f"{some}.jsonl", "-n", "echo:", "--parallel", "1", "-o", "r.jsonl")
            alone = run(folder, None, *waits, "--parallel", "64")
            show("waits 50 ms, one process, 64 at once", some, alone)
            show("echo, cluster, one at a time", some, run(folder, made, *one))
            for parallel in (64, 256, 1024):
                measured = run(folder, made, *waits, "--parallel", str(parallel))
                show(f"waits 50 ms, cluster, {parallel} at once", some, measured)
    print(f"bytes per case: JSON lines {sizes[0]:.0f}, HTML {sizes[1]:.0f}")


if __name__ == "__main__":
    main()
