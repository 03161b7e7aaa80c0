"""Writes each case of a run into a file of its own, for review."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from assay.errors import ConfigError, RunError
from assay.escape import file_name
from assay.reports.installed import InstalledReporter, installed_reporters
from assay.reports.sink import page_file
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from assay.contracts import CaseReporter
    from assay.discovery.manager import Plugins
    from assay.model.report import Report


def case_reporter(plugins: Plugins, word: str) -> InstalledReporter:
    """Find the reporter of a word, which must be one that can write a single case.

    Raises:
        ConfigError: There is none.
    """
    able = {
        one.word: one
        for one in installed_reporters(plugins)
        if one.suffixes and callable(getattr(one.type, "write_case", None))
    }
    found = able.get(word.removeprefix("report."))
    if found is not None:
        return found
    why = plugins.why_missing("reporter", word)
    if why is not None:
        raise ConfigError(f"--format {word}: {why}")
    raise ConfigError(
        f"--format {word}: no such reporter writes single cases; {hint(word, sorted(able))}"
    )


def folder_beside(results: Path) -> Path:
    """Name the folder for the cases of a file: ``run`` for ``run.jsonl``."""
    name = results.stem if results.suffix else f"{results.name}-cases"
    return results.with_name(name)


def write_each(report: Report, folder: Path, reporter: InstalledReporter, settings: object) -> int:
    """Write the files, and count them.

    Args:
        report: The run.
        folder: Where they go; it is made where it is missing.
        reporter: Its class writes single cases.
        settings: Its settings.

    Raises:
        RunError: A file could not be written, or the reporter failed.
    """
    make = cast("Callable[[object], CaseReporter]", reporter.type)
    names = _Names(folder, has_folders=len(report.info.suites) > 1)
    count = 0
    try:
        writer = make(settings)
        for result in report.cases:
            path = names.take(result.suite, result.case.id, result.index, reporter.suffixes[0])
            with page_file(path, str) as out:
                writer.write_case(result, out)
            count += 1
    except RunError:
        raise
    except (Exception, SystemExit) as error:
        raise RunError(reporter.failure(error)) from error
    return count


class _Names:
    """Names of files that differ on every disk."""

    def __init__(self, folder: Path, *, has_folders: bool) -> None:
        self._folder = folder
        self._has_folders = has_folders
        self._of_suites: set[str] = set()
        self._folders: dict[str, Path] = {}
        self._taken: dict[Path, set[str]] = {}

    def take(self, suite: str, case: str, index: int, suffix: str) -> Path:
        """Name the file of a case."""
        folder = self._folder
        if self._has_folders:
            if suite not in self._folders:
                name = file_name(suite or "suite", taken=self._of_suites)
                self._folders[suite] = folder / name
            folder = self._folders[suite]
        taken = self._taken.setdefault(folder, set())
        before = len(taken)
        name = file_name(case, taken=taken)
        if len(taken) == before:
            # A journal put together by hand may hold an id again and again.
            name = file_name(f"{case} {index}", taken=taken)
        return folder / f"{name}{suffix}"
