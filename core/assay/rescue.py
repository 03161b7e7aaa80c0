"""Writes the reports of a run that cannot come to its own end, from its journal.

A watchdog calls it in a thread of its own; the thread of the run stands still meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define

from assay.errors import ExitCode
from assay.reports.feed import FEEDING
from assay.reports.pages import write_pages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.account import Account
    from assay.engine import Surroundings
    from assay.equipment import Equipment
    from assay.journal.write import Journal
    from assay.model.report import RunInfo
    from assay.reports.choose import Choice
    from assay.reports.feed import Feed
    from assay.running.stop import Stop
    from assay.running.watch import Stage


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
    shown: Callable[[Path], str]
    """Names a file as a user would."""

    def __call__(self, reason: str, stage: Stage | None) -> None:
        """Write how the run ended, and all reports but one that itself stands still.

        Args:
            reason: Why the run ends.
            stage: What stands still.
        """
        if self.stop.reason is None:
            self.stop.reason = reason
            self.stop.exit_code = self.stop.exit_code or ExitCode.RUNTIME
        code = self.stop.exit_code or ExitCode.RUNTIME
        summary = self.account.summary(self.info, self.stop)
        written = self.journal.finish(summary, code)
        # A reporter that stands still holds what it needs to be told anything.
        is_fed = stage is None or not stage.what.startswith(FEEDING)
        if is_fed:
            self.feed.finish(written)
        masker = self.equipment.masker()
        pages = write_pages(
            [page for page in self.choice.pages if stage is None or page.stage != stage.what],
            self.journal.report(),
            settings=self.equipment.reporter,
            redact=masker.text if masker is not None else str,
            stdout=self.around.stdout,
        )
        for problem in pages.problems:
            self.around.tell(problem)
        if is_fed:
            paths = [self.shown(path) for path in self.journal.paths]
            self.feed.written([*paths, *pages.paths])
        is_whole = len(pages.paths) == len(self.choice.pages)
        if not is_whole:
            self.around.tell(f"{self.shown(self.journal.path)} holds the results")
        self.journal.close(keep=not is_whole)
