"""Suites of made-up entries, and what reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import define, field

from assay.cases.attachments import Attachments
from assay.cases.needs import Needs
from assay.cases.plan import PlannedSuite
from assay.cases.scan import Faults, Scan, scan
from assay.cases.select import Selection
from assay.codec.cases import CaseReader
from assay.codec.checks import CheckReader, make_check_reader
from assay.codec.converter import Structurer
from assay.discovery.manager import make_plugins
from assay.errors import ConfigError
from assay.model.case import AgentRef, Entry, Suite, Where
from assay.model.files import FileAccess
from assay.scripts.find import Found
from assay.settings.layers import suite_settings


def _no_script(reference: str) -> Found:
    raise ConfigError(f"script {reference!r} was not found")


def _agent(reference: str) -> AgentRef:
    return AgentRef(transport="echo", target=reference, name=reference)


@define
class Desk:
    """Reads suites of values, as planning does."""

    folder: Path
    checks: CheckReader
    values: list[object] = field(factory=list[object])
    """Of the suite: they may be changed between two readings."""
    key: str = "cases.jsonl"
    strict: bool = False
    read: int = 0
    """How many entries were read, in all readings."""

    @property
    def suite(self) -> Suite:
        def entries() -> Iterator[Entry]:
            for number, value in enumerate(self.values, 1):
                self.read += 1
                if isinstance(value, Entry):
                    yield value
                else:
                    yield Entry(where=Where(self.key, number), value=value)

        return Suite(key=self.key, entries=entries, folder=self.folder)

    @property
    def reader(self) -> CaseReader:
        return CaseReader(self.checks, self.strict)

    @property
    def needs(self) -> Needs:
        return Needs(folder=self.folder, find_script=_no_script, find_agent=_agent)

    def scan(self, *values: object, faults: Faults, selection: Selection | None = None) -> Scan:
        self.values = list(values)
        access = FileAccess(folder=self.folder, roots=(self.folder,))
        return scan(
            self.suite,
            self.reader,
            self.needs,
            Attachments(lambda: access),
            selection or Selection(),
            faults,
        )

    def planned(
        self,
        *values: object,
        number: int = 0,
        first: int = 0,
        selection: Selection | None = None,
        **settings: object,
    ) -> PlannedSuite:
        faults = Faults()
        selection = selection or Selection()
        scanned = self.scan(*values, faults=faults, selection=selection)
        assert not faults.faults
        return PlannedSuite(
            number=number,
            first=first,
            suite=self.suite,
            agent=AgentRef(transport="echo", target="", name="echo"),
            settings=suite_settings(settings, {}, ()),
            scan=scanned,
            needs=self.needs,
            reader=self.reader,
            selection=selection,
        )


@pytest.fixture(scope="session")
def checks() -> CheckReader:
    plugins = make_plugins()
    return make_check_reader(Structurer(), lambda: plugins.words("assertion"), plugins.assertion)


@pytest.fixture
def desk(tmp_path: Path, checks: CheckReader) -> Desk:
    return Desk(tmp_path, checks)


@pytest.fixture
def faults() -> Faults:
    return Faults()
