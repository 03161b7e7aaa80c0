"""What is wrong with a cluster is said in a sentence, and in time."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import assay
from assay_dask.versions import difference, installed

if TYPE_CHECKING:
    from conftest import Cli, Dask

RUN = ("-i", "cases.jsonl", "-n", "echo:", "-q", "-o", "r.jsonl", "--executor", "dask")


@pytest.fixture
def one(cli: Cli) -> Cli:
    cli.cases({"id": "a", "input": "x"})
    return cli


def at(address: str) -> tuple[str, ...]:
    return ("--set", f"executor.dask.scheduler={address}", "--set", "executor.dask.wait=500ms")


def test_a_scheduler_that_is_not_there(one: Cli) -> None:
    with socket.socket() as taken:
        # Bound and not listening: nobody else can take it.
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        done = one(*RUN, *at(address))
    assert done.code == 3
    assert done.err == (
        f"Error: no dask scheduler answers at {address} within 500ms; start one (dask scheduler),"
        " or mend executor.dask.scheduler\n"
    )


def test_something_that_is_no_scheduler(one: Cli) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        done = one(*RUN, *at(address))
    assert done.code == 3
    assert f"no dask scheduler answers at {address} within 500ms" in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("address", ["nowhere://127.0.0.1:1", "tcp://127.0.0.1:port"])
def test_an_address_that_is_none(one: Cli, address: str) -> None:
    done = one(*RUN, *at(address))
    assert done.code == 2, done.err
    assert done.err.startswith(f"Error: executor.dask.scheduler: {address} is no address")
    assert done.err.count("\n") == 1


def test_a_cluster_without_workers(one: Cli, dask: Dask) -> None:
    done = one(*RUN, *at(dask.address))
    assert done.code == 3
    assert done.err == (
        f"Error: there is no worker at {dask.address} after 500ms; start them:"
        f" dask worker {dask.address}\n"
    )


def test_fewer_workers_than_were_asked_for(one: Cli, shared: Dask) -> None:
    done = one(*RUN, *at(shared.address), "--set", "executor.dask.workers=3")
    assert done.code == 3
    assert done.err.startswith(f"Error: 2 of 3 workers are at {shared.address} after 500ms; ")


def test_a_worker_without_assay_dask(one: Cli, dask: Dask) -> None:
    dask.add(program="import sys; sys.modules['assay_dask'] = None")
    done = one(*RUN, *dask.flags)
    assert done.code == 2
    assert done.err.startswith("Error: worker tcp://127.0.0.1:")
    assert done.err.endswith(
        "; install assay, assay-dask and the plugins in use on every worker, in the same versions\n"
    )


def test_a_worker_with_another_assay(one: Cli, dask: Dask) -> None:
    dask.add(program="import assay; assay.__version__ = '9.9'")
    done = one(*RUN, *dask.flags)
    assert done.code == 2
    assert done.err.startswith("Error: worker tcp://127.0.0.1:")
    assert done.err.endswith(
        f": assay is 9.9 there, and {assay.__version__} where the run was started; install the"
        " same on every worker\n"
    )


def test_a_worker_with_a_plugin_more(one: Cli, dask: Dask, tmp_path: Path) -> None:
    points = one.write(
        "site/x_wrap-1.2.dist-info/entry_points.txt", "[assay]\nwrap.other = nowhere\n"
    )
    points.with_name("METADATA").write_text("Metadata-Version: 2.1\nName: x-wrap\nVersion: 1.2\n")
    dask.add(env={"PYTHONPATH": str(tmp_path / "site")})
    done = one(*RUN, *dask.flags)
    assert done.code == 2
    assert ": x-wrap 1.2 is installed there, and not where the run was started; " in done.err


def test_a_worker_that_cannot_reach_the_agent(one: Cli, dask: Dask) -> None:
    one.write("agent.py", "import os\nos.environ['KNOWN']\ndef reply(request): return 'x'\n")
    dask.add()
    one.env["KNOWN"] = "here"
    done = one(*RUN, *dask.flags, "-n", "python:agent.py:reply")
    assert done.code == 2, done.err
    assert done.err.startswith("Error: worker tcp://127.0.0.1:")
    assert "KeyError" in done.err


def test_what_differs_is_said() -> None:
    here = installed()
    assert here["assay"] == assay.__version__
    assert "assay-dask" in here
    assert difference(here, here) is None
    assert difference({"a": "1"}, {}) == "a 1 is not installed there"
