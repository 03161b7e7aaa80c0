"""The answer to a direct message, on stdout; what is wrong with it, on stderr."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING

from assay.absent import ABSENT
from assay.escape import terminal, workflow
from assay.jsonvalue import dumps

if TYPE_CHECKING:
    from assay.model.report import Report
    from assay.model.result import CaseResult


def show_answer(report: Report, out: IO[str], err: IO[str]) -> None:
    """Write what the agent answered: Markdown rendered on a terminal, else as it is, or JSON."""
    for result in report.cases:
        attempt = result.shown
        if attempt is not None and attempt.output is not ABSENT:
            _show(attempt.output, out)
        if result.status != "passed":
            err.write(workflow(terminal(_complaint(result))) + "\n")


def _complaint(result: CaseResult) -> str:
    attempt = result.shown
    why = result.reason if attempt is None else attempt.error
    figures = result.stability
    rate = ""
    if result.several and figures is not None:
        rate = f" ({figures.passed} of {figures.runs} runs passed)"
    return f"{result.status}{rate}: {why}"


def _show(output: object, out: IO[str]) -> None:
    if not isinstance(output, str):
        text = json.dumps(output, ensure_ascii=False, indent=2) if out.isatty() else dumps(output)
        out.write(text + "\n")
    elif out.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=out).print(Markdown(terminal(output), hyperlinks=False))
    else:
        out.write(output if output.endswith("\n") else output + "\n")
