"""The answer to a direct message, on stdout."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TextIO

from assay.escape import terminal
from assay.jsonvalue import dumps
from assay.model.message import ABSENT

if TYPE_CHECKING:
    from assay.model.report import Report


def show_answer(report: Report, out: TextIO) -> None:
    """Write what the agent answered: Markdown rendered on a terminal, else as it is, or JSON.

    Nothing is written when there was no answer: the error is told on stderr.
    """
    for result in report.cases:
        attempt = result.shown
        if attempt is not None and attempt.output is not ABSENT:
            _show(attempt.output, out)


def _show(output: object, out: TextIO) -> None:
    if not isinstance(output, str):
        text = json.dumps(output, ensure_ascii=False, indent=2) if out.isatty() else dumps(output)
        out.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
    elif out.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console(file=out).print(Markdown(terminal(output), hyperlinks=False))
    else:
        out.write(output if output.endswith("\n") else output + "\n")
