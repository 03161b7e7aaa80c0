"""What checks need is looked for once, and told at each case that lacks it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from attrs import frozen

from assay.cases.needs import Needs
from assay.errors import ConfigError
from assay.model.case import Agent, AgentRef, Case, Check, File, Need, Script, Where
from assay.model.outcome import Outcome, Verdict
from assay.scripts.find import Found


@frozen(kw_only=True)
class Needy:
    name: ClassVar[str] = "needy"
    wants: tuple[Need, ...] = ()
    inner: tuple[Check, ...] = ()
    other: Check | None = None

    def needs(self) -> Sequence[Need]:
        return self.wants

    def check(self, outcome: Outcome) -> Verdict:
        return Verdict(passed=True)


def check(*wants: Need, inner: tuple[Check, ...] = (), other: Check | None = None) -> Check:
    return Check(type="needy", assertion=Needy(wants=wants, inner=inner, other=other))


class Office:
    """Finds agents, and no script; notes what it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.needs = Needs(folder=folder, find_script=self.script, find_agent=self.agent)

    def script(self, reference: str) -> Found:
        self.asked.append(f"script {reference}")
        raise ConfigError(f"no script {reference}")

    def agent(self, reference: str) -> AgentRef:
        self.asked.append(f"agent {reference}")
        return AgentRef(transport="echo", target=reference, name=reference)

    def told(self, *checks: Check, listed: bool = True, line: int = 1) -> list[str]:
        raw: dict[str, object] = {"assert": [{}] if listed else {}}
        case = Case(id="a", messages=(), checks=checks, where=Where("f", line), raw=raw)
        return [str(fault) for fault in self.needs.look(case)]


def test_each_need_is_looked_for_once(tmp_path: Path) -> None:
    office = Office(tmp_path)
    (tmp_path / "there.txt").touch()
    wanted = check(Script("s"), Agent("judge"), File("there.txt"), File("gone.txt"))
    assert office.told(wanted) == [
        "f:1 assert[0]: no script s",
        f"f:1 assert[0]: no file 'gone.txt' in {tmp_path}; mend the path",
    ]
    assert office.told(check(), wanted, listed=True, line=2)[0] == "f:2 assert[1]: no script s"
    assert office.told(wanted, listed=False, line=3)[0] == "f:3 assert: no script s"
    assert office.asked == ["script s", "agent judge"]
    assert office.needs.agents["judge"].target == "judge"
    assert office.needs.files == {"there.txt": tmp_path / "there.txt"}


def test_checks_within_checks_have_needs_too(tmp_path: Path) -> None:
    office = Office(tmp_path)
    deep = check(inner=(check(Script("one")),), other=check(other=check(Script("two"))))
    assert office.told(deep) == ["f:1 assert[0]: no script one", "f:1 assert[0]: no script two"]
