"""The files that each suite of a run gets for itself, written as the run goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from assay.codec.encode import encode
from assay.codec.lines import to_json
from assay.journal.file import LineFile
from assay.model.report import Summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from assay.journal.file import Place
    from assay.model.report import RunInfo


class SuiteFiles:
    """One journal per suite, each with a start and a summary of its own.

    A suite without cases gets none. Indexes of cases are those of the whole run, so that the
    files can be merged again.

    Args:
        places: Where each suite's file goes, by the suite's key.
        lost: Told when a file had been removed and was written again.
    """

    def __init__(self, places: Mapping[str, Place], lost: Callable[[str], None]) -> None:
        self._places = places
        self._lost = lost
        self._files: dict[str, LineFile] = {}
        self._runs: dict[str, int] = {}

    def start(self, info: RunInfo) -> None:
        """Make the files.

        Raises:
            RunError: One cannot be written; so for all methods.
        """
        for suite in info.suites:
            if suite.source not in self._places or not suite.total_cases:
                continue
            file = LineFile(self._places[suite.source], self._lost)
            self._files[suite.source] = file
            self._runs[suite.source] = suite.runs_per_case
            own = evolve(
                info,
                suites=(suite,),
                total_cases=suite.total_cases,
                deselected=suite.deselected,
            )
            file.append(encode(to_json(own)))

    def append(self, suite: str, text: str) -> None:
        """Append a line to the file of a suite."""
        file = self._files.get(suite)
        if file is not None:
            file.append(text)

    def finish(self, summary: Summary) -> None:
        """Append the summary of each suite to its file."""
        for suite in summary.suites:
            file = self._files.get(suite.source)
            if file is None:
                continue
            own = Summary(
                counts=suite.counts,
                duration_ms=summary.duration_ms,
                agent_id=suite.agent_id,
                connector=suite.connector,
                runs_per_case=self._runs[suite.source],
                stopped=summary.stopped,
                suites=(suite,),
                completed_at=summary.completed_at,
            )
            file.append(encode(to_json(own)))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order of the suites."""
        return tuple(file.path for file in self._files.values())

    def close(self) -> None:
        """Close the files."""
        for file in self._files.values():
            file.close()
