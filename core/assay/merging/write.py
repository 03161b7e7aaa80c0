"""Writes one report of several runs."""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

from attrs import evolve, frozen

from assay.account import Account
from assay.errors import ConfigError, RunError
from assay.journal.write import Journal
from assay.merging.together import put_together
from assay.reporting import file_names, reporting
from assay.running.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from assay.discovery.manager import Plugins
    from assay.merging.together import Together
    from assay.model.report import Report


@frozen(kw_only=True)
class Merged:
    """What ``merge_results`` wrote."""

    report: Report
    """The runs as one; its ``exit_code`` is that of one run."""
    paths: tuple[str, ...]
    """The reports, as the user named them."""
    warnings: tuple[str, ...] = ()


def merge_results(
    results: Sequence[str | Path],
    *,
    output: str | Path | Sequence[str | Path] = (),
    reporter: str | None = None,
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    stdout: IO[str] | None = None,
    sets: Sequence[str] = (),
) -> Merged:
    """Put the results of several runs together, the parts of ``--shard`` above all.

    Cases stand in the order of their suites and of their places in them. A case that several
    files have counts once: as in the last of them.

    Args:
        results: The ``.jsonl`` files that the runs wrote.
        output: Files to write, each in the format of its suffix.
        reporter: The reporter of the first one; of standard output, when there is none.
        plugins: As for ``run``.
        cwd: As for ``run``.
        environ: As for ``run``.
        stdout: Where a report without a file goes; by default to standard output.
        sets: Settings of reporters, as ``--set`` takes them.

    Raises:
        ConfigError: A file holds no run, the runs were started in different ways, there is no
            such reporter, or an output is one of the files.
        RunError: A report could not be written; the others are.
    """
    desk = reporting(plugins=plugins, cwd=cwd, environ=environ, stdout=stdout, sets=sets)
    outputs = file_names(output)
    files = {str(name): desk.cwd / name for name in results}
    # Looks whether there is something to write at all, and whether -r names no agent.
    desk.chooser.pages(outputs, reporter)
    _check_outputs(outputs, files, desk.cwd)
    choice = desk.chooser.choose(outputs, reporter)
    together = put_together(files)
    told: list[str] = []
    with Journal(
        choice.journal, live=[desk.stdout] if choice.is_live else (), told=told.append
    ) as journal:
        _write(together, journal)
        report = journal.report()
        written = desk.write(choice.pages, report)
        if written.problems:
            raise RunError("; ".join(written.problems))
        journals = _real(journal.paths)
        own = [name for name in outputs if os.path.realpath(desk.cwd / name) in journals]
    return Merged(
        report=report,
        paths=tuple(dict.fromkeys([*own, *written.paths])),
        warnings=(*together.warnings, *desk.equipment.warnings, *told),
    )


def _write(together: Together, journal: Journal) -> None:
    account = Account()
    info = journal.start(together.info)
    for result in together.results():
        if result.several:
            for attempt in result.attempts:
                journal.attempt(result, attempt)
        account.add(result)
        journal.result(result)
    stop = Stop(together.stopped, together.exit_code)
    summary = evolve(
        account.summary(info, stop),
        duration_ms=together.duration_ms,
        completed_at=together.completed_at,
    )
    journal.finish(summary, account.exit_code(stop))


def _check_outputs(outputs: Sequence[str], files: Mapping[str, Path], place: Path) -> None:
    merged = _real(files.values())
    for name in outputs:
        if os.path.realpath(place / name) in merged:
            raise ConfigError(
                f"-o {name}: it is one of the files that are merged; name another file"
            )


def _real(paths: Iterable[Path]) -> set[str]:
    return {os.path.realpath(path) for path in paths}
