"""Writes the reports of a run that cannot come to its own end, from its journal.

A watchdog calls it in a thread of its own; the thread of the run stands still meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, evolve

from assay.errors import ExitCode
from assay.journal.write import WRITING
from assay.reports.feed import FEEDING
from assay.reports.pages import write_pages

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.account import Account
    from assay.equipment import Equipment
    from assay.journal.write import Journal
    from assay.model.report import RunInfo, Summary
    from assay.reports.choose import Choice
    from assay.reports.feed import Feed
    from assay.running.stop import Stop
    from assay.running.watch import Stage
    from assay.surroundings import Surroundings


@define(kw_only=True)
class Rescue:
    """What is known of a run that stands still."""

    choice: Choice
    journal: Journal
    feed: Feed
    account: Account
    info: RunInfo
    stop: Stop
    equipment: Equipment
    around: Surroundings

    def __call__(self, reason: str, stage: Stage | None, tell: Callable[[str], None]) -> None:
        """Write how the run ended, and all reports but one that itself stands still.

        Args:
            reason: Why the run ends.
            stage: What stands still.
            tell: Tells in one sentence what a user should know.
        """
        if self.stop.reason is None:
            self.stop.reason = reason
            self.stop.exit_code = self.stop.exit_code or ExitCode.RUNTIME
        code = self.stop.exit_code or ExitCode.RUNTIME
        summary = self._summary()
        if stage is not None and stage.what == WRITING:
            # Whoever reads standard output may have stopped reading.
            self.journal.mute()
        written = self.journal.finish(summary, code)
        pages = write_pages(
            [page for page in self.choice.pages if stage is None or page.stage != stage.what],
            self.journal.report(),
            settings=self.equipment.reporter,
            redact=self.equipment.text_masker(),
            stdout=self.around.stdout,
        )
        is_whole = len(pages.paths) == len(self.choice.pages) and self.choice.agent is None
        paths = [*map(self.around.shown, self.journal.paths), *pages.paths]
        kept = self.around.shown(self.journal.path)
        self.journal.close(keep=not is_whole)
        for problem in pages.problems:
            tell(problem)
        if not is_whole:
            tell(f"not all reports could be written; {kept} holds the results")
        # Last, when all is written: one that stands still holds what it needs to be told anything.
        if stage is None or not stage.what.startswith(FEEDING):
            self.feed.finish(written)
            self.feed.written(paths)

    def _summary(self) -> Summary:
        """Say how the run ended, and how far it came: the rest has no line that says so."""
        summary = self.account.summary(self.info, self.stop)
        done, planned = summary.counts.total, self.info.total_cases
        if done == planned:
            return summary
        return evolve(
            summary, stopped=f"{summary.stopped}; {done} of {planned} cases have a result"
        )
