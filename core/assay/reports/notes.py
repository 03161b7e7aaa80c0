"""What transports remark on agents and answers, told once however many cases it is true of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.model.report import RunInfo
    from assay.model.result import CaseResult

MOST: Final = 10
"""Notes that are told of one run: reports have all of them."""


@define(eq=False)
class Notes:
    """Tells the notes of a run.

    Args:
        tell: Told one note.
    """

    tell: Callable[[str], None]
    _told: set[str] = field(factory=set[str], init=False)

    def start(self, info: RunInfo) -> None:
        """Tell what was found out about the agents before any case."""
        for record in info.replayed:
            self._once(f"answers are replayed from {record}")
        for suite in info.suites:
            for note in suite.info.notes if suite.info is not None else ():
                self._once(note)

    def result(self, result: CaseResult) -> None:
        """Tell what was remarked on the answers of a case."""
        for attempt in result.attempts:
            for exchange in attempt.exchanges:
                for note in exchange.response.notes:
                    self._once(note)

    def _once(self, note: str) -> None:
        if note in self._told or len(self._told) > MOST:
            return
        self._told.add(note)
        more = len(self._told) > MOST
        self.tell("note: there are more notes; the reports have them" if more else f"note: {note}")
