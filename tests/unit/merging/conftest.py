"""Parts of a run, and what they are together."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

import assay
from assay.discovery.manager import make_plugins
from assay.merging.write import Merged

PLUGINS = make_plugins()

_MEASURED = {
    *("duration_ms", "avg_duration_ms", "min_duration_ms", "max_duration_ms", "std_deviation_ms"),
    *("timestamp", "completed_at", "chat_id"),
}


def steady(value: Any) -> Any:
    """Give a JSON value of a line without what differs from run to run."""
    if isinstance(value, list):
        return [steady(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: steady(item) for key, item in value.items() if key not in _MEASURED}


@define
class Table:
    """Runs cases in a folder, and merges what the runs wrote."""

    folder: Path
    answers: dict[str, object] = field(factory=dict[str, object])
    """What the agent says, by ``id`` or by ``id#attempt``; an exception is raised."""

    def reply(self, request: assay.Request) -> object:
        origin = request.origin
        place = f"{origin.case}#{origin.attempt}"
        answer = self.answers.get(place, self.answers.get(origin.case, "good"))
        if isinstance(answer, Exception):
            raise answer
        return answer

    def cases(self, name: str, ids: Sequence[str], **fields: object) -> str:
        """Write a case file."""
        lines = [{"id": each, "input": "x", "expected": "good", **fields} for each in ids]
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def run(self, *inputs: str, **settings: Any) -> assay.Report:
        return assay.run(
            *inputs,
            agent=self.reply,
            plugins=PLUGINS,
            cwd=self.folder,
            environ={},
            **{"retries": 0, **settings},
        )

    def shards(self, count: int, *inputs: str, **settings: Any) -> list[str]:
        """Run all parts, and name their files."""
        names = [f"part{number}.jsonl" for number in range(1, count + 1)]
        for number, name in enumerate(names, 1):
            self.run(*inputs, shard=f"{number}/{count}", output=name, **settings)
        return names

    def merge(self, *names: str, **how: Any) -> Merged:
        how = {"output": "all.jsonl", **how}
        return assay.merge_results(names, plugins=PLUGINS, cwd=self.folder, environ={}, **how)

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Read the lines of a run without times and ids."""
        text = (self.folder / name).read_text(encoding="utf-8")
        return [steady(json.loads(line)) for line in text.split("\n") if line]

    def cut(self, source: str, target: str, lines: int) -> str:
        """Write the first lines of a file into another."""
        kept = (self.folder / source).read_bytes().splitlines(keepends=True)[:lines]
        (self.folder / target).write_bytes(b"".join(kept))
        return target


def ordered(lines: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Put the lines between the first and the last into the order of cases."""
    start, *within, summary = lines
    return [start, *sorted(within, key=lambda line: line["index"]), summary]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


@pytest.fixture(scope="session")
def make_table(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Table]:
    """Make tables of their own, for tests of many examples."""
    return lambda: Table(tmp_path_factory.mktemp("merged"))


@pytest.fixture(scope="session")
def in_order() -> Callable[[Sequence[Mapping[str, Any]]], list[Mapping[str, Any]]]:
    """The function ``ordered``: a test cannot import this file."""
    return ordered
