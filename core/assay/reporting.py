"""What writes reports of runs that are over, with the settings that hold in a folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attrs import frozen

from assay.discovery.manager import make_plugins
from assay.equipment import Equipment, SettingsHome
from assay.reports.choose import make_chooser
from assay.reports.log import as_log
from assay.reports.pages import write_pages
from assay.settings.files import SettingsFiles
from assay.settings.layers import run_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.discovery.manager import Plugins
    from assay.model.report import Report
    from assay.reports.choose import Chooser, PagePlan
    from assay.reports.pages import Written


@frozen(kw_only=True)
class Reporting:
    """Chooses and writes reports."""

    cwd: Path
    """What relative paths are relative to."""
    equipment: Equipment
    chooser: Chooser
    stdout: IO[str]
    """For a report without a file."""

    def write(self, pages: Iterable[PagePlan], report: Report) -> Written:
        """Write pages. One that fails leaves its file as it was, and the others are written."""
        # What was recorded holds no secret.
        return write_pages(
            pages, report, settings=self.equipment.reporter, redact=str, stdout=self.stdout
        )


def reporting(
    *,
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    stdout: IO[str] | None = None,
    sets: Sequence[str] = (),
) -> Reporting:
    """Make what writes reports.

    Args:
        plugins: By default all that are installed.
        cwd: By default the working directory.
        environ: The variables; by default those of the process.
        stdout: Where a report without a file goes; by default to standard output.
        sets: Settings of reporters, as ``--set`` takes them.

    Raises:
        ConfigError: With every value that is wrong.
    """
    place = cwd or Path.cwd()
    variables = os.environ if environ is None else environ
    plugins = plugins or make_plugins()
    files = SettingsFiles(place)
    settings = run_settings({"sets": tuple(sets)}, variables, files.above(place))
    home = SettingsHome(sets=settings.sets, environ=variables, files=files, cwd=place)
    return Reporting(
        cwd=place,
        equipment=Equipment(plugins, home),
        chooser=make_chooser(plugins, place),
        stdout=as_log(stdout or sys.stdout, variables),
    )


def file_names(output: str | Path | Sequence[str | Path]) -> list[str]:
    """Give the names of one file or several."""
    named = [output] if isinstance(output, (str, Path)) else output
    return [str(name) for name in named]
