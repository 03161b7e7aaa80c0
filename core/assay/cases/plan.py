"""What will run: the suites with their agents and settings, and the second reading of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.cases.needs import Needs
    from assay.cases.scan import Scan
    from assay.cases.select import Selection
    from assay.codec.cases import CaseReader
    from assay.model.case import AgentRef, Case, Suite
    from assay.settings.layers import SuiteSettings


@frozen(kw_only=True)
class PlannedSuite:
    """A suite that will run."""

    number: int
    """Its place in the plan, from 0."""
    first: int
    """The index of its first case, over all suites and shards."""
    suite: Suite
    agent: AgentRef
    settings: SuiteSettings
    scan: Scan
    needs: Needs
    reader: CaseReader
    selection: Selection

    def cases(self) -> Iterator[tuple[int, Case]]:
        """Read the cases for the second time, each with its index over all suites and shards.

        Raises:
            ConfigError: The source is not what the first reading found.
        """
        hashes = self.scan.hashes
        count = 0
        readings = (self.reader.read(entry).case for entry in self.suite.entries())
        matching = self.selection(case for case in readings if case is not None)
        for position, case in enumerate(matching):
            if not self.selection.in_shard(case.id):
                continue
            if count >= len(hashes) or case.digest != hashes[count]:
                raise self._changed()
            yield self.first + position, case
            count += 1
        if count != len(hashes):
            raise self._changed()

    def _changed(self) -> ConfigError:
        return ConfigError(
            f"{self.suite.key}: it changed while it was being run; run it again when it is at rest"
        )


@frozen(kw_only=True)
class Plan:
    """All that will run."""

    suites: tuple[PlannedSuite, ...]

    @property
    def total(self) -> int:
        """How many cases are part of the run, those that say ``skip`` included."""
        return sum(planned.scan.selected for planned in self.suites)

    @property
    def deselected(self) -> int:
        """How many cases the filters left out."""
        return sum(planned.scan.written - planned.scan.selected for planned in self.suites)

    @property
    def is_message(self) -> bool:
        """Whether the run asks a direct message."""
        return any(planned.suite.message is not None for planned in self.suites)

    def cases(self) -> Iterator[tuple[PlannedSuite, int, Case]]:
        """Read all cases, suite by suite."""
        for planned in self.suites:
            for index, case in planned.cases():
                yield planned, index, case


def check_worth(plan: Plan, selection: Selection) -> None:
    """Refuse a plan that could be green without having tested anything.

    A shard may be empty: the others have the cases.

    Raises:
        ConfigError: There is nothing to run, or a case lacks the checks it must have.
    """
    for planned in plan.suites:
        if planned.scan.written == 0:
            raise ConfigError(
                f"{planned.suite.key}: no cases in it; write one JSON object per line"
            )
    if all(planned.scan.matching == 0 for planned in plan.suites):
        asked = selection.describe()
        raise ConfigError(
            f"nothing to run: no case matches {asked}; all {plan.deselected} were left out"
            if asked
            else "nothing to run: every case was left out by a plugin"
        )
    if all(planned.scan.matching == planned.scan.matching_skipped for planned in plan.suites):
        raise ConfigError("nothing to run: every case says skip; take one skip out")
    lines = [
        f"{planned.scan.first_unasserted} assert: missing; say what must hold of the answer"
        f" ({planned.scan.unasserted} such cases in the file)"
        for planned in plan.suites
        if planned.settings.require_assertions and planned.scan.unasserted
    ]
    if lines:
        raise ConfigError("--require-assertions: there are cases without any", lines)
