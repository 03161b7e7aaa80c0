"""Writes the journal of a run: each line as it happens, secrets replaced."""

from __future__ import annotations

from contextlib import suppress
from typing import IO, TYPE_CHECKING, Final, Protocol, Self, TypeVar, cast

from assay.codec.attempts import attempt_from_json
from assay.codec.encode import encode
from assay.codec.lines import (
    attempt_line,
    result_from_json,
    run_info_from_json,
    summary_from_json,
    to_json,
)
from assay.errors import RunError
from assay.journal.file import LineFile, Lines
from assay.journal.offsets import Offsets
from assay.journal.read import Results
from assay.journal.suites import SuiteFiles
from assay.model.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from assay.journal.file import Place
    from assay.model.report import RunInfo, Summary
    from assay.model.result import Attempt, CaseResult

_T = TypeVar("_T")

WRITING: Final = "writing a result"
"""What a run does while a line is written."""


class Masker(Protocol):
    """Replaces secrets. ``assay.secret.Redactor`` is one."""

    def text(self, text: str, /) -> str:
        """Replace them in a text, JSON text among it."""
        ...

    def value(self, value: object, /) -> object:
        """Replace them in a JSON value, without changing it."""
        ...


class Journal:
    """The lines of a run, in a file that is read again for every report.

    What happens is written at once, and handed back as it was written: with secrets replaced,
    for those who show it too.

    Args:
        place: Where the file goes. A hidden one is removed when the journal is closed, and so
            is one that has not taken the place of another file yet.
        masker: Replaces secrets; None when there are none.
        suites: Where the file of each suite goes beside it, by the suite's key.
        live: Streams that are given every line too (for ``--json``). One that fails is told and
            dropped.
        told: Told in one sentence what a user should know and the run survives.

    Raises:
        RunError: The file cannot be made.
    """

    def __init__(
        self,
        place: Place,
        *,
        masker: Masker | None = None,
        suites: Mapping[str, Place] | None = None,
        live: Sequence[IO[str]] = (),
        told: Callable[[str], None],
    ) -> None:
        self._file = LineFile(place, told)
        self._is_hidden = place.how == "hidden"
        self._masker = masker
        self._suites = SuiteFiles(suites or {}, told)
        self._live = list(live)
        self._told = told
        self._offsets = Offsets()
        self._info: RunInfo | None = None
        self._summary: Summary | None = None
        self._exit_code = 0
        self._is_open = True

    def __enter__(self) -> Self:
        """Stand open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close; after an error a hidden file that holds results stays."""
        self.close(keep=error is not None and len(self._offsets) > 0)

    def start(self, info: RunInfo) -> RunInfo:
        """Write how the run starts, and make the files of the suites.

        Raises:
            RunError: It cannot be written; so for all methods that write.
        """
        text, info = self._masked(to_json(info), info, run_info_from_json)
        self._info = info
        self._append(text)
        self._suites.start(info)
        return info

    def attempt(self, result: CaseResult, attempt: Attempt) -> Attempt:
        """Write an attempt of a case that runs several times."""
        suite, case = result.suite, result.case
        text, attempt = self._masked(
            attempt_line(result, attempt),
            attempt,
            lambda line: attempt_from_json(line, case, suite),
        )
        self._append(text)
        self._suites.append(suite, text)
        return attempt

    def result(self, result: CaseResult) -> CaseResult:
        """Write what became of a case."""
        text, result = self._masked(to_json(result), result, result_from_json)
        # First, so that what stands in the file is in the reports, whoever reads the lines.
        self._offsets.put(result.index, self._file.append(text))
        self._show(text)
        self._suites.append(result.suite, text)
        return result

    def finish(self, summary: Summary, exit_code: int = 0) -> Summary:
        """Write how the run ended.

        Args:
            summary: The counts.
            exit_code: What the results alone mean for the caller of the process.
        """
        line = {**to_json(summary), "exit_code": exit_code}
        text, summary = self._masked(line, summary, summary_from_json)
        self._summary = summary
        self._exit_code = exit_code
        self._append(text)
        self._suites.finish(summary)
        return summary

    def mute(self) -> None:
        """Give the lines to no stream any more."""
        self._live.clear()

    def take_place(self) -> None:
        """Take the place of the file that this one is written instead of.

        Raises:
            RunError: It cannot; the other file stands as it was.
        """
        self._file.take_place()

    def report(self) -> Report:
        """Give the run as reports see it. It can be read after the journal is closed, too.

        Raises:
            RunError: The file was removed, and cannot be written again.
        """
        if self._info is None or self._summary is None:
            raise RuntimeError("a report needs the start and the summary of a run")
        self._file.restore()
        try:
            lines = Lines(self._file.path)
        except OSError as error:
            raise RunError(f"{self._file.path}: it cannot be read: {error.strerror}") from error
        results = Results(lines=lines, offsets=self._offsets, name=str(self._file.path))
        return Report(
            info=self._info,
            summary=self._summary,
            read=results.read,
            exit_code=self._exit_code,
        )

    @property
    def path(self) -> Path:
        """The file, hidden or not."""
        return self._file.path

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that are for the user: the journal unless it is hidden, those of suites."""
        own = () if self._is_hidden else (self._file.path,)
        return own + self._suites.paths

    def close(self, *, keep: bool = False) -> None:
        """Close the files.

        Args:
            keep: Whether a hidden one stays, because not all reports stand.
        """
        if not self._is_open:
            return
        self._is_open = False
        self._suites.close()
        self._file.close()
        if (self._is_hidden and not keep) or self._file.is_waiting:
            # Where open files cannot be removed, a report still reads this one.
            with suppress(OSError):
                self._file.path.unlink()

    def _masked(
        self, line: dict[str, object], value: _T, read: Callable[[Mapping[str, object]], _T]
    ) -> tuple[str, _T]:
        """The text of a line and its value, as they are once secrets are replaced."""
        text = encode(line)
        # The text holds whatever the value holds, and is searched in a fraction of the time.
        if self._masker is None or self._masker.text(text) == text:
            return text, value
        masked = cast("dict[str, object]", self._masker.value(line))
        try:
            return encode(masked), read(masked)
        except ValueError as error:
            raise RunError(
                f"a secret is a word that reports need themselves ({error}); use another one"
            ) from error

    def _append(self, text: str) -> None:
        self._file.append(text)
        self._show(text)

    def _show(self, text: str) -> None:
        for stream in tuple(self._live):
            try:
                stream.write(f"{text}\n")
                stream.flush()
            except (OSError, ValueError) as error:
                self._live.remove(stream)
                self._told(f"the lines are no longer shown: {error}; the run goes on")
