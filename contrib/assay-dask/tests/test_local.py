"""A cluster of this machine: its processes end with the run, however that ends."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Bell, Cli

AGENT = """
    import asyncio, os, signal, sys
    from pathlib import Path

    here = Path(__file__).parent

    async def reply(request):
        if request.text == "dies once" and not (here / "died").exists():
            (here / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if request.text == "prints":
            print("on standard output")
            print("on standard error", file=sys.stderr)
        if request.text == "hangs":
            (here / "bell").write_text(f"{os.getpid()}\\n")
            await asyncio.Event().wait()
        return str(os.getpid())
"""


def prepared(cli: Cli, *inputs: str) -> tuple[str, ...]:
    """Write cases with these inputs, and give the flags of a run on two workers."""
    cli.write("agent.py", AGENT)
    cli.cases(*({"id": str(number), "input": text} for number, text in enumerate(inputs)))
    run = ("-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q", "-o", "r.jsonl")
    return (*run, "--executor", "dask", "--set", "executor.dask.workers=2", "--parallel", "4")


def outputs(cli: Cli) -> set[str]:
    import json

    lines = [json.loads(line) for line in cli.read("r.jsonl").splitlines()]
    return {line["output"] for line in lines if line["type"] == "result"}


def test_it_runs_in_processes_that_are_gone_afterwards(cli: Cli, gone: Any) -> None:
    done = cli(*prepared(cli, *["x"] * 40))
    assert done.code == 0, done.err
    assert done.err.count("\n") == 1, done.err
    pids = outputs(cli)
    assert len(pids) == 2
    for pid in pids:
        gone(int(pid))


def test_what_agents_print_goes_to_standard_error(cli: Cli) -> None:
    done = cli(*prepared(cli, "prints"), "--json")
    assert done.code == 0, done.err
    assert [line["type"] for line in done.lines] == ["start", "result", "summary"]
    lines = done.err.splitlines()
    assert "on standard output" in lines
    assert "on standard error" in lines


def test_a_worker_that_ends_is_replaced(cli: Cli) -> None:
    done = cli(*prepared(cli, "dies once", *["x"] * 10), "--set", "executor.dask.workers=1")
    assert done.code == 0, done.err
    assert done.err.count("\n") == 1, done.err
    assert '"tries"' in cli.read("r.jsonl")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere they end by themselves, later")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)],
)
def test_no_process_is_left_behind(cli: Cli, bell: Bell, gone: Any, number: int, code: int) -> None:
    running = cli.start(*prepared(cli, "hangs", "hangs"))
    workers = {bell.heard(), bell.heard()}
    assert len(workers) == 2
    # As a terminal does it: to all of the group.
    os.killpg(running.process.pid, number)
    done = running.end()
    assert done.code == code
    assert "Traceback" not in done.err
    for worker in workers:
        gone(worker)
    if number == signal.SIGKILL:
        import shutil
        from pathlib import Path

        # Nobody is left to remove the folder of the cluster.
        for left in Path(cli.env["TMPDIR"]).iterdir():
            shutil.rmtree(left)
