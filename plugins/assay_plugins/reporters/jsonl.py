"""The ``jsonl`` reporter: the lines of a run, one JSON object each."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, ClassVar, cast

from assay import hookimpl, to_json
from assay.jsonvalue import dumps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay import CaseResult, PageReporter, Report


class Jsonl:
    """Writes a run as lines: how it started, what became of each case, how it ended.

    A run writes such lines itself, as they happen; this class writes them again.
    """

    name: ClassVar[str] = "jsonl"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)
    journal: ClassVar[bool] = True
    """Tells core that its own lines, in the file, are this report."""

    def __init__(self, settings: None = None) -> None:
        pass

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the lines in case order; those of attempts stand before their case."""
        out.write(dumps(to_json(report.info)) + "\n")
        for result in report.cases:
            for line in _lines(result):
                out.write(dumps(line) + "\n")
        summary = {**to_json(report.summary), "exit_code": report.exit_code}
        out.write(dumps(summary) + "\n")


def _lines(result: CaseResult) -> Iterator[dict[str, object]]:
    line = to_json(result)
    if result.several:
        place = {key: line[key] for key in ("id", "suite", "index")}
        for detail in cast("list[dict[str, object]]", line.get("run_details", [])):
            yield {"type": "attempt", **place, **detail, "hash": line["hash"]}
    yield line


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter]]:
    """Offer ``jsonl``."""
    return [Jsonl]
