"""The ``csv`` reporter: a row per case, for spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, ClassVar

from attrs import frozen

from assay import hookimpl

if TYPE_CHECKING:
    from assay import PageReporter, Report, StreamReporter


class Csv:
    """Writes comma-separated values as RFC 4180 has them: a header, then a row per case.

    No text is a formula: an apostrophe stands before what a spreadsheet would take for the
    beginning of one. Long texts are cut; the JSON reports hold them whole.
    """

    name: ClassVar[str] = "csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    @frozen(kw_only=True)
    class Settings:
        """What can be set."""

        bom: bool = False
        """Whether a byte order mark stands at the beginning: Excel knows UTF-8 by it."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or Csv.Settings()

    def write(self, report: Report, out: IO[str]) -> None:
        """Write the rows, in case order."""
        from assay_plugins.reporters.csv.rows import write_rows

        if self._settings.bom:
            out.write("\ufeff")
        write_rows(report, out)


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``csv``."""
    return [Csv]
