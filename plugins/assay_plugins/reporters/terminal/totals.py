"""The end of a run on a terminal: what failed, what wavered, what was slow, the totals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from attrs import frozen

from assay.duration import format_ms
from assay_plugins.reporters._facts import CLASS_NAMES, amount, counts_phrase, percent, verdict
from assay_plugins.reporters.terminal.text import cells

if TYPE_CHECKING:
    from assay import SuiteSummary, Summary
    from assay_plugins.reporters.terminal.tally import Named, Tally
    from assay_plugins.reporters.terminal.text import Color, Look

_SUITES: Final = 50
"""Suites that get a line of their own."""
_REASONS: Final = 5
_COLORS: Final[Mapping[str, Color]] = {"PASSED": "green", "FAILED": "red", "STOPPED": "yellow"}
_IN_SIGHT: Final = 3
"""So few cases that did not pass are not named again: they stand right above."""


@frozen
class TotalsView:
    """Lays the end of a run out as lines for a terminal."""

    look: Look
    replayed: str | None = None
    """What is to be said of replayed answers, if there are any."""

    def all(self, tally: Tally, summary: Summary) -> list[str]:
        """Everything but the verdict, with an empty line before each part."""
        parts = (
            self._failures(tally),
            self._flakiest(tally.flakiest),
            self._slowest(tally.slowest),
            self._skipped(tally),
            self._suites(summary.suites),
            self._totals(summary),
        )
        lines: list[str] = []
        for part in map(list, parts):
            lines += ["", *part] if part else []
        return [*lines, ""]

    def verdict(self, summary: Summary) -> list[str]:
        """One line for the whole run, if it fits; why it was stopped on a line before it."""
        look = self.look
        counts = summary.counts
        word = verdict(summary)
        color = _COLORS[word]
        time = format_ms(summary.duration_ms)
        if self.replayed is not None:
            time += ", replayed"
        words = f"{counts_phrase(counts)} in {time}"
        if cells(words) > look.width - 9:
            words = f"{counts_phrase(counts, kinds=False)} in {time}"
        first, *others = look.block(words, look.width - 9, 3)
        lines = [f"{look.paint(f'{word:7}', color, 'bold')}  {first}"]
        lines += [f"{'':9}{line}" for line in others]
        if summary.stopped is not None:
            reason = look.line(summary.stopped, look.width - 9)
            lines.insert(0, f"{look.paint('Stopped', 'yellow')}  {reason}")
        return lines

    def _failures(self, tally: Tally) -> Iterator[str]:
        if tally.failed <= _IN_SIGHT:
            return
        look = self.look
        yield self._heading("Not passed")
        names = [look.line(case.id, 20) for case in tally.failures]
        places = [look.line(case.where, 30) for case in tally.failures]
        width, width_of_places = max(map(cells, names)), max(map(cells, places))
        room = look.width - 6 - width - width_of_places
        for name, place, case in zip(names, places, tally.failures, strict=True):
            where = look.paint(_padded(place, width_of_places), "dim")
            reason = look.line(case.reason or case.status, max(room, 10))
            yield f"  {_padded(name, width)}  {where}  {reason}"
        hidden = tally.failed - len(tally.failures)
        if hidden:
            yield f"  {look.marks.more} and {amount(hidden, 'other')}, all in the report"

    def _flakiest(self, cases: Sequence[Named]) -> Iterator[str]:
        if not cases:
            return
        yield self._heading("Flakiest")
        names = [self.look.line(case.id, 24) for case in cases]
        width = max(map(cells, names))
        for name, case in zip(names, cases, strict=True):
            figures = case.stability
            if figures is None:
                continue
            yield (
                f"  {_padded(name, width)}  {figures.passed} of {figures.runs} passed"
                f"  {percent(figures.pass_rate)}  {CLASS_NAMES[figures.stability_class]}"
                f"  consistency {figures.consistency:.2f}"
            )

    def _slowest(self, cases: Sequence[Named]) -> Iterator[str]:
        if not cases:
            return
        yield self._heading("Slowest")
        names = [self.look.line(case.id, 40) for case in cases]
        width = max(map(cells, names))
        for name, case in zip(names, cases, strict=True):
            mark = ", replayed" if case.replayed else ""
            yield f"  {_padded(name, width)}  {format_ms(case.duration_ms)}{mark}"

    def _skipped(self, tally: Tally) -> Iterator[str]:
        if not tally.reasons:
            return
        yield self._heading("Skipped")
        reasons = sorted(tally.reasons.items(), key=lambda item: (-item[1], item[0]))
        for reason, count in reasons[:_REASONS]:
            yield f"  {amount(count, 'case')}: {self.look.line(reason, self.look.width - 20)}"
        others = tally.skipped - sum(count for _, count in reasons[:_REASONS])
        if others:
            yield f"  {amount(others, 'case')} for other reasons"

    def _suites(self, suites: Sequence[SuiteSummary]) -> Iterator[str]:
        if len(suites) < 2:
            return
        look = self.look
        shown, hidden = _worst(suites)
        most = max(look.width - 44, 36)
        folder = ""
        if any(cells(suite.source) > most for suite in shown):
            folder = _shared_folder([suite.source for suite in suites])
        below = f" below {folder}" if folder else ""
        yield self._heading(look.line(f"Suites{below}", look.width))
        names = [look.line(suite.source[len(folder) :], most) for suite in shown]
        width = max(map(cells, names))
        for name, suite in zip(names, shown, strict=True):
            rate = percent(suite.counts.pass_rate)
            words = f"{rate:>6}  {counts_phrase(suite.counts)}"
            yield f"  {_padded(name, width)}  {look.clip(words, look.width - width - 4)}"
        if hidden:
            # Those that are named failed most.
            failing = any(suite.counts.failed for suite in hidden)
            which = "" if failing else ", none with a failure"
            yield f"  {look.marks.more} and {amount(len(hidden), 'other suite')}{which}"

    def _totals(self, summary: Summary) -> Iterator[str]:
        for label, value, color in self._rows(summary):
            text = self.look.line(value, self.look.width - 14)
            yield f"{label:12}{self.look.paint(text, color) if color else text}"

    def _rows(self, summary: Summary) -> Iterator[tuple[str, str, Color | None]]:
        counts = summary.counts
        yield "Agent", summary.agent_id or "(several)", None
        if summary.connector:
            yield "Connector", summary.connector, None
        yield "Total", str(counts.total), None
        yield "Passed", str(counts.passed), "green" if counts.passed else None
        yield "Failed", str(counts.failed), "red" if counts.failed else None
        for label, count, color in (
            ("  Errors", counts.errors, "red"),
            ("  Timeouts", counts.timeouts, "red"),
            ("Skipped", counts.skipped, "yellow"),
        ):
            if count:
                yield label, str(count), "red" if color == "red" else "yellow"
        if counts.unasserted:
            yield "Unasserted", f"{counts.unasserted} (nothing was checked)", "yellow"
        if summary.deselected:
            yield "Left out", f"{summary.deselected} by filters", None
        yield "Pass rate", percent(counts.pass_rate), None
        if counts.total_runs > counts.passed + counts.failed:
            rate = percent(counts.overall_pass_rate)
            yield "Runs", f"{counts.total_runs}, {rate} passed", None
            ran = counts.stable_cases + counts.unstable_cases
            yield "Stable", f"{counts.stable_cases} of {amount(ran, 'case')}", None
        yield "Duration", format_ms(summary.duration_ms), None
        if self.replayed is not None:
            yield "Answers", self.replayed, "yellow"

    def _heading(self, text: str) -> str:
        return self.look.paint(text, "bold")


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _worst(
    suites: Sequence[SuiteSummary],
) -> tuple[Sequence[SuiteSummary], Sequence[SuiteSummary]]:
    """Give the suites to name, and the others: of many, those that failed most, in their order."""
    by_failures = sorted(range(len(suites)), key=lambda at: -suites[at].counts.failed)
    named, others = by_failures[:_SUITES], by_failures[_SUITES:]
    return [suites[at] for at in sorted(named)], [suites[at] for at in others]


def _shared_folder(sources: Sequence[str]) -> str:
    """Give the folder that all files are below, with its slash; empty when there is none."""
    levels = zip(*(source.split("/")[:-1] for source in sources), strict=False)
    return "".join(
        f"{level[0]}/" for level in takewhile(lambda names: len(set(names)) == 1, levels)
    )
