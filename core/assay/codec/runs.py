"""How a run started and ended as JSON and back: the ``start`` and ``summary`` lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from assay.codec.answers import agent_info_from_json, agent_info_to_json
from assay.codec.narrow import (
    flag,
    integer,
    integer_or_none,
    number,
    table,
    tables,
    text,
    text_or,
    text_or_none,
)
from assay.codec.wire import environment_from_json, environment_to_json
from assay.model.case import AgentRef
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import Counts, SuiteSummary

if TYPE_CHECKING:
    from assay.codec.narrow import Line

FORMAT: Final = 1
"""Of the lines. Grows when older versions would misread them."""


def run_info_to_json(info: RunInfo) -> dict[str, object]:
    """Write the ``start`` line of a run."""
    line: dict[str, object] = {
        "type": "start",
        "timestamp": info.started_at,
        "agent_id": info.agent_id,
        "total_cases": info.total_cases,
        "format": FORMAT,
        "version": info.version,
        "connector": info.connector,
        "runs_per_case": info.runs_per_case,
        "parallel": info.parallel,
        "deselected": info.deselected,
        "environment": environment_to_json(info.environment),
        "suites": [suite_info_to_json(suite) for suite in info.suites],
    }
    if info.filters:
        line["filters"] = info.filters
    if info.shard is not None:
        line["shard"] = info.shard
    if info.command is not None:
        line["command"] = info.command
    if info.verbose:
        line["verbose"] = True
    return line


def run_info_from_json(line: Line) -> RunInfo:
    """Read a ``start`` line.

    Raises:
        ValueError: It is none; so for all functions of this module.
    """
    return RunInfo(
        started_at=text(line, "timestamp"),
        suites=tuple([suite_info_from_json(suite) for suite in tables(line, "suites")]),
        total_cases=integer(line, "total_cases"),
        command=text_or_none(line, "command"),
        version=text_or(line, "version", ""),
        deselected=integer(line, "deselected", 0),
        filters=text_or(line, "filters", ""),
        shard=text_or_none(line, "shard"),
        verbose=flag(line, "verbose"),
        parallel=integer(line, "parallel", 1),
    )


def suite_info_to_json(suite: SuiteInfo) -> dict[str, object]:
    """Write an entry of ``suites`` of a ``start`` line: the suite and the agent it tests.

    ``base`` of the agent is left out: no report shows it, and it is a path of one machine.
    """
    agent = suite.agent
    line: dict[str, object] = {
        "source": suite.source,
        "agent_id": agent.name,
        "connector": agent.connector,
        "transport": agent.transport,
        "target": agent.target,
        "total_cases": suite.total_cases,
        "runs_per_case": suite.runs_per_case,
        "min_pass_rate": suite.min_pass_rate,
        "environment": environment_to_json(suite.environment),
    }
    if suite.deselected:
        line["deselected"] = suite.deselected
    if suite.file is not None:
        line["file"] = suite.file
    if agent.title is not None:
        line["title"] = agent.title
    if agent.description is not None:
        line["description"] = agent.description
    for key, path in (("path", agent.path), ("root", agent.root)):
        if path is not None:
            line[key] = str(path)
    if suite.info is not None:
        line["info"] = agent_info_to_json(suite.info)
    return line


def suite_info_from_json(line: Line) -> SuiteInfo:
    """Read an entry of ``suites`` of a ``start`` line."""
    agent = AgentRef(
        transport=text(line, "transport"),
        target=text(line, "target"),
        name=text(line, "agent_id"),
        title=text_or_none(line, "title"),
        description=text_or_none(line, "description"),
        path=_path(line, "path"),
        root=_path(line, "root"),
        connector=text_or_none(line, "connector"),
    )
    return SuiteInfo(
        source=text(line, "source"),
        agent=agent,
        info=agent_info_from_json(line.get("info")),
        environment=environment_from_json(table(line, "environment")),
        total_cases=integer(line, "total_cases", 0),
        runs_per_case=integer(line, "runs_per_case", 1),
        min_pass_rate=number(line, "min_pass_rate"),
        file=text_or_none(line, "file"),
        deselected=integer(line, "deselected", 0),
    )


def _path(line: Line, key: str) -> Path | None:
    value = text_or_none(line, key)
    return None if value is None else Path(value)


def summary_to_json(summary: Summary) -> dict[str, object]:
    """Write the ``summary`` line of a run."""
    counts = summary.counts
    line: dict[str, object] = {
        "type": "summary",
        "total": counts.total,
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
        "duration_ms": summary.duration_ms,
        "agent_id": summary.agent_id,
        "connector": summary.connector,
        "runs_per_case": summary.runs_per_case,
    }
    _add_counts(line, counts)
    line["deselected"] = summary.deselected
    if summary.stopped is not None:
        line["stopped"] = summary.stopped
    line["suites"] = [suite_summary_to_json(suite) for suite in summary.suites]
    line["completed_at"] = summary.completed_at
    return line


def summary_from_json(line: Line) -> Summary:
    """Read a ``summary`` line."""
    return Summary(
        counts=counts_from_json(line),
        duration_ms=integer(line, "duration_ms"),
        agent_id=text_or_none(line, "agent_id"),
        connector=text_or_none(line, "connector"),
        runs_per_case=integer_or_none(line, "runs_per_case"),
        deselected=integer(line, "deselected", 0),
        stopped=text_or_none(line, "stopped"),
        suites=tuple([suite_summary_from_json(suite) for suite in tables(line, "suites")]),
        completed_at=text_or(line, "completed_at", ""),
    )


def suite_summary_to_json(suite: SuiteSummary) -> dict[str, object]:
    """Write an entry of ``suites`` of a summary: the names of the summary, flat."""
    counts = suite.counts
    line: dict[str, object] = {
        "source": suite.source,
        "agent_id": suite.agent_id,
        "connector": suite.connector,
        "total": counts.total,
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
    }
    _add_counts(line, counts)
    return line


def suite_summary_from_json(line: Line) -> SuiteSummary:
    """Read an entry of ``suites`` of a summary."""
    return SuiteSummary(
        source=text(line, "source"),
        agent_id=text(line, "agent_id"),
        connector=text_or_none(line, "connector"),
        counts=counts_from_json(line),
    )


def counts_to_json(counts: Counts) -> dict[str, object]:
    """Write counts alone."""
    line: dict[str, object] = {
        "total": counts.total,
        "passed": counts.passed,
        "failed": counts.failed,
        "skipped": counts.skipped,
    }
    _add_counts(line, counts)
    return line


def counts_from_json(line: Line) -> Counts:
    """Read the counts of a line."""
    return Counts(
        total=integer(line, "total"),
        passed=integer(line, "passed"),
        failed=integer(line, "failed"),
        skipped=integer(line, "skipped", 0),
        errors=integer(line, "errors", 0),
        timeouts=integer(line, "timeouts", 0),
        unasserted=integer(line, "unasserted", 0),
        total_runs=integer(line, "total_runs", 0),
        passed_runs=integer(line, "passed_runs", 0),
        stable_cases=integer(line, "stable_cases", 0),
        unstable_cases=integer(line, "unstable_cases", 0),
    )


def _add_counts(line: dict[str, object], counts: Counts) -> None:
    line["errors"] = counts.errors
    line["timeouts"] = counts.timeouts
    line["unasserted"] = counts.unasserted
    line["pass_rate"] = counts.pass_rate
    line["overall_pass_rate"] = counts.overall_pass_rate
    line["total_cases"] = counts.total
    line["total_runs"] = counts.total_runs
    line["passed_runs"] = counts.passed_runs
    line["stable_cases"] = counts.stable_cases
    line["unstable_cases"] = counts.unstable_cases
