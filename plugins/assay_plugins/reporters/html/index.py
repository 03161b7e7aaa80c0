"""What the table of the page shows of each result: columns, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from assay.jsonvalue import dumps
from assay_plugins.reporters._facts import reason
from assay_plugins.reporters.html.blocks import element, pack

if TYPE_CHECKING:
    from assay import CaseResult, Stability

_ROWS: Final = 1_000
_ID: Final = 300
_REASON: Final = 300
_TAG: Final = 100
_TAGS: Final = 50
"""How much of a text, and how many tags, a row keeps: the details hold all."""


class Index:
    """Gathers rows, and gives a block whenever enough are there.

    A block is a JSON object of columns. ``id``, ``ms``, ``suite`` and ``why`` have an entry per
    row, ``status`` a letter; of ``tags``, ``runs``, ``unasserted``, ``incomplete`` and
    ``replayed`` there is only what a row has, by its place in the block.

    Args:
        suites: The number of each suite in the page, by its key.
    """

    def __init__(self, suites: Mapping[str, int]) -> None:
        self._suites = suites
        self._first = 0
        self._clear()

    def add(self, result: CaseResult) -> Iterator[str]:
        """Add a row; gives the elements that are full."""
        place = len(self._ids)
        self._ids.append(result.case.id[:_ID])
        self._statuses.append(result.status[0])
        self._durations.append(result.duration_ms)
        self._suite.append(self._suites.get(result.suite, -1))
        self._reasons.append(" ".join(reason(result)[: 4 * _REASON].split())[:_REASON])
        if result.case.tags:
            self._tags[str(place)] = [tag[:_TAG] for tag in result.case.tags[:_TAGS]]
        if result.several and result.stability is not None:
            self._runs[str(place)] = _figures(result.stability)
        if not result.case.has_checks:
            self._unasserted.append(place)
        if result.incomplete:
            self._incomplete.append(place)
        if result.replayed:
            self._replayed.append(place)
        if len(self._ids) == _ROWS:
            yield from self.rest()

    def rest(self) -> Iterator[str]:
        """Give the element of the rows that are left."""
        if not self._ids:
            return
        columns: dict[str, object] = {
            "id": self._ids,
            "status": "".join(self._statuses),
            "ms": self._durations,
            "suite": self._suite,
            "why": self._reasons,
            "tags": self._tags,
            "runs": self._runs,
            "unasserted": self._unasserted,
            "incomplete": self._incomplete,
            "replayed": self._replayed,
        }
        yield element("index", pack(dumps(columns)), first=self._first) + "\n"
        self._first += len(self._ids)
        self._clear()

    def _clear(self) -> None:
        self._ids: list[str] = []
        self._statuses: list[str] = []
        self._durations: list[int] = []
        self._suite: list[int] = []
        self._reasons: list[str] = []
        self._tags: dict[str, list[str]] = {}
        self._runs: dict[str, list[object]] = {}
        self._unasserted: list[int] = []
        self._incomplete: list[int] = []
        self._replayed: list[int] = []


def _figures(figures: Stability) -> list[object]:
    return [
        figures.runs,
        figures.passed,
        figures.pass_rate,
        *figures.pass_rate_interval,
        figures.consistency,
        figures.stability_class,
        figures.avg_duration_ms,
        figures.min_duration_ms,
        figures.max_duration_ms,
        figures.std_deviation_ms,
    ]
