"""Writes the pages of a run that is over; a run and ``assay report`` do it alike."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Final, cast

from attrs import frozen

from assay.errors import RunError
from assay.reports.sink import page_file, page_stream
from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.contracts import PageReporter
    from assay.model.report import Report
    from assay.reports.choose import PagePlan
    from assay.reports.installed import InstalledReporter


SECONDS: Final = 1800.0
"""How long a page may take: one of a million cases takes minutes."""


@frozen(kw_only=True)
class Written:
    """What became of the pages."""

    paths: tuple[str, ...]
    """Those that stand, as the user named them; without standard output."""
    problems: tuple[str, ...] = ()
    """Why the others do not, a sentence each."""


def write_pages(
    pages: Iterable[PagePlan],
    report: Report,
    *,
    settings: Callable[[InstalledReporter], object],
    redact: Callable[[str], str],
    stdout: IO[str],
    watch: Watch | None = None,
) -> Written:
    """Write pages. One that fails leaves its file as it was, and the others are written.

    Args:
        pages: What to write, and where.
        report: The run.
        settings: Gives the settings of a reporter.
        redact: Replaces secrets in a text.
        stdout: For the page that has no file.
        watch: Told of what is under way.
    """
    watch = watch or Watch()
    paths: list[str] = []
    problems: list[str] = []
    for page in pages:
        make = cast("Callable[[object], PageReporter]", page.reporter.type)
        given = settings(page.reporter)
        target = page_stream(stdout, redact) if page.path is None else page_file(page.path, redact)
        stage = watch.enter(page.stage, SECONDS, blocks=True)
        try:
            with target as out:
                make(given).write(report, out)
        except RunError as error:
            problems.append(str(error))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plugin raises
            problems.append(f"{page.name}: {page.reporter.failure(error)}")
        else:
            if page.path is not None:
                paths.append(page.name)
        finally:
            watch.leave(stage)
    return Written(paths=tuple(paths), problems=tuple(problems))
