"""What an outcome offers to assertions: scripts, agents, files, other checks."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.discovery.manager import make_plugins

PLUGIN = """
from typing import ClassVar
from attrs import frozen
from assay import Agent, Check, File, Message, Script, Verdict, hookimpl

@frozen(kw_only=True)
class Asks:
    name: ClassVar[str] = "asks"
    agent: str | None = None
    script: str | None = None
    file: str | None = None
    all: tuple[Check, ...] = ()
    undeclared: bool = False

    def needs(self):
        if self.undeclared:
            return []
        made = [(Agent, self.agent), (Script, self.script), (File, self.file)]
        return [kind(reference) for kind, reference in made if reference is not None]

    async def check(self, outcome):
        told = []
        if self.agent is not None:
            answer = await outcome.services.ask(self.agent, [Message(content=outcome.output)])
            told.append(answer.text)
        if self.script is not None:
            told.append(str(await outcome.services.call(self.script, [outcome.output, 1, None])))
        if self.file is not None:
            told.append(outcome.services.read(self.file).decode())
        for check in self.all:
            told.append(str((await outcome.services.evaluate(check, outcome)).passed))
        return Verdict(passed=True, message=" ".join(told))

@hookimpl
def assay_assertion_types():
    return [Asks]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    info = tmp_path / "site" / "x_asks-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text("[assay]\nassertion.asks = x_asks_plugin\n")
    (tmp_path / "site/x_asks_plugin.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(tmp_path / "site")
    (tmp_path / "judge.py").write_text("def judge(request): return 'judged ' + request.text\n")
    (tmp_path / "checks.py").write_text("def check(*arguments): return list(arguments)\n")
    (tmp_path / "facts.txt").write_text("facts")
    return tmp_path


def verdict(folder: Path, **fields: object) -> tuple[str, str]:
    report = assay.run(
        [{"id": "a", "input": "hello", "assert": {"type": "asks", **fields}}],
        agent=lambda request: request.text,
        cwd=folder,
        plugins=make_plugins(),
        environ={},
    )
    (result,) = report.results
    (found,) = result.attempts[0].verdicts
    return result.status, found.message


def test_an_agent_answers_in_a_conversation_of_its_own(folder: Path) -> None:
    assert verdict(folder, agent="python:judge.py:judge") == ("passed", "judged hello")


def test_a_script_is_called_with_values(folder: Path) -> None:
    assert verdict(folder, script="checks.py:check") == ("passed", "['hello', 1, None]")


def test_a_file_is_read(folder: Path) -> None:
    assert verdict(folder, file="facts.txt") == ("passed", "facts")


def test_other_checks_are_carried_out(folder: Path) -> None:
    inner = [
        {"type": "contains", "value": "zzz", "negate": True},
        {"type": "equals", "value": "x"},
        {"type": "asks", "file": "facts.txt"},
    ]
    assert verdict(folder, all=inner) == ("passed", "True False True")


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"agent": "echo:"}, "agent 'echo:' was not named by needs()"),
        ({"script": "checks.py:check"}, "script 'checks.py:check' was not named by needs()"),
        ({"file": "facts.txt"}, "file 'facts.txt' was not named by needs()"),
    ],
)
def test_what_was_not_named_is_not_offered(
    folder: Path, fields: dict[str, object], error: str
) -> None:
    assert verdict(folder, undeclared=True, **fields) == ("error", error)


def test_an_agent_that_does_not_answer_is_no_verdict(folder: Path) -> None:
    (folder / "judge.py").write_text("def judge(request): raise ValueError('tired')\n")
    status, error = verdict(folder, agent="python:judge.py:judge")
    assert status == "error"
    assert error == "agent 'python:judge.py:judge' did not answer: ValueError: tired"
