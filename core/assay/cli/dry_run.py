"""What a run would do, without doing it."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from assay.cases.spool import Spool
from assay.duration import format_seconds
from assay.escape import one_line
from assay.jsonvalue import dumps
from assay.planning import prepare

if TYPE_CHECKING:
    from assay.cases.plan import PlannedSuite
    from assay.model.case import Case
    from assay.planning import Invocation


def show_plan(invocation: Invocation, out: IO[str], *, as_json: bool) -> None:
    """List the cases that would run, suite by suite.

    Raises:
        ConfigError: With every fault of the cases.
    """
    spool = Spool()
    try:
        plan = prepare(invocation, spool).plan
        for planned in plan.suites:
            if not as_json:
                _show_suite(planned, out)
            for _, case in planned.cases():
                if as_json:
                    out.write(dumps(_as_json(planned, case)) + "\n")
                else:
                    _show_case(case, out)
        if not as_json:
            skipped = sum(planned.scan.skipped for planned in plan.suites)
            parts = [f"{_cases(plan.total - skipped)} would run"]
            parts += [f"{skipped} skipped"] if skipped else []
            parts += [f"{plan.deselected} left out"] if plan.deselected else []
            out.write(f"{', '.join(parts)}; no agent was asked\n")
    finally:
        spool.close()


def _show_suite(planned: PlannedSuite, out: IO[str]) -> None:
    settings = planned.settings
    runs = f", {settings.runs} runs each" if settings.runs > 1 else ""
    out.write(
        f"{one_line(planned.suite.key)}: {_cases(planned.scan.selected)}{runs}, agent"
        f" {one_line(planned.agent.name)} over {planned.agent.transport}\n"
    )
    needs = planned.needs
    for reference, found in needs.scripts.items():
        out.write(f"  needs script {one_line(reference)} ({found.label})\n")
    for reference, agent in needs.agents.items():
        out.write(f"  needs agent {one_line(reference)} over {agent.transport}\n")
    for reference in needs.files:
        out.write(f"  needs file {one_line(reference)}\n")


def _show_case(case: Case, out: IO[str]) -> None:
    notes = [", ".join(check.type for check in case.checks) or "no checks"]
    if case.skip:
        notes.append("skipped")
    if case.timeout is not None:
        notes.append(f"timeout {format_seconds(case.timeout)}")
    notes += [f"#{tag}" for tag in case.tags]
    out.write(f"  {one_line(case.id)}  {one_line('; '.join(notes))}\n")


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _as_json(planned: PlannedSuite, case: Case) -> dict[str, object]:
    return {
        "type": "case",
        "id": case.id,
        "suite": planned.suite.key,
        "agent_id": planned.agent.name,
        "runs": planned.settings.runs,
        "skip": case.skip,
        "file": case.where.file,
        "line": case.where.line,
    }
