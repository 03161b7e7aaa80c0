"""The executor keeps the contract of executors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import assay
from assay import ExecutorContext, Task
from assay.testing import check_executor
from assay_dask.executor import Dask

if TYPE_CHECKING:
    from conftest import Dask as Cluster

CAPTURE = """
from assay import RunError, hookimpl

class Captured(RunError):
    pass

class Capture:
    name = "capture"

    def __init__(self, context, settings):
        self.context = context

    async def run(self, tasks):
        error = Captured("captured")
        error.seen = (self.context, [task async for task in tasks])
        raise error
        yield

@hookimpl
def assay_executors():
    return [Capture]
"""


@pytest.fixture
def captured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ExecutorContext, list[Task]]:
    """What an executor is handed for sixty attempts."""
    info = tmp_path / "site" / "capture-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: capture\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[assay]\nexecutor.capture = capture_plugin\n")
    (tmp_path / "site" / "capture_plugin.py").write_text(CAPTURE)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "path", [str(tmp_path / "site"), *sys.path])
        with pytest.raises(assay.RunError) as told:
            assay.run(
                ({"id": str(number), "input": "x"} for number in range(30)),
                agent="echo:",
                cwd=tmp_path,
                environ={},
                runs=2,
                parallel=4,
                executor="capture",
            )
    sys.modules.pop("capture_plugin")
    seen: tuple[ExecutorContext, list[Task]] = vars(told.value)["seen"]
    return seen


def test_it_keeps_the_contract(
    captured: tuple[ExecutorContext, list[Task]], shared: Cluster
) -> None:
    context, tasks = captured
    settings = Dask.Settings(scheduler=shared.address)
    check_executor(Dask, settings=settings, context=context, tasks=tasks)
