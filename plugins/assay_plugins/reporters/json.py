"""The ``json`` reporter: a whole run as one JSON object."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, ClassVar

from assay import hookimpl, to_json
from assay.jsonvalue import dumps, indented

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay import CaseResult, PageReporter, Report

_FIRST = ("id", "status", "input", "output", "expected", "duration_ms", "error")
"""Keys that every result has, null where there is nothing, in this order."""


class Json:
    """Writes ``{summary, environment, results, skipped, metadata}``, a case a line.

    The text is valid JSON, and in pieces: a run of any length is never held.
    """

    name: ClassVar[str] = "json"
    suffixes: ClassVar[tuple[str, ...]] = (".json",)

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the report."""
        info = report.info
        start = to_json(info)
        summary = to_json(report.summary)
        del summary["type"]
        metadata: dict[str, object] = {
            "started_at": info.started_at,
            "completed_at": report.summary.completed_at,
            "version": info.version,
        }
        if info.replayed:
            metadata["replayed"] = list(info.replayed)
        for key in ("command", "parallel"):
            if key in start:
                metadata[key] = start[key]
        out.write(f'{{\n"summary": {dumps(summary)},\n')
        out.write(f'"environment": {dumps(to_json(info.environment))},\n')
        _write_list(out, "results", (_result(result) for result in report.results))
        # Reading all results again is only worth it when there are any to be found.
        skipped = report.skipped if report.summary.counts.skipped else ()
        _write_list(out, "skipped", (_skipped(result) for result in skipped))
        out.write(f'"metadata": {dumps(metadata)}\n}}\n')

    def write_case(self, result: CaseResult, out: IO[str]) -> None:
        """Write a single case, indented."""
        out.write(indented(_result(result)) + "\n")


def _write_list(out: IO[str], name: str, items: Iterable[dict[str, object]]) -> None:
    out.write(f'"{name}": [')
    separator = "\n"
    for item in items:
        out.write(separator + dumps(item))
        separator = ",\n"
    out.write("],\n" if separator == "\n" else "\n],\n")


def _result(result: CaseResult) -> dict[str, object]:
    line = to_json(result)
    del line["type"]
    return {key: line.pop(key, None) for key in _FIRST} | line


def _skipped(result: CaseResult) -> dict[str, object]:
    return {"id": result.case.id, "reason": result.reason, "suite": result.suite}


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter]]:
    """Offer ``json``."""
    return [Json]
