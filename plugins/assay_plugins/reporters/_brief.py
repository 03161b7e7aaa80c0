"""A run as a page of Markdown of bounded length: a comment, a step summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, Final

from assay.duration import format_ms
from assay_plugins.reporters._facts import (
    CLASS_NAMES,
    STATUS_NAMES,
    counts_phrase,
    flakiness,
    percent,
    reason,
    verdict,
)
from assay_plugins.reporters._first import FirstTexts
from assay_plugins.reporters._markdown import aligned_table, heading, table_row
from assay_plugins.reporters._room import Page
from assay_plugins.reporters._sections import SectionView
from assay_plugins.reporters._totals import SUITE_COLUMNS, metrics, suite_row

if TYPE_CHECKING:
    from assay import CaseResult, RunInfo, Stability, Summary

_VIEW: Final = SectionView(checks=5, message=500, value=1_000, text=1_500)
_ROWS: Final = 200
"""Cases that did not pass and have a row."""
_SECTIONS: Final = 100
"""Cases that did not pass and have a section."""
_FLAKIEST: Final = 10
_SKIPPED: Final = 20
_SUITES: Final = 50
_CELL: Final = 200
"""Characters of a cell."""
_SHARE: Final = 4
"""A section takes a fourth of the page at most: a longer one would keep the others out."""
_FLAKY_COLUMNS: Final = ("Case", "Passed", "Pass Rate", "Class", "Consistency")
_FAILED_COLUMNS: Final = ("Case", "Where", "Status", "Reason")
_SKIPPED_COLUMNS: Final = ("Case", "Where", "Reason")
_ICONS: Final = {"PASSED": "✅", "FAILED": "❌", "STOPPED": "⚠️"}


class Brief:
    """Collects what a short page shows of a run. Cases may come in any order: the page is the same.

    Args:
        info: How the run was started.
        most: Bytes of the page, as UTF-8; at least 32,000.
    """

    def __init__(self, info: RunInfo, most: int) -> None:
        self._info = info
        self._most = most
        self._rows = FirstTexts(most=_ROWS, room=most)
        self._sections = FirstTexts(most=_SECTIONS, room=most)
        self._skipped = FirstTexts(most=_SKIPPED, room=most)
        self._flakiest: list[tuple[tuple[float, float], int, str]] = []

    def add(self, result: CaseResult) -> None:
        """Take in a case. One that passed and does not waver costs next to nothing."""
        if result.status == "skipped":
            _offer(self._skipped, result, _skipped_row)
            return
        if result.status != "passed":
            _offer(self._rows, result, _failed_row)
            _offer(self._sections, result, self._section)
        if result.several and result.stability is not None:
            self._add_flaky(result, result.stability)

    def page(self, summary: Summary, most: int | None = None) -> str:
        """Give the page: the figures, a row per case, and sections as far as there is room.

        Args:
            summary: How the run ended.
            most: Bytes, where there are fewer than was thought.
        """
        page = Page(most or self._most)
        page.put(_head(self._info, summary))
        suites = summary.suites if len(summary.suites) > 1 else ()
        rows = [table_row(suite_row(suite), _CELL) for suite in suites[:_SUITES]]
        page.put_table("Suites", SUITE_COLUMNS, rows, len(suites))
        flakiest = [row for _, _, row in sorted(self._flakiest, reverse=True)]
        page.put_table("Flakiest", _FLAKY_COLUMNS, flakiest, len(flakiest))
        failed, skipped = self._rows, self._skipped
        page.put_table("Not Passed", _FAILED_COLUMNS, failed.texts(), failed.count)
        page.put_table("Skipped", _SKIPPED_COLUMNS, skipped.texts(), skipped.count)
        page.put_sections("Details", self._sections.texts(), self._sections.count)
        return page.text

    def _section(self, result: CaseResult) -> str:
        text = "\n".join(_VIEW.lines(result))
        if len(text.encode()) * _SHARE <= self._most:
            return text
        return "\n".join([*_VIEW.head(result), "*Too long to be shown here.*", ""])

    def _add_flaky(self, result: CaseResult, figures: Stability) -> None:
        degree = flakiness(figures)
        place = -result.index
        if not degree[0]:
            return
        if len(self._flakiest) < _FLAKIEST:
            heappush(self._flakiest, (degree, place, _flaky_row(result, figures)))
        elif (degree, place) > self._flakiest[0][:2]:
            heappushpop(self._flakiest, (degree, place, _flaky_row(result, figures)))


def _offer(texts: FirstTexts, result: CaseResult, make: Callable[[CaseResult], str]) -> None:
    if texts.wants(result.index):
        texts.add(result.index, make(result))
    else:
        texts.pass_over()


def _head(info: RunInfo, summary: Summary) -> Iterator[str]:
    yield from heading(1, "Agent Test Report")
    word = verdict(summary)
    time = format_ms(summary.duration_ms)
    mark = ", replayed" if info.replayed else ""
    yield from (f"{_ICONS[word]} **{word}**: {counts_phrase(summary.counts)} in {time}{mark}", "")
    yield from heading(2, "Summary")
    yield from aligned_table(("Metric", "Value"), metrics(info, summary))


def _failed_row(result: CaseResult) -> str:
    case = result.case
    cells = (case.id, str(case.where), STATUS_NAMES[result.status], reason(result))
    return table_row(cells, _CELL)


def _skipped_row(result: CaseResult) -> str:
    return table_row((result.case.id, str(result.case.where), reason(result)), _CELL)


def _flaky_row(result: CaseResult, figures: Stability) -> str:
    cells = (
        result.case.id,
        f"{figures.passed} of {figures.runs}",
        percent(figures.pass_rate),
        CLASS_NAMES[figures.stability_class],
        f"{figures.consistency:.2f}",
    )
    return table_row(cells, _CELL)
