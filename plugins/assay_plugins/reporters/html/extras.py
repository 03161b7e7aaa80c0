"""What the page shows of a result and cannot make itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay import ABSENT
from assay_plugins.reporters._diff import DiffLine, diff
from assay_plugins.reporters._facts import evidence, outputs

if TYPE_CHECKING:
    from assay import Attempt, CaseResult, CheckResult
    from assay_plugins.reporters.html.rendered import Renderer

_MAX_CHECKS = 50
"""Failed checks of a case that get a diff."""
_MAX_OUTPUTS = 50
"""Distinct outputs of a case that are shown side by side."""


def extras(result: CaseResult, renderer: Renderer) -> dict[str, object]:
    """Give what stands beside the JSON of a result.

    Returns:
        ``keys``: the keys of the case as written. ``outputs``: its distinct outputs, the most
        frequent first, each with the ``runs`` that gave it and its ``html``, if it is Markdown.
        ``checks``: by ``run.check`` (both numbers from 0), what a failed check shows: ``diff``,
        or that it shows ``expected`` and ``actual``.
    """
    made: dict[str, object] = {"keys": list(result.case.raw)}
    found: list[dict[str, object]] = []
    groups, others = outputs(result, _MAX_OUTPUTS)
    for group in groups:
        entry: dict[str, object] = {"runs": list(group.runs)}
        html = renderer.html(group.value, result)
        if html is not None:
            entry["html"] = html
        found.append(entry)
    if found:
        made["outputs"] = found
    if others:
        made["others"] = others
    checks = _checks(result)
    if checks:
        made["checks"] = checks
    return made


def _checks(result: CaseResult) -> dict[str, object]:
    made: dict[str, object] = {}
    for run, attempt in enumerate(result.attempts):
        for number, check in enumerate(attempt.verdicts):
            if check.passed or len(made) == _MAX_CHECKS:
                continue
            shown = _shown(check, attempt)
            if shown:
                made[f"{run}.{number}"] = shown
    return made


def _shown(check: CheckResult, attempt: Attempt) -> dict[str, object]:
    values = evidence(check, attempt)
    if values.is_comparison:
        lines = diff(values.expected, values.actual)
        return {"diff": [_line(line) for line in lines]}
    sides = {"expected": values.expected, "actual": values.actual}
    return {side: True for side, value in sides.items() if value is not ABSENT}


def _line(line: DiffLine) -> list[str]:
    if line.mark is None:
        return [line.side, line.text]
    start, end = line.mark
    return [line.side, line.text[:start], line.text[start:end], line.text[end:]]
