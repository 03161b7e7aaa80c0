"""What the checks of cases need, found before any agent is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from assay.codec.checks import needs_of
from assay.codec.faults import Fault
from assay.errors import ConfigError
from assay.model.case import Agent, Case, Need, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assay.model.case import AgentRef
    from assay.scripts.find import Found


@define(eq=False)
class Needs:
    """The needs of one suite; each is looked for once."""

    folder: Path
    """What files are relative to."""
    find_script: Callable[[str], Found]
    find_agent: Callable[[str], AgentRef]
    scripts: dict[str, Found] = field(factory=dict[str, "Found"], init=False)
    agents: dict[str, AgentRef] = field(factory=dict[str, "AgentRef"], init=False)
    files: dict[str, Path] = field(factory=dict[str, "Path"], init=False)
    _missing: dict[Need, str] = field(factory=dict[Need, str], init=False)

    def look(self, case: Case) -> Iterator[Fault]:
        """Look for what a case needs; gives a fault for each need that is not there."""
        for index, check in enumerate(case.checks):
            for need in needs_of(check):
                problem = self._problem(need)
                if problem is not None:
                    listed = isinstance(case.raw.get("assert"), list)
                    path = f"assert[{index}]" if listed else "assert"
                    yield Fault(where=case.where, field=path, what=problem)

    def _problem(self, need: Need) -> str | None:
        if need in self._missing:
            return self._missing[need]
        try:
            self._find(need)
        except ConfigError as error:
            self._missing[need] = str(error)
            return str(error)
        return None

    def _find(self, need: Need) -> None:
        reference = need.reference
        if isinstance(need, Script):
            if reference not in self.scripts:
                self.scripts[reference] = self.find_script(reference)
        elif isinstance(need, Agent):
            if reference not in self.agents:
                self.agents[reference] = self.find_agent(reference)
        elif reference not in self.files:
            path = self.folder / reference
            if not path.is_file():
                raise ConfigError(f"no file {reference!r} in {self.folder}; mend the path")
            self.files[reference] = path
