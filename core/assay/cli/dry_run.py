"""What a run would do, without doing it."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from assay.cases.spool import Spool
from assay.duration import format_seconds
from assay.escape import one_line
from assay.jsonvalue import dumps
from assay.planning import prepare

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.cases.plan import PlannedSuite
    from assay.model.case import Case
    from assay.planning import Invocation, Prepared


def show_plan(invocation: Invocation, out: IO[str], *, as_json: bool) -> None:
    """List the cases that would run, suite by suite.

    Of an earlier run that goes on, only what is still to be done is listed.

    Raises:
        ConfigError: With every fault of the cases.
    """
    spool = Spool()
    try:
        prepared = prepare(invocation, spool)
        listed = skipped = 0
        for planned in prepared.plan.suites:
            if not as_json:
                _show_suite(planned, out)
            for case, numbers in _still_to_do(prepared, planned):
                listed += 1
                skipped += case.skip
                if as_json:
                    out.write(dumps(_as_json(planned, case, numbers)) + "\n")
                else:
                    _show_case(case, out, numbers if len(numbers) < planned.settings.runs else ())
        if not as_json:
            _show_end(prepared, listed, skipped, out)
    finally:
        spool.close()


def _still_to_do(prepared: Prepared, planned: PlannedSuite) -> Iterator[tuple[Case, Sequence[int]]]:
    """Give the cases of a suite that would run, each with the numbers of its attempts."""
    runs = planned.settings.runs
    resumed = prepared.resumed
    for index, case in planned.cases():
        if resumed is None:
            yield case, range(1, runs + 1)
            continue
        begun = resumed.begin(index, runs)
        if begun is not None and (begun.numbers or case.skip):
            yield case, begun.numbers


def _show_end(prepared: Prepared, listed: int, skipped: int, out: IO[str]) -> None:
    plan, resumed = prepared.plan, prepared.resumed
    if resumed is not None:
        for remark in (resumed.standing(plan.total), *resumed.remarks()):
            out.write(f"{one_line(remark)}\n")
    parts = [f"{_cases(listed - skipped)} would run"]
    parts += [f"{skipped} skipped"] if skipped else []
    parts += [f"{plan.deselected} left out"] if plan.deselected else []
    out.write(f"{', '.join(parts)}; no agent was asked\n")


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


def _show_case(case: Case, out: IO[str], numbers: Sequence[int]) -> None:
    """Show a case, and which of its attempts would be carried out, unless all are."""
    notes = [", ".join(check.type for check in case.checks) or "no checks"]
    if numbers:
        notes.append(f"run {', '.join(map(str, numbers))}")
    if case.skip:
        notes.append("skipped")
    if case.timeout is not None:
        notes.append(f"timeout {format_seconds(case.timeout)}")
    notes += [f"#{tag}" for tag in case.tags]
    out.write(f"  {one_line(case.id)}  {one_line('; '.join(notes))}\n")


def _cases(count: int) -> str:
    return "1 case" if count == 1 else f"{count} cases"


def _as_json(planned: PlannedSuite, case: Case, numbers: Sequence[int]) -> dict[str, object]:
    return {
        "type": "case",
        "id": case.id,
        "suite": planned.suite.key,
        "agent_id": planned.agent.name,
        "runs": len(numbers),
        "skip": case.skip,
        "file": case.where.file,
        "line": case.where.line,
    }
