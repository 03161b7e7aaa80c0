"""The ``terminal`` reporter: a run as it happens, on a terminal or in a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from assay import hookimpl

if TYPE_CHECKING:
    from assay import (
        Attempt,
        CaseResult,
        PageReporter,
        ReportContext,
        RunInfo,
        StreamReporter,
        Summary,
    )


class Terminal:
    """Shows progress, cases that did not pass, and the totals, on standard error.

    On a terminal a live line says how far the run has come. In a log, where nothing can be
    redrawn, a line of progress comes about twenty times per run, by count, so that the same
    results give the same log. ``-v`` shows every case, ``-q`` only the verdict.
    """

    name: ClassVar[str] = "terminal"

    def __init__(self, context: ReportContext, settings: None) -> None:
        from assay_plugins.reporters.terminal.show import Show

        self._show = Show(context)

    @classmethod
    def wanted(cls, environ: Mapping[str, str]) -> bool:
        """Always on by itself; ``-p no:reporter.terminal`` takes it out."""
        return True

    def start(self, info: RunInfo) -> None:
        """Say what will run, and show the live line."""
        self._show.start(info)

    def attempt(self, result: CaseResult, attempt: Attempt) -> None:
        """Count it."""
        self._show.attempt(result)

    def result(self, result: CaseResult) -> None:
        """Show a case that did not pass, and with ``-v`` any case."""
        self._show.result(result)

    def finish(self, summary: Summary) -> None:
        """Take the live line away; say what the whole run gave."""
        self._show.finish(summary)

    def written(self, paths: Sequence[str]) -> None:
        """Say where the reports are."""
        self._show.written(paths)

    def close(self) -> None:
        """Take the live line away, when the run broke off."""
        self._show.close()


@hookimpl
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer ``terminal``."""
    return [Terminal]
