"""Runs that broke off: what they left, cut at any byte, and what becomes of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import assay
from assay.cases.spool import Spool
from assay.discovery.manager import make_plugins
from assay.planning import Invocation, Prepared, prepare

PLUGINS = make_plugins()

_MEASURED = ("duration_ms", "avg_duration_ms", "min_duration_ms", "max_duration_ms")
_TIMES = ("timestamp", "completed_at")

Cases = Iterable[Mapping[str, object]]


def steady(value: Any) -> Any:
    """Give a JSON value of a line without what differs from run to run."""
    if isinstance(value, list):
        return [steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: steady(item) for key, item in value.items()}
    for key in (*_MEASURED, "std_deviation_ms"):
        if key in kept:
            kept[key] = 0
    for key in _TIMES:
        if key in kept:
            kept[key] = "2026-01-02T03:04:05Z"
    if "chat_id" in kept:
        kept["chat_id"] = "chat"
    return kept


def _no_stdin() -> Any:
    raise AssertionError("nobody reads standard input")


@define
class Desk:
    """Runs cases in a folder, and counts which attempts the agent was asked for."""

    folder: Path
    answers: dict[str, object] = field(factory=dict[str, object])
    """What the agent says, by ``id`` or by ``id#attempt``; an exception is raised."""
    asked: list[str] = field(factory=list[str], init=False)
    """The attempts that it was asked for, as ``id#attempt``."""

    def reply(self, request: assay.Request) -> object:
        origin = request.origin
        self.asked.append(f"{origin.case}#{origin.attempt}")
        answer = self.answers.get(self.asked[-1], self.answers.get(origin.case, "good"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def write(self, name: str, *cases: Mapping[str, object]) -> str:
        """Write a case file."""
        text = "".join(f"{json.dumps(case)}\n" for case in cases)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def run(self, *inputs: str | Cases, **settings: Any) -> assay.Report:
        """Run, with nothing asked for so far."""
        self.asked.clear()
        settings = {"retries": 0, **settings}
        return assay.run(
            *inputs, agent=self.reply, plugins=PLUGINS, cwd=self.folder, environ={}, **settings
        )

    def prepared(self, *inputs: str, **settings: object) -> Prepared:
        """Plan a run, up to where agents would be asked."""
        spool = Spool()
        try:
            return prepare(
                Invocation(
                    plugins=PLUGINS,
                    given={"inputs": list(inputs), **settings},
                    function=self.reply,
                    cwd=self.folder,
                    environ={},
                    stdin=_no_stdin,
                ),
                spool,
            )
        finally:
            spool.close()

    def cut(self, source: str, target: str, lines: int) -> None:
        """Write the first lines of a file into another."""
        kept = (self.folder / source).read_bytes().splitlines(keepends=True)[:lines]
        (self.folder / target).write_bytes(b"".join(kept))

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Read the lines of a run as they would be in any other run of the same."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return [steady(json.loads(line)) for line in text.split("\n") if line]

    def statuses(self, name: str) -> dict[str, str]:
        """Read the status of each case."""
        return {line["id"]: line["status"] for line in self.lines(name) if line["type"] == "result"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture(scope="session")
def make_desk(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Desk]:
    """Make desks of their own, for tests of many examples."""
    return lambda: Desk(tmp_path_factory.mktemp("run"))


@pytest.fixture
def broken(desk: Desk) -> Desk:
    """A run of four cases, each run twice, that broke off in the third: ``run.jsonl``."""
    desk.answers = {"b": "bad", "c#1": assay.AgentError("boom")}
    desk.write("cases.jsonl", *({"id": name, "input": "x", "expected": "good"} for name in "abcd"))
    desk.run("cases.jsonl", output="whole.jsonl", runs=2)
    desk.cut("whole.jsonl", "run.jsonl", 8)
    return desk
