"""Reads a journal back: also a torn one, one without an end, one that goes on after its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

from assay.codec.encode import decode
from assay.codec.lines import (
    FORMAT,
    result_from_json,
    run_info_from_json,
    summary_from_json,
)
from assay.codec.narrow import as_object, integer, text_or
from assay.errors import ConfigError, RunError
from assay.journal.ended import summarise
from assay.journal.file import Lines
from assay.journal.offsets import Offsets
from assay.model.report import Report, RunInfo, Summary
from assay.suggest import file_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assay.codec.narrow import Line
    from assay.model.result import CaseResult

_TOLD: Final = 5
"""So many damaged lines are told one by one."""


@frozen(kw_only=True)
class Reading:
    """What a journal holds."""

    report: Report
    results: Results
    """Where its results stand."""
    is_whole: bool
    """Whether it has a summary of all its results."""
    problems: tuple[str, ...] = ()
    """What was left out, and why."""


def read_journal(path: Path, name: str | None = None) -> Reading:
    """Read a journal; its results stay in the file until they are asked for.

    A line that is not whole is told and left out; lines of unknown types are for readers to
    come. Without a summary of all results, one is made of them, and ``stopped`` says so.

    Args:
        path: The file.
        name: What messages call it; by default its path.

    Raises:
        ConfigError: It cannot be read, holds no run or several, or one of a newer assay.
    """
    name = str(path) if name is None else name
    scan = JournalScan(name=name)
    try:
        with path.open("rb") as file:
            for line in file:
                scan.take(line)
        lines = Lines(path)
    except OSError as error:
        mend = file_hint(path, "name a .jsonl file that a run wrote")
        why = error.strerror or error
        raise ConfigError(f"{name}: it cannot be read: {why}; {mend}") from error
    if scan.info is None:
        raise ConfigError(
            f"{name}: it holds no run: no line has the type 'start'; name a .jsonl file that a run"
            " wrote"
        )
    results = Results(lines=lines, offsets=scan.offsets, name=name)
    told = scan.summary
    if told is not None and told.counts.total < len(scan.offsets):
        # It is of another run, whose lines somebody put here.
        told = None
    summary = told or summarise(scan.info, results.read())
    exit_code = scan.exit_code
    if told is None or exit_code is None:
        exit_code = 1 if summary.counts.failed else 0
    return Reading(
        report=Report(info=scan.info, summary=summary, read=results.read, exit_code=exit_code),
        results=results,
        is_whole=told is not None,
        problems=tuple(scan.problems()),
    )


@frozen(kw_only=True)
class Results:
    """The results that a journal holds."""

    lines: Lines
    offsets: Offsets
    name: str

    def read(self) -> Iterator[CaseResult]:
        """Read all of them in case order.

        Raises:
            RunError: The journal is not what it was.
        """
        return map(self.at, self.offsets)

    def at(self, offset: int) -> CaseResult:
        """Read the result at an offset.

        Raises:
            RunError: There is none: the journal is not what it was, or somebody wrote into it.
        """
        try:
            return result_from_json(as_object(decode(self.lines.at(offset).decode()), "line"))
        except ValueError as error:
            raise RunError(
                f"{self.name}: the result at byte {offset} cannot be read: {error};"
                " was the file changed?"
            ) from error


@define
class JournalScan:
    """What is known of a journal after the lines read so far.

    Args:
        name: Of the file, for messages.
        seen: Told of each line that could be read, and where it begins.
    """

    name: str
    seen: Callable[[Line, int], None] | None = None
    info: RunInfo | None = field(default=None, init=False)
    summary: Summary | None = field(default=None, init=False)
    exit_code: int | None = field(default=None, init=False)
    offsets: Offsets = field(factory=Offsets, init=False)
    _number: int = field(default=0, init=False)
    _offset: int = field(default=0, init=False)
    _damaged: int = field(default=0, init=False)
    _told: list[str] = field(factory=list[str], init=False)

    def take(self, data: bytes) -> None:
        """Take the next line, with its end."""
        self._number += 1
        offset = self._offset
        self._offset += len(data)
        if data.isspace():
            return
        try:
            line = as_object(decode(data.decode()), "line")
            self._take_line(line, text_or(line, "type", ""), offset)
            if self.seen is not None:
                self.seen(line, offset)
        except ValueError as error:
            torn = not data.endswith(b"\n")
            self._damaged += 1
            if self._damaged <= _TOLD:
                what = "the last line is torn" if torn else f"the line cannot be read: {error}"
                self._told.append(f"{self.name}:{self._number}: {what}; it is left out")

    def _take_line(self, line: Line, kind: str, offset: int) -> None:
        if kind == "result":
            index = integer(line, "index")
            if index < 0:
                raise ValueError("index: expected a number from 0")
            self.offsets.put(index, offset)
            self.summary = None
        elif kind == "summary":
            self.summary = summary_from_json(line)
            self.exit_code = integer(line, "exit_code") if "exit_code" in line else None
        elif kind == "start":
            self._check_format(line)
            if self.info is not None:
                raise ConfigError(
                    f"{self.name}:{self._number}: a second run begins here; give 'assay merge' the"
                    " files of single runs, and it makes one of them"
                )
            self.info = run_info_from_json(line)

    def _check_format(self, line: Line) -> None:
        written = integer(line, "format", 1)
        if written > FORMAT:
            version = text_or(line, "version", "")
            raise ConfigError(
                f"{self.name}:{self._number}: written by a newer assay"
                f" ({f'{version}, ' if version else ''}format {written}); this one reads formats"
                f" up to {FORMAT}: upgrade it"
            )

    def problems(self) -> Iterator[str]:
        """Tell what was left out, and why."""
        yield from self._told
        if self._damaged > _TOLD:
            yield f"{self.name}: {self._damaged - _TOLD} more lines cannot be read"
