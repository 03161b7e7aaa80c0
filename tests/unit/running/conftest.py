"""A worker over in-process agents, and plans of made-up cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from assay.cases.plan import Plan
from assay.cases.spool import Spool
from assay.discovery.manager import make_plugins
from assay.planning import Invocation, Prepared, prepare
from assay.running.work import SuiteSpec, Workshop
from assay.scripts.pool import Pool

PLUGINS = make_plugins()


def _no_stdin() -> Any:
    raise AssertionError("nobody reads standard input")


@define
class Bench:
    """Plans runs of cases on a function, and opens what attempts need."""

    folder: Path
    spool: Spool = field(factory=Spool)

    def prepared(
        self,
        agent: Callable[..., object],
        *suites: Sequence[dict[str, object]],
        **settings: object,
    ) -> Prepared:
        invocation = Invocation(
            plugins=PLUGINS,
            given=settings,
            cases=suites,
            function=agent,
            cwd=self.folder,
            environ={},
            stdin=_no_stdin,
        )
        return prepare(invocation, self.spool)

    def plan(
        self,
        agent: Callable[..., object],
        *suites: Sequence[dict[str, object]],
        **settings: object,
    ) -> Plan:
        return self.prepared(agent, *suites, **settings).plan

    def workshop(self, prepared: Prepared) -> Workshop:
        equipment, assembly = prepared.equipment, prepared.assembly
        specs = [
            SuiteSpec(
                key=planned.suite.key,
                agent=planned.agent,
                settings=planned.settings,
                sources=equipment.home.sources(self.folder),
                reader=planned.reader,
                needs=planned.needs,
                files=assembly.files(self.folder, planned.agent, planned.settings),
            )
            for planned in prepared.plan.suites
        ]
        return Workshop(
            specs,
            lambda agent, _: equipment.transport(agent, self.folder),
            Pool(assembly.engines_made),
            prepared.settings.parallel,
        )


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.spool.close()
