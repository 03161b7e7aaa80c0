"""What several runs are together: one start, one sequence of results."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from assay._version import __version__
from assay.errors import ExitCode
from assay.escape import quoted
from assay.journal.read import read_journal
from assay.merging.order import Order
from assay.recovery.agree import check_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.journal.read import Reading
    from assay.model.report import RunInfo, SuiteInfo
    from assay.model.result import CaseResult

_TOLD: Final = 5
"""So many cases that stand in two files are named."""

_FROM_OUTSIDE: Final = (ExitCode.INTERRUPTED, ExitCode.TERMINATED)


@frozen(kw_only=True)
class Together:
    """Several runs as one."""

    info: RunInfo
    duration_ms: int
    """Of all of them."""
    completed_at: str
    stopped: str | None
    """Why a part ended early, or what is missing."""
    exit_code: ExitCode | None
    """What the process ends with, where a part ended early."""
    warnings: tuple[str, ...]
    _readings: Sequence[Reading] = field(alias="readings")
    _order: Order = field(alias="order")

    def results(self) -> Iterator[CaseResult]:
        """Give the results in order, numbered anew."""
        for index, (file, offset) in enumerate(self._order):
            yield evolve(self._readings[file].results.at(offset), index=index)


def put_together(files: Mapping[str, Path]) -> Together:
    """Read several files of results.

    Args:
        files: Their paths by the names that a user gave them.

    Raises:
        ConfigError: One holds no run, or they are of runs that were started in different ways.
    """
    names = list(files)
    readings = [read_journal(path, name) for name, path in files.items()]
    infos = [reading.report.info for reading in readings]
    for place, (name, info) in enumerate(zip(names, infos, strict=True)):
        for earlier, other in zip(names[:place], infos[:place], strict=True):
            check_parts(other, info, (earlier, name))
    order = Order([suite.source for info in infos for suite in info.suites])
    for number, reading in enumerate(readings):
        for offset in reading.results.offsets:
            result = reading.results.at(offset)
            order.add(result.suite, result.case.id, result.index, number, offset)
    twice = order.settle()
    info = _info(infos, order.counts())
    stopped, code = _ending(readings, info.total_cases, len(order))
    summaries = [reading.report.summary for reading in readings]
    return Together(
        info=info,
        duration_ms=sum(each.duration_ms for each in summaries),
        completed_at=max(each.completed_at for each in summaries),
        stopped=stopped,
        exit_code=code,
        warnings=(
            *(problem for reading in readings for problem in reading.problems),
            *_double(twice, readings, names),
            *(() if stopped is None else (stopped,)),
        ),
        readings=readings,
        order=order,
    )


def _double(
    twice: Sequence[tuple[int, int]], readings: Sequence[Reading], names: Sequence[str]
) -> Iterator[str]:
    """Tell which results are left out, since their cases stand in later files, too."""
    for file, offset in twice[:_TOLD]:
        result = readings[file].results.at(offset)
        yield (
            f"case {quoted(result.case.id)} of {result.suite} stands in a later file too, which"
            f" counts; the result in {names[file]} is left out"
        )
    if len(twice) > _TOLD:
        yield f"{len(twice) - _TOLD} more cases stand in two files; the later one counts"


def _ending(
    readings: Sequence[Reading], expected: int, found: int
) -> tuple[str | None, ExitCode | None]:
    """Say why the runs together ended early, and what the process ends with; None: they did not.

    Args:
        readings: The files.
        expected: How many cases there are.
        found: How many of them have a result.
    """
    # A file without an end says itself that it broke off; what counts is whether a case is missing.
    ended = [reading.report.summary for reading in readings if reading.is_whole]
    stopped = next((each.stopped for each in ended if each.stopped is not None), None)
    codes = [reading.report.exit_code for reading in readings]
    code = next((ExitCode(each) for each in codes if each in _FROM_OUTSIDE), None)
    missing = _missing_shards([reading.report.info for reading in readings])
    if missing:
        stopped = f"parts of --shard are missing: {', '.join(missing)}"
        code = code or ExitCode.RUNTIME
    if found < expected:
        stopped = f"{expected - found} of {expected} cases have no result: a part broke off"
        code = code or ExitCode.RUNTIME
    return stopped, code


def _missing_shards(infos: Sequence[RunInfo]) -> list[str] | None:
    """Give the parts of ``--shard`` that are not there; None where nothing says how many are."""
    shards = {info.shard for info in infos}
    if None in shards:
        return None
    count, *others = {str(shard).partition("/")[2] for shard in shards}
    if others:
        return None
    every = [f"{number}/{count}" for number in range(1, int(count) + 1)]
    return [shard for shard in every if shard not in shards]


def _info(infos: Sequence[RunInfo], counts: Mapping[str, int]) -> RunInfo:
    parts: dict[str, list[tuple[str | None, SuiteInfo]]] = {}
    for info in infos:
        for suite in info.suites:
            parts.setdefault(suite.source, []).append((info.shard, suite))
    suites = tuple(_suite(same, counts[source]) for source, same in parts.items())
    first = infos[0]
    return evolve(
        first,
        started_at=min(info.started_at for info in infos),
        suites=suites,
        total_cases=sum(suite.total_cases for suite in suites),
        command=first.command if all(info.command == first.command for info in infos) else None,
        version=__version__,
        deselected=sum(suite.deselected for suite in suites),
        shard=first.shard if all(info.shard == first.shard for info in infos) else None,
        verbose=any(info.verbose for info in infos),
        parallel=max(info.parallel for info in infos),
    )


def _suite(same: Sequence[tuple[str | None, SuiteInfo]], count: int) -> SuiteInfo:
    """Give a suite of which each file has a part: what one left out, another may have run.

    Args:
        same: The suite as each file has it, with the file's part of ``--shard``.
        count: How many of its cases have a result.
    """
    total = max(_expected(same), count)
    written = max(suite.total_cases + suite.deselected for _, suite in same)
    return evolve(same[0][1], total_cases=total, deselected=max(written - total, 0))


def _expected(same: Sequence[tuple[str | None, SuiteInfo]]) -> int:
    """Say how many cases the files should have, where several may be of the same part."""
    parts: dict[str | None, int] = {}
    for shard, suite in same:
        parts[shard] = max(parts.get(shard, 0), suite.total_cases)
    together = Counter({"": parts.pop(None, 0)})
    for shard, total in parts.items():
        together[str(shard).partition("/")[2]] += total
    return max(together.values())
