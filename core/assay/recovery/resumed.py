"""Which results of an earlier run hold, case by case, and what is to be run again."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final

from attrs import define, evolve, field

from assay.errors import ConfigError
from assay.escape import one_line
from assay.journal.offsets import Offsets
from assay.model.result import CaseResult
from assay.running.collect import Begun
from assay.stats.stability import can_still_reach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from assay.model.case import AgentRef, Case, Suite
    from assay.model.result import Attempt
    from assay.recovery.previous import Earlier, Previous

_AGAIN: Final = ("error", "timeout")
"""The statuses of attempts that ``--retry-errors`` carries out again."""

_NAMED: Final = 5
"""So many changed cases are named."""

LEFT: Final = "it has no result yet; --resume runs it"
"""The reason of a case that is left out."""


@define
class Resumed:
    """What holds of an earlier run.

    Args:
        previous: The earlier run.
        label: How the user named it: ``--resume run.jsonl``.
        errors_only: Whether only errors and timeouts run again, and nothing that is missing.
    """

    previous: Previous
    label: str
    errors_only: bool
    lost: str | None = field(default=None, init=False)
    """The first case that cannot pass any more, whatever still runs of it."""
    _done: Offsets = field(factory=Offsets, init=False)
    """Where in the earlier run the result of a case stands that holds as it is."""
    _rows: Offsets = field(factory=Offsets, init=False)
    """The lines of such cases in their files: other lines may have come before them since."""
    _begun: dict[int, tuple[CaseResult, Begun]] = field(
        factory=dict[int, tuple[CaseResult, Begun]], init=False
    )
    """Cases of which some attempts hold."""
    _again: dict[int, Sequence[int]] = field(factory=dict[int, "Sequence[int]"], init=False)
    """The attempts of other cases that run here although ``errors_only``."""
    _found: int = field(default=0, init=False)
    _changed: int = field(default=0, init=False)
    _names: list[str] = field(factory=list[str], init=False)
    _missing: int = field(default=0, init=False)

    def suite(
        self, suite: Suite, agent: AgentRef, runs: int, gate: float, first: int
    ) -> Callable[[int, Case], None]:
        """Give what decides what holds of each case, while a suite is read for the first time.

        Args:
            suite: The suite.
            agent: What it tests.
            runs: How often each case runs.
            gate: The share of its runs, in percent, that must pass for a case to pass.
            first: The index of its first case.

        Returns:
            What takes the place of a case in the suite, and the case.
        """

        def look(place: int, case: Case) -> None:
            unknown = CaseResult(
                case=case,
                index=first + place,
                suite=suite.key,
                agent_id=agent.name,
                status="skipped",
                several=runs > 1,
            )
            kept = self._look(unknown, runs)
            passed = sum(attempt.status == "passed" for attempt in kept)
            if self.lost is None and not can_still_reach(passed, len(kept), runs, gate):
                self.lost = case.id

        return look

    def _look(self, unknown: CaseResult, runs: int) -> Sequence[Attempt]:
        """Decide what holds of a case, and give the attempts that do."""
        case, index = unknown.case, unknown.index
        earlier = self.previous.of(unknown.suite, case)
        if earlier is None:
            self._missing += not case.skip
            return ()
        self._found += 1
        if case.skip:
            if earlier.at is not None and not earlier.is_changed:
                self._keep(index, case, earlier.at)
            return ()
        if earlier.is_changed:
            self._changed += 1
            if len(self._names) < _NAMED:
                self._names.append(one_line(case.id, 100))
            self._again[index] = range(1, runs + 1)
            return ()
        again = self._numbers(earlier, runs)
        if not again and earlier.at is not None and _is_complete(earlier, runs):
            self._keep(index, case, earlier.at)
            return earlier.attempts
        kept = tuple(each for each in earlier.attempts if each.number not in again)
        if kept:
            known = evolve(unknown, status=kept[-1].status, attempts=kept)
            self._begun[index] = known, Begun(numbers=again, attempts=kept, reason=self._reason)
        elif again and self.errors_only:
            self._again[index] = again
        elif self.errors_only:
            self._missing += 1
        return kept

    def _keep(self, index: int, case: Case, at: int) -> None:
        self._done.put(index, at)
        self._rows.put(index, case.where.line or 0)

    def _numbers(self, earlier: Earlier, runs: int) -> Sequence[int]:
        """Give the attempts of a case that are to be carried out."""
        if self.errors_only:
            return [each.number for each in earlier.attempts if each.status in _AGAIN]
        finished = {each.number for each in earlier.attempts}
        return [number for number in range(1, runs + 1) if number not in finished]

    def begin(self, index: int, runs: int) -> Begun | None:
        """Say how far a case has come; None when its result holds."""
        if index in self._done:
            return None
        if index in self._begun:
            return self._begun[index][1]
        everything = range(1, runs + 1)
        numbers = self._again.get(index, ()) if self.errors_only else everything
        return Begun(numbers=numbers, reason=self._reason)

    @property
    def _reason(self) -> str | None:
        return LEFT if self.errors_only else None

    def kept(self) -> Iterator[tuple[CaseResult, tuple[Attempt, ...], bool]]:
        """Give what holds, in case order.

        Returns:
            Of each case what is known, the attempts among it, and whether it is complete.
        """
        done = (
            (index, (offset, row))
            for (index, offset), row in zip(self._done.items(), self._rows, strict=True)
        )
        begun = ((index, None) for index in sorted(self._begun))
        for index, place in heapq.merge(done, begun, key=lambda pair: pair[0]):
            if place is None:
                known = self._begun[index][0]
                yield known, known.attempts, False
            else:
                offset, row = place
                yield _placed(self.previous.result_at(offset), index, row)

    def check(self, sources: Collection[str], cwd: Path) -> None:
        """See that this is the run that the file is of: what it holds must not get lost.

        Args:
            sources: The keys of the suites of this run.
            cwd: What they are relative to.

        Raises:
            ConfigError: It has results of other suites, and not because their files are gone.
        """
        suites = self.previous.info.suites
        has_one = any(suite.source in sources for suite in suites)
        others = [
            suite.source
            for suite in suites
            if suite.source not in sources
            and not (has_one and suite.file is not None and not (cwd / suite.file).exists())
        ]
        if others:
            names = ", ".join(others[:_NAMED]) + (" …" if len(others) > _NAMED else "")
            raise ConfigError(
                f"{self.label}: it is of a run of {names} too; give the -i of that run, from the"
                " same folder"
                if has_one
                else f"{self.label}: it is of a run of {names}; give the -i of that run, from the"
                " same folder"
            )

    def standing(self, total: int) -> str:
        """Say how far the earlier run came.

        Args:
            total: How many cases this run has.
        """
        return f"{self.label}: {len(self._done)} of {total} cases have their results there"

    def remarks(self) -> Iterator[str]:
        """Tell what a user should know of what does not hold."""
        for problem in self.previous.problems:
            yield f"warning: {problem}"
        if self._changed:
            names = ", ".join(self._names) + (" …" if self._changed > len(self._names) else "")
            changed = _cases(self._changed, "was", "were")
            yield f"{changed} changed since and will run again: {names}"
        gone = len(self.previous) - self._found
        if gone:
            out = _cases(gone, "is", "are")
            yield f"{out} no longer part of the run and left out of its reports"
        if self.errors_only and self._missing:
            left = _cases(self._missing, "has", "have")
            yield f"{left} no result and will be left out; --resume runs what is missing"


def _placed(
    result: CaseResult, index: int, row: int
) -> tuple[CaseResult, tuple[Attempt, ...], bool]:
    """Give a result that holds, at the place where its case stands now."""
    where = evolve(result.case.where, line=row or None)
    result = evolve(result, index=index, case=evolve(result.case, where=where))
    return result, result.attempts, True


def _is_complete(earlier: Earlier, runs: int) -> bool:
    result = earlier.result
    if result is None or result.status == "skipped" or result.incomplete:
        return False
    return len(earlier.attempts) >= runs


def _cases(count: int, one: str, many: str) -> str:
    return f"1 case {one}" if count == 1 else f"{count} cases {many}"
