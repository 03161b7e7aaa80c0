"""The document of the ``junit`` reporter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import IO, TYPE_CHECKING

from attrs import define

from assay_plugins.reporters._parted import PartedText
from assay_plugins.reporters._testcase import seconds, testcase
from assay_plugins.reporters._xml import empty, start

if TYPE_CHECKING:
    from assay import CaseResult, Report, RunInfo, SuiteInfo


def write_document(report: Report, out: IO[str]) -> None:
    """Write the document. Cases wait in a file until the figures above them are known."""
    known = {suite.source: suite for suite in report.info.suites}
    figures = {source: _Figures() for source in known}
    with PartedText() as cases:
        for result in report.cases:
            figures.setdefault(result.suite, _Figures()).add(result)
            cases.add(result.suite, testcase(result))
        time = {"time": seconds(report.summary.duration_ms)}
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        out.write(start("testsuites", {"name": "assay", **_total(figures.values()), **time}))
        out.write("\n")
        for source, one in figures.items():
            out.write(_head(source, one, report.info, known.get(source)))
            for piece in cases.read(source):
                out.write(piece)
            out.write("  </testsuite>\n")
    out.write("</testsuites>\n")


@define
class _Figures:
    """What stands above the cases of a suite."""

    tests: int = 0
    failures: int = 0
    errors: int = 0
    skipped: int = 0
    unasserted: int = 0
    duration_ms: int = 0

    def add(self, result: CaseResult) -> None:
        """Count a case."""
        self.tests += 1
        self.failures += result.status == "failed"
        self.errors += result.status in ("error", "timeout")
        self.skipped += result.status == "skipped"
        self.unasserted += not result.case.has_checks
        self.duration_ms += result.duration_ms


def _total(figures: Iterable[_Figures]) -> Mapping[str, str]:
    every = list(figures)
    return {
        "tests": str(sum(one.tests for one in every)),
        "failures": str(sum(one.failures for one in every)),
        "errors": str(sum(one.errors for one in every)),
    }


def _head(source: str, figures: _Figures, info: RunInfo, suite: SuiteInfo | None) -> str:
    attributes = {
        "name": source or "assay",
        **_total([figures]),
        "skipped": str(figures.skipped),
        "time": seconds(figures.duration_ms),
        # Readers disagree on time zones: it is UTC, and not said.
        "timestamp": info.started_at.removesuffix("Z"),
    }
    if suite is not None and suite.file is not None:
        attributes["file"] = suite.file
    lines = [f"  {start('testsuite', attributes)}", "    <properties>"]
    for name, value in _properties(figures, info, suite):
        lines.append(f"      {empty('property', {'name': name, 'value': value})}")
    return "\n".join([*lines, "    </properties>", ""])


def _properties(
    figures: _Figures, info: RunInfo, suite: SuiteInfo | None
) -> Iterator[tuple[str, str]]:
    if suite is not None:
        yield "agent", suite.agent.name
        if suite.agent.connector is not None:
            yield "connector", suite.agent.connector
        yield "user", suite.environment.user_id
        yield "team", suite.environment.team_id
        yield "locale", suite.environment.locale
        if suite.info is not None and suite.info.replayed is not None:
            yield "replayed", suite.info.replayed
        if suite.runs_per_case > 1:
            yield "runs", str(suite.runs_per_case)
    if figures.unasserted:
        yield "unasserted", str(figures.unasserted)
    if info.command is not None:
        yield "command", info.command
    yield "version", f"assay {info.version}"
