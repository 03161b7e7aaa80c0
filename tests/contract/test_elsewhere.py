"""A worker that is made from a run's blueprint, after a way through JSON, does the same work."""

from __future__ import annotations

import json
import sys
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
    monkeypatch.delitem(sys.modules, "elsewhere_plugin", raising=False)
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


PACED = """
import assay
from assay import hookimpl

class Pace:
    def __init__(self):
        self.turns = []
        self.pauses = []

    async def turn(self, agent, interval):
        self.turns.append((agent, interval))

    def paused(self, agent, seconds):
        self.pauses.append((agent, seconds))

class Elsewhere:
    name = "elsewhere"

    def __init__(self, context, settings):
        self.blueprint = context.blueprint

    async def run(self, tasks):
        pace = Pace()
        async with assay.worker(self.blueprint, pace=pace) as worker:
            worker.pause("an agent that is not asked here", 60)
            async for task in tasks:
                yield await worker.run(task)
        agents = {agent for agent, _ in [*pace.turns, *pace.pauses]}
        told = [[each for _, each in pace.turns], [round(each, 3) for _, each in pace.pauses]]
        raise assay.RunError(f"{len(agents)} agent: {told}")

@hookimpl
def assay_executors():
    return [Elsewhere]
"""

LIMITED = """
import assay

asked = []

def reply(request):
    asked.append(request)
    if len(asked) == 2:
        raise assay.RateLimited("slowly", retry_after=0.01)
    return request.text
"""


def test_a_pace_is_asked_for_turns_and_told_of_pauses(folder: Path) -> None:
    (folder / "site" / "elsewhere_plugin.py").write_text(PACED)
    (folder / "agent.py").write_text(LIMITED)

    with pytest.raises(assay.RunError) as told:
        assay.run(
            [{"id": "a", "input": "x"}, {"id": "b", "input": "x"}],
            agent="python:agent.py:reply",
            cwd=folder,
            environ={},
            executor="elsewhere",
            rate="10/s",
        )

    assert str(told.value) == "1 agent: [[0.1, 0.1, 0.1], [0.01]]"


SECRETIVE = """
import assay
from assay import Response, Secret, hookimpl
from attrs import frozen

class Keyed:
    name = "keyed"

    @frozen
    class Settings:
        key: Secret

    def __init__(self, agent, settings):
        self.key = settings.key

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def info(self):
        pass

    async def send(self, request):
        return Response(text=f"the key is {self.key.reveal()}")

class Elsewhere:
    name = "elsewhere"

    def __init__(self, context, settings):
        self.blueprint = context.blueprint

    async def run(self, tasks):
        environ = {"KEY": "another key that is a secret"}
        async with assay.worker(self.blueprint, environ) as worker:
            async for task in tasks:
                done = await worker.run(task)
                raise assay.RunError(f"{self.blueprint} {assay.to_json(done)}")
                yield done

@hookimpl
def assay_executors():
    return [Elsewhere]

@hookimpl
def assay_transports():
    return [Keyed]
"""


def told_with_key(folder: Path, given: str) -> str:
    """Run with a secret that the agent tells; gives the blueprint and what came of the case."""
    (folder / "site" / "elsewhere_plugin.py").write_text(SECRETIVE)
    (folder / "site" / "elsewhere-1.0.dist-info" / "entry_points.txt").write_text(
        "[assay]\nexecutor.elsewhere = elsewhere_plugin\ntransport.keyed = elsewhere_plugin\n"
    )
    with pytest.raises(assay.AssayError) as told:
        assay.run(
            [{"id": "a", "input": "x"}],
            agent="keyed:",
            cwd=folder,
            environ={"KEY": "a key that is a secret"},
            sets=(f"transport.keyed.key={given}",),
            executor="elsewhere",
        )
    return str(told.value)


def test_no_key_goes_to_a_worker_and_none_comes_back(folder: Path) -> None:
    told = told_with_key(folder, "$KEY")

    assert "'output': 'the key is ***'" in told
    assert "secret" not in told


def test_a_secret_on_the_command_line_is_refused(folder: Path) -> None:
    assert told_with_key(folder, "a key in the open") == (
        "--set transport.keyed.key: a secret does not go to other processes; name a variable that"
        " holds it there: --set transport.keyed.key='$NAME'"
    )
