"""A worker that is made from a run's blueprint, after a way through JSON, does the same work."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import assay

if TYPE_CHECKING:
    from pathlib import Path

EXECUTOR = """
import json
import attrs
import assay
from assay import Done, Task, hookimpl

def through_json(value):
    return json.loads(json.dumps(value))

class Elsewhere:
    name = "elsewhere"

    def __init__(self, context, settings):
        self.blueprint = through_json(context.blueprint)

    async def run(self, tasks):
        async with assay.worker(self.blueprint) as worker:
            async for task in tasks:
                sent = attrs.asdict(attrs.evolve(task, case=None), recurse=False)
                done = await worker.run(Task(**through_json(sent)))
                yield Done(task=task, attempt=done.attempt)

@hookimpl
def assay_executors():
    return [Elsewhere]
"""

AGENT = """
def reply(request):
    return {"text": request.text, "user": request.environment.user_id}
"""

CASES: list[dict[str, Any]] = [
    {"id": "same", "input": "hello", "expected": {"text": "hello", "user": "ada"}},
    {"id": "other", "input": "hello", "assert": {"type": "json_path", "path": "text", "value": ""}},
    {"id": "script", "input": "a", "assert": {"type": "script", "script": "checks.py:check"}},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = tmp_path / "site"
    info = site / "elsewhere-1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text("[assay]\nexecutor.elsewhere = elsewhere_plugin\n")
    (site / "elsewhere_plugin.py").write_text(EXECUTOR)
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "checks.py").write_text("def check(output, input, expected): return input == 'a'\n")
    (tmp_path / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in CASES))
    monkeypatch.syspath_prepend(str(site))
    return tmp_path


def told(report: assay.Report) -> list[tuple[str, str, object, str | None]]:
    shown = [(result.case.id, result.status, result.shown) for result in report.cases]
    return [
        (name, status, attempt.output, attempt.error)
        for name, status, attempt in shown
        if attempt is not None
    ]


@pytest.mark.parametrize(
    "settings",
    [{}, {"rate": "1000/s", "timeout": "30s", "min_pass_rate": 50.5, "runs": 2}],
    ids=["defaults", "everything set"],
)
def test_a_worker_elsewhere_does_the_same(folder: Path, settings: dict[str, Any]) -> None:
    def run(executor: str) -> assay.Report:
        return assay.run(
            "cases.jsonl",
            agent="python:agent.py:reply",
            cwd=folder,
            environ={},
            user="ada",
            executor=executor,
            **settings,
        )

    here, there = told(run("local")), told(run("elsewhere"))

    assert there == here
    assert [status for _, status, _, _ in here] == ["passed", "failed", "passed"]
