"""Runs that are over, read from their JSON lines: as values, as reports, case by case."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import frozen

from assay.discovery.manager import make_plugins
from assay.equipment import Equipment, SettingsHome
from assay.errors import RunError
from assay.journal.read import read_journal
from assay.reports.cases import case_reporter, folder_beside, write_each
from assay.reports.choose import Chooser
from assay.reports.installed import installed_reporters
from assay.reports.log import as_log
from assay.reports.pages import write_pages
from assay.settings.files import SettingsFiles
from assay.settings.layers import run_settings

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
    place = cwd or Path.cwd()
    variables = os.environ if environ is None else environ
    plugins = plugins or make_plugins()
    equipment = reporting(plugins, place, variables, sets)
    chooser = Chooser(
        installed=installed_reporters(plugins),
        cwd=place,
        why_missing=lambda word: plugins.why_missing("reporter", word),
    )
    outputs = [output] if isinstance(output, (str, Path)) else list(output)
    pages = chooser.pages([str(path) for path in outputs], reporter)
    reading = read_journal(place / results, str(results))
    written = write_pages(
        pages,
        reading.report,
        settings=equipment.reporter,
        redact=str,
        stdout=as_log(stdout or sys.stdout, variables),
    )
    if written.problems:
        raise RunError("; ".join(written.problems))
    return WrittenReports(paths=written.paths, warnings=(*reading.problems, *equipment.warnings))


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
    place = cwd or Path.cwd()
    variables = os.environ if environ is None else environ
    plugins = plugins or make_plugins()
    equipment = reporting(plugins, place, variables, sets)
    chosen = case_reporter(plugins, reporter)
    reading = read_journal(place / results, str(results))
    named = folder_beside(Path(results)) if folder is None else Path(folder)
    count = write_each(reading.report, place / named, chosen, equipment.reporter(chosen))
    return WrittenCases(
        folder=str(named), count=count, warnings=(*reading.problems, *equipment.warnings)
    )


def reporting(
    plugins: Plugins, place: Path, environ: Mapping[str, str], sets: Sequence[str]
) -> Equipment:
    """Give what makes reporters, with the settings that hold in a folder.

    Raises:
        ConfigError: With every value that is wrong.
    """
    files = SettingsFiles(place)
    settings = run_settings({"sets": tuple(sets)}, environ, files.above(place))
    home = SettingsHome(sets=settings.sets, environ=environ, files=files, cwd=place)
    return Equipment(plugins, home)
