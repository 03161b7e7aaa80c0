"""What the terminal keeps of a run: counts, and the few cases that it will name at the end."""

from __future__ import annotations

from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, Final, TypeVar

from attrs import define, field, frozen

from assay_plugins.reporters._facts import flakiness, reason

if TYPE_CHECKING:
    from assay import CaseResult, RunInfo, Stability

_NAMED: Final = 10
"""Cases that did not pass, named at the end."""
_SLOWEST: Final = 3
_FLAKIEST: Final = 5
_REASONS: Final = 20
"""Different reasons for skipping that are counted."""
_KEPT: Final = 200
"""Characters that are kept of a text."""


@frozen(kw_only=True)
class Named:
    """A case to name at the end."""

    id: str
    suite: str
    where: str
    status: str = ""
    reason: str = ""
    duration_ms: int = 0
    replayed: bool = False
    stability: Stability | None = None


@define
class Tally:
    """Grows result by result; its size does not."""

    cases: int
    """Of the run."""
    attempts: int
    """Of the run, if it is not stopped."""
    runs: dict[str, int]
    """How often the cases of a suite run."""
    done: int = 0
    attempts_done: int = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: list[Named] = field(factory=list[Named])
    reasons: dict[str, int] = field(factory=dict[str, int])
    _under_way: dict[int, int] = field(factory=dict[int, int])
    """Attempts that were counted, of cases that are not done, by index."""
    _slowest: list[tuple[int, int, Named]] = field(factory=list[tuple[int, int, Named]])
    _flakiest: list[tuple[tuple[float, float], int, Named]] = field(
        factory=list[tuple[tuple[float, float], int, Named]]
    )

    @classmethod
    def of(cls, info: RunInfo) -> Tally:
        """Start one for a run."""
        return cls(
            cases=info.total_cases,
            attempts=sum(suite.total_cases * suite.runs_per_case for suite in info.suites),
            runs={suite.source: suite.runs_per_case for suite in info.suites},
        )

    @property
    def has_several(self) -> bool:
        """Whether any case runs more than once."""
        return self.attempts > self.cases

    @property
    def slowest(self) -> list[Named]:
        """The slowest cases, slowest first; none when there are too few to tell apart."""
        if self.passed + self.failed <= _SLOWEST:
            return []
        return [entry[2] for entry in sorted(self._slowest, reverse=True)]

    @property
    def flakiest(self) -> list[Named]:
        """The cases whose runs ended most unlike one another, worst first."""
        return [entry[2] for entry in sorted(self._flakiest, reverse=True)]

    def attempt(self, result: CaseResult) -> None:
        """Count an attempt of a case with several runs."""
        self.attempts_done += 1
        self._under_way[result.index] = self._under_way.get(result.index, 0) + 1

    def add(self, result: CaseResult) -> None:
        """Count a case. Costs about a microsecond for one that passed and is not slow."""
        self.done += 1
        if result.several:
            # Those that finished were counted as they did; the others never will.
            counted = self._under_way.pop(result.index, 0)
            self.attempts_done += self.runs.get(result.suite, 1) - counted
        else:
            self.attempts_done += 1
        status = result.status
        if status == "skipped":
            self.skipped += 1
            self._count_reason(result.reason or "no reason given")
            return
        if status == "passed":
            self.passed += 1
        else:
            self.failed += 1
            if len(self.failures) < _NAMED:
                self.failures.append(_named(result))
        ms = result.duration_ms
        if ms > 0 and (len(self._slowest) < _SLOWEST or ms > self._slowest[0][0]):
            _keep(self._slowest, (ms, -result.index, _named(result)), _SLOWEST)
        if result.several and result.stability is not None:
            degree = flakiness(result.stability)
            if degree[0] and (len(self._flakiest) < _FLAKIEST or degree > self._flakiest[0][0]):
                _keep(self._flakiest, (degree, -result.index, _named(result)), _FLAKIEST)

    def _count_reason(self, text: str) -> None:
        key = text[:_KEPT]
        if key in self.reasons or len(self.reasons) < _REASONS:
            self.reasons[key] = self.reasons.get(key, 0) + 1


_Entry = TypeVar("_Entry", bound=tuple[object, ...])


def _keep(heap: list[_Entry], entry: _Entry, most: int) -> None:
    if len(heap) < most:
        heappush(heap, entry)
    else:
        heappushpop(heap, entry)


def _named(result: CaseResult) -> Named:
    return Named(
        id=result.case.id[:_KEPT],
        suite=result.suite[:_KEPT],
        where=str(result.case.where)[:_KEPT],
        status=result.status,
        reason=reason(result)[:_KEPT],
        duration_ms=result.duration_ms,
        replayed=result.replayed,
        stability=result.stability,
    )
