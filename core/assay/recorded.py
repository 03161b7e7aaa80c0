"""Runs that are over, read from their JSON lines: as values, as reports, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import frozen

from assay.errors import RunError
from assay.journal.read import read_journal
from assay.reporting import file_names, reporting
from assay.reports.cases import case_reporter, folder_beside, write_each

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.discovery.manager import Plugins
    from assay.model.report import Report


def _nobody(_: str) -> None:
    """Tell nobody."""


def read_results(
    results: str | Path, *, cwd: Path | None = None, told: Callable[[str], None] = _nobody
) -> Report:
    """Read a run from its JSON lines.

    The results stay in the file, and are read from it each time they are iterated. A run that
    was killed is a run too: its ``summary.stopped`` says so.

    Args:
        results: The ``.jsonl`` file that a run wrote.
        cwd: What a relative path is relative to; by default the working directory.
        told: Told in one sentence of each line that cannot be read and is left out.

    Raises:
        ConfigError: The file cannot be read, holds no run, or was written by a newer assay.
    """
    reading = read_journal((cwd or Path.cwd()) / results, str(results))
    for problem in reading.problems:
        told(problem)
    return reading.report


@frozen(kw_only=True)
class WrittenReports:
    """What ``write_reports`` wrote."""

    paths: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def write_reports(
    results: str | Path,
    *,
    output: str | Path | Sequence[str | Path] = (),
    reporter: str | None = None,
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    stdout: IO[str] | None = None,
    sets: Sequence[str] = (),
) -> WrittenReports:
    """Write reports of a run that is over, from its JSON lines.

    Args:
        results: The ``.jsonl`` file that a run wrote.
        output: Files to write, each in the format of its suffix.
        reporter: The reporter of the first one; of standard output, when there is none.
        plugins: As for ``run``.
        cwd: As for ``run``.
        environ: As for ``run``.
        stdout: Where a report without a file goes; by default to standard output.
        sets: Settings of reporters, as ``--set`` takes them.

    Raises:
        ConfigError: ``results`` holds no run, or there is no such reporter.
        RunError: A report could not be written; the others are.
    """
    desk = reporting(plugins=plugins, cwd=cwd, environ=environ, stdout=stdout, sets=sets)
    pages = desk.chooser.pages(file_names(output), reporter)
    reading = read_journal(desk.cwd / results, str(results))
    written = desk.write(pages, reading.report)
    if written.problems:
        raise RunError("; ".join(written.problems))
    return WrittenReports(
        paths=written.paths, warnings=(*reading.problems, *desk.equipment.warnings)
    )


@frozen(kw_only=True)
class WrittenCases:
    """What ``write_cases`` wrote."""

    folder: str
    """As a user would name it."""
    count: int
    """Files."""
    warnings: tuple[str, ...] = ()


def write_cases(
    results: str | Path,
    *,
    folder: str | Path | None = None,
    reporter: str = "markdown",
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    sets: Sequence[str] = (),
) -> WrittenCases:
    """Write each case of a run that is over into a file of its own, from its JSON lines.

    Files have the names of the cases, made safe for any disk; with several suites, each has a
    folder.

    Args:
        results: The ``.jsonl`` file that a run wrote.
        folder: Where the files go; by default into a folder beside ``results``, of its name.
        reporter: The word of the reporter that writes them: one that can write single cases.
        plugins: As for ``run``.
        cwd: As for ``run``.
        environ: As for ``run``.
        sets: Settings of the reporter, as ``--set`` takes them.

    Raises:
        ConfigError: ``results`` holds no run, or no such reporter writes single cases.
        RunError: A file could not be written.
    """
    desk = reporting(plugins=plugins, cwd=cwd, environ=environ, sets=sets)
    chosen = case_reporter(desk.equipment.plugins, reporter)
    reading = read_journal(desk.cwd / results, str(results))
    named = folder_beside(Path(results)) if folder is None else Path(folder)
    count = write_each(reading.report, desk.cwd / named, chosen, desk.equipment.reporter(chosen))
    return WrittenCases(
        folder=str(named), count=count, warnings=(*reading.problems, *desk.equipment.warnings)
    )
