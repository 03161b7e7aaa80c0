"""What the JSON lines of a run hold that ended too early, found again by case."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import define, field, frozen

from assay.cases.ids import digest
from assay.codec.attempts import attempt_from_json
from assay.codec.encode import decode
from assay.codec.narrow import as_object, text
from assay.codec.results import case_hash, result_from_json
from assay.errors import ConfigError
from assay.escape import quoted
from assay.journal.file import Lines
from assay.journal.read import JournalScan
from assay.places import Places
from assay.process import is_taken
from assay.suggest import file_hint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.codec.narrow import Line
    from assay.model.case import Case
    from assay.model.report import RunInfo
    from assay.model.result import Attempt, CaseResult

_TOLD: Final = 5
"""So many cases whose lines cannot be read are told."""


@frozen(kw_only=True)
class Earlier:
    """What became of a case in the earlier run."""

    result: CaseResult | None
    """Its result, if it has one: also that of a case that was skipped or stopped."""
    at: int | None
    """Where the result stands."""
    attempts: tuple[Attempt, ...]
    """Those that finished, by their numbers; the last line of each number wins."""
    is_changed: bool
    """Whether the case was another one then."""


@define(kw_only=True)
class Previous:
    """The lines of an earlier run.

    A case is known by its suite and its id. Positions of lines are kept in memory, never the lines.
    """

    path: Path
    """Absolute, links followed."""
    info: RunInfo
    name: str
    """As the user named it, for messages."""
    problems: list[str]
    """Lines that were left out, and why."""
    _lines: Lines = field(alias="lines")
    _places: Places = field(alias="places")
    _state: tuple[int, ...] = field(alias="state")
    """The file as it was before it was read."""
    _unreadable: int = field(default=0, init=False)

    def __len__(self) -> int:
        """How many cases it knows."""
        return self._places.hashes()

    def is_as_read(self) -> bool:
        """Whether nobody has written to the file since it was read, or put another in its place."""
        return _state(self.path) == self._state

    def result_at(self, offset: int) -> CaseResult:
        """Read the result that stands at an offset."""
        return result_from_json(as_object(decode(self._lines.at(offset).decode()), "line"))

    def of(self, suite: str, case: Case) -> Earlier | None:
        """Find what became of a case; None when the earlier run does not know it.

        Of a case whose lines cannot be read, nothing is known but that they are there.

        Args:
            suite: The key of its suite.
            case: The case as it is now.
        """
        try:
            return self._of(suite, case)
        except ValueError as error:
            self._unreadable += 1
            if self._unreadable <= _TOLD:
                self.problems.append(
                    f"{self.name}: a line of case {quoted(case.id)} cannot be read: {error}; the"
                    " case counts as one without a result"
                )
            return Earlier(result=None, at=None, attempts=(), is_changed=False)

    def _of(self, suite: str, case: Case) -> Earlier | None:
        at: int | None = None
        end: Line = {}
        lines: list[Line] = []
        for offset in self._places.find(_key(suite, case.id)):
            line = as_object(decode(self._lines.at(offset).decode()), "line")
            if line["type"] == "result":
                at, end = offset, line
            else:
                lines.append(line)
        if at is None and not lines:
            return None
        result = None if at is None else result_from_json(end)
        hashes = {line.get("hash") for line in (lines if at is None else [*lines, end])}
        if hashes != {case_hash(case)}:
            return Earlier(result=result, at=at, attempts=(), is_changed=True)
        attempts = {
            attempt.number: attempt
            for attempt in (
                *(attempt_from_json(line, case, suite) for line in lines),
                *(() if result is None else result.attempts),
            )
        }
        return Earlier(
            result=result,
            at=at,
            attempts=tuple(attempts[number] for number in sorted(attempts)),
            is_changed=False,
        )


def read_previous(path: Path, name: str, label: str) -> Previous | None:
    """Read the lines of an earlier run; a last line that is not whole is left out.

    Args:
        path: Absolute.
        name: The file as the user named it, for messages.
        label: What a user gave, for messages: ``--resume run.jsonl``.

    Returns:
        What it holds; None when the run wrote nothing yet.

    Raises:
        ConfigError: It cannot be read, or holds something else.
    """
    places = Places()

    def seen(line: Line, offset: int) -> None:
        if line.get("type") in ("result", "attempt"):
            places.add(_key(text(line, "suite"), text(line, "id")), offset)

    scan = JournalScan(name=name, seen=seen)
    try:
        state = _state(path)
        if is_taken(path):
            raise ConfigError(f"{label}: another run is still writing it; wait until it is over")
        first = b""
        for line in _lines_of(path):
            first = first if first.strip() else line
            scan.take(line)
        lines = Lines(path)
    except OSError as error:
        mend = file_hint(path, "name the .jsonl file of a run that broke off")
        why = error.strerror or error
        raise ConfigError(f"{label}: it cannot be read: {why}; {mend}") from error
    if scan.info is None:
        if not places and _is_beginning(first):
            return None
        raise ConfigError(
            f"{label}: it holds no run: no line has the type 'start'; name a .jsonl file that"
            " assay wrote"
        )
    return Previous(
        path=Path(os.path.realpath(path)),
        info=scan.info,
        name=name,
        problems=list(scan.problems()),
        lines=lines,
        places=places,
        state=state,
    )


def _state(path: Path) -> tuple[int, ...]:
    found = path.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def _lines_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _is_beginning(line: bytes) -> bool:
    """Whether the first line that is not blank is missing, or the torn beginning of a run."""
    start = b'{"type": "start"'
    torn = not line.endswith(b"\n") and start.startswith(line[: len(start)])
    return not line.strip() or torn


def _key(suite: str, case_id: str) -> int:
    return digest(f"{suite}\0{case_id}")
