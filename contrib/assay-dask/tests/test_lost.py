"""Workers that are lost in mid-run: what they had under way runs again, once."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Bell, Cli, Dask, Result

AGENT = """
    import asyncio, os, signal, threading
    from pathlib import Path

    here = Path(__file__).parent

    async def reply(request):
        with open(here / "asked", "a") as file:
            file.write(f"{os.getpid()} {request.text}\\n")
        if request.text == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if request.text == "dies once" and not (here / "died").exists():
            (here / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if request.text == "blocks":
            threading.Event().wait()
        if request.text == "waits" and not (here / "killed").exists():
            (here / "bell").write_text(f"{os.getpid()}\\n")
            await asyncio.Event().wait()
        return "good"
"""


def prepared(cli: Cli, *inputs: str) -> tuple[str, ...]:
    """Write cases with these inputs, whose ids are their numbers, and give the flags of a run."""
    cli.write("agent.py", AGENT)
    cases = [{"id": str(n), "input": text, "expected": "good"} for n, text in enumerate(inputs)]
    cli.cases(*cases)
    return ("-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q", "--json")


def results(done: Result) -> list[dict[str, Any]]:
    found = [line for line in done.lines if line["type"] == "result"]
    return sorted(found, key=lambda line: line["index"])


def asked(cli: Cli, text: str) -> list[int]:
    """Give the processes that were asked this, in order."""
    lines = [line.split(maxsplit=1) for line in cli.read("asked").splitlines()]
    return [int(pid) for pid, given in lines if given == text]


def kill(cli: Cli, pid: int) -> None:
    (cli.root / "killed").touch()
    os.kill(pid, signal.SIGKILL)


def test_a_worker_that_is_killed_loses_nothing(cli: Cli, dask: Dask, bell: Bell) -> None:
    dask.add(2)
    run = prepared(cli, *["x"] * 20, "waits", *["x"] * 200)
    running = cli.start(*run, "--parallel", "8", "-o", "r.html", *dask.flags)
    killed = bell.heard()
    kill(cli, killed)
    done = running.end()
    assert done.code == 0, done.err
    found = results(done)
    assert [result["id"] for result in found] == [str(n) for n in range(221)]
    assert {result["status"] for result in found} == {"passed"}
    lost = {result["id"]: result["tries"] for result in found if "tries" in result}
    assert "20" in lost
    assert len(lost) <= 4
    (tried,) = lost["20"]
    assert tried["error"].startswith("worker tcp://127.0.0.1:")
    assert tried["error"].endswith(" was lost")
    (other,) = dask.pids - {killed}
    assert asked(cli, "waits") == [killed, other]
    assert done.lines[-1]["passed"] == 221


def test_an_attempt_that_is_lost_twice_is_an_error(cli: Cli, dask: Dask) -> None:
    dask.add(3)
    done = cli(*prepared(cli, "dies", "x", "x"), "--parallel", "1", *dask.flags)
    assert done.code == 1, done.err
    dead, *others = results(done)
    assert dead["status"] == "error"
    first, second = (tried["error"] for tried in dead["tries"])
    assert dead["error"] == f"lost twice: {first}; {second}"
    assert first != second
    assert [other["status"] for other in others] == ["passed", "passed"]
    assert len(set(asked(cli, "dies"))) == 2


def test_a_worker_that_is_blocked_is_given_up(cli: Cli, dask: Dask) -> None:
    dask.add(2)
    run = (*prepared(cli, "blocks", *["x"] * 10), "--parallel", "2", *dask.flags)
    done = cli(*run, "--set", "executor.dask.silence=1500ms")
    assert done.code == 1, done.err
    blocked, *others = results(done)
    assert blocked["status"] == "error"
    (first, second) = blocked["tries"]
    assert first["error"].endswith(" was given up: an agent or a check has blocked it for 1.5s")
    assert blocked["error"] == f"lost twice: {first['error']}; {second['error']}"
    assert {other["status"] for other in others} == {"passed"}


def test_a_run_of_nothing_but_losses_ends_with_3(cli: Cli, dask: Dask) -> None:
    dask.add(2)
    done = cli(*prepared(cli, "dies"), *dask.flags)
    assert done.code == 3, done.err
    assert results(done)[0]["status"] == "error"


def test_a_worker_that_comes_later_takes_over(cli: Cli, dask: Dask, bell: Bell) -> None:
    dask.add()
    running = cli.start(*prepared(cli, "x", "waits", "x"), "--parallel", "2", *dask.flags)
    kill(cli, bell.heard())
    dask.add()
    done = running.end()
    assert done.code == 0, done.err
    assert [result["status"] for result in results(done)] == ["passed"] * 3
    assert asked(cli, "waits") == [worker.process.pid for worker in dask.workers]


def test_a_run_without_workers_ends_with_what_is_known(cli: Cli, dask: Dask, bell: Bell) -> None:
    dask.add()
    run = (*prepared(cli, "x", "waits", "x"), "--parallel", "1", *dask.flags)
    running = cli.start(*run, "--set", "executor.dask.wait=500ms", "-o", "r.jsonl")
    kill(cli, bell.heard())
    done = running.end()
    assert done.code == 3
    assert done.err == (
        f"Error: no worker is left at {dask.address}, and none has come for 500ms\n"
    )
    assert [result["id"] for result in results(done)] == ["0"]


def test_a_worker_that_comes_later_and_cannot_take_part_is_named(
    cli: Cli, dask: Dask, bell: Bell
) -> None:
    dask.add()
    run = (*prepared(cli, "waits"), *dask.flags, "-o", "r.jsonl")
    running = cli.start(*run, "--set", "executor.dask.wait=4s")
    killed = bell.heard()
    dask.add(program="import assay; assay.__version__ = '9.9'")
    kill(cli, killed)
    done = running.end()
    assert done.code == 3
    assert done.err.startswith(f"Error: no worker is left at {dask.address}, and none has come")
    assert ": assay is 9.9 there, and " in done.err


def test_a_run_without_a_scheduler_ends_with_what_is_known(
    cli: Cli, dask: Dask, bell: Bell
) -> None:
    dask.add()
    run = (*prepared(cli, "x", "waits"), "--parallel", "1", *dask.flags)
    running = cli.start(*run, "-o", "r.jsonl")
    bell.heard()
    dask.scheduler.kill()
    done = running.end()
    assert done.code == 3
    assert done.err.startswith(f"Error: the dask scheduler at {dask.address} is gone: ")
    assert done.err.count("\n") == 1
    assert [result["id"] for result in results(done)] == ["0"]
