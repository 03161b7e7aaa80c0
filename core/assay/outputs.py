"""Which files a run writes, and which reporters show it."""

from __future__ import annotations

import os
from datetime import datetime
from typing import TYPE_CHECKING

from attrs import frozen

from assay.errors import ConfigError
from assay.journal.file import Place
from assay.reports.choose import make_chooser
from assay.reports.feed import wanted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.model.case import Suite
    from assay.planning import Prepared
    from assay.reports.choose import Choice
    from assay.reports.installed import InstalledReporter
    from assay.surroundings import Surroundings


@frozen(kw_only=True)
class Outputs:
    """What a run writes, and who shows it."""

    choice: Choice
    streams: tuple[InstalledReporter, ...]
    """Reporters that show the run as it happens."""
    inputs: tuple[Path, ...]
    """The files of cases."""

    def use_of(self, path: Path) -> str | None:
        """Say what the run itself does with a file; None when it has nothing to do with it.

        Args:
            path: Absolute.
        """
        real = os.path.realpath(path)
        for use, used in self._uses():
            if os.path.realpath(used) == real:
                return use
        return None

    def _uses(self) -> Iterator[tuple[str, Path]]:
        choice = self.choice
        for file in self.inputs:
            yield "is a file of cases", file
        if choice.journal.how == "instead":
            yield "is the file of the run that goes on", choice.journal.path
        elif choice.journal.how == "over":
            yield "is written by -o", choice.journal.path
        for page in (*choice.pages, choice.agent):
            if page is not None and page.path is not None:
                yield "is written by -o", page.path


def outputs_of(prepared: Prepared, around: Surroundings) -> Outputs:
    """Choose what a run writes, from ``-o``, ``-r`` and the installed reporters.

    Raises:
        ConfigError: A value is wrong, or a reporter is missing.
    """
    settings = prepared.settings
    suites: list[Suite] = [planned.suite for planned in prepared.plan.suites]
    chooser = make_chooser(prepared.equipment.plugins, around.cwd)
    into = _into(prepared, around.cwd)
    choice = chooser.choose(
        [name for name in settings.outputs if not _is_at(name, into, prepared, around.cwd)],
        settings.reporter,
        suites=suites,
        now=datetime.now() if around.has_default_file else None,
        is_live=settings.json,
        into=into,
    )
    # The answer to a message stands alone; what is wrong with it is told beside it.
    is_shown = around.is_shown and not prepared.plan.is_message
    on = wanted(chooser.installed, around.environ, around.tell) if is_shown else ()
    return Outputs(
        choice=choice,
        streams=tuple(dict.fromkeys([*on, *choice.streams])),
        inputs=tuple(suite.path for suite in suites if suite.path is not None),
    )


def _into(prepared: Prepared, cwd: Path) -> Place | None:
    """Give the journal of an earlier run that goes on."""
    settings, resumed = prepared.settings, prepared.resumed
    name = settings.resume or settings.retry_errors
    if name is None:
        return None
    if resumed is None:
        return Place(cwd / name)
    return Place(resumed.previous.path, "instead")


def _is_at(name: str, into: Place | None, prepared: Prepared, cwd: Path) -> bool:
    """Whether an output is the file that goes on, which is written anyway."""
    settings = prepared.settings
    if into is None or os.path.realpath(cwd / name) != os.path.realpath(into.path):
        return False
    if settings.reporter is not None and name == settings.outputs[0]:
        raise ConfigError(
            f"-o {name}: the run goes on in this file, so that -r {settings.reporter} cannot"
            " write it; name another file first"
        )
    return True
