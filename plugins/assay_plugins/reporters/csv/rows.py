"""The rows of the ``csv`` reporter, with no formula among their texts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Final

from assay import ABSENT
from assay.escape import terminal
from assay.jsonvalue import compact
from assay_plugins.reporters._facts import input_of, reason
from assay_plugins.reporters._pretty import newlines

if TYPE_CHECKING:
    from assay import CaseResult, Report

_COLUMNS: Final = (
    "suite", "id", "status", "reason", "duration_ms", "runs", "passed", "pass_rate", "consistency",
    "stability", "unasserted", "tags", "agent", "connector", "file", "line", "input", "expected",
    "output", "replayed",
)  # fmt: skip
_MOST: Final = 16_000
"""Characters of a cell: Excel takes 32,767, and counts some of them twice."""
# Where a list separator is a semicolon, files with commas are cut at semicolons, tabs and line
# ends, quoted or not: what comes behind these can be the beginning of a cell too.
_BEGINNING: Final = r"""(?=(?:[^\S\n\t]|["'])*[=+\-@＝＋－＠])"""
_FORMULA: Final = re.compile(_BEGINNING)
_FORMULA_BEHIND: Final = re.compile(rf"[\n\t;]{_BEGINNING}")


def write_rows(report: Report, out: IO[str]) -> None:
    """Write the header and the rows, in case order."""
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    connectors = {suite.source: suite.agent.connector for suite in report.info.suites}
    for result in report.cases:
        writer.writerow(map(_cell, _row(result, connectors.get(result.suite))))


def _row(result: CaseResult, connector: str | None) -> Iterator[object]:
    case = result.case
    figures = result.stability
    shown = result.shown
    yield from (result.suite, case.id, result.status, reason(result))
    yield result.duration_ms
    if figures is None:
        yield from (ABSENT, ABSENT, ABSENT)
    else:
        yield from (figures.runs, figures.passed, figures.pass_rate)
    if figures is None or not result.several:
        yield from (ABSENT, ABSENT)
    else:
        yield from (figures.consistency, figures.stability_class)
    yield ABSENT if case.has_checks else "unasserted"
    yield " ".join(case.tags)
    yield from (result.agent_id, connector or ABSENT)
    yield from (case.where.file, ABSENT if case.where.line is None else case.where.line)
    yield from (input_of(case), case.expected, ABSENT if shown is None else shown.output)
    yield "replayed" if result.replayed else ABSENT


def _cell(value: object) -> str:
    if value is ABSENT:
        return ""
    text = value if isinstance(value, str) else compact(value)
    safe = terminal(newlines(text[: _MOST + 1]))
    if len(safe) > _MOST:
        safe = safe[: _MOST - 1] + "…"
    safe = _FORMULA_BEHIND.sub(r"\g<0>'", safe)
    return f"'{safe}" if _FORMULA.match(safe) else safe
