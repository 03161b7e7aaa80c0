"""Where a run takes place."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from attrs import field, frozen

from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from assay.running.watchdog import Watchdog


@frozen(kw_only=True)
class Surroundings:
    """What is around a run: folder, variables, streams, and who is told of what."""

    cwd: Path
    environ: Mapping[str, str]
    stdout: IO[str]
    """For results alone."""
    stderr: IO[str]
    animated: bool = False
    color: bool = False
    command: str | None = None
    """The command that repeats the run."""
    is_shown: bool = True
    """Whether reporters that are on by themselves show the run."""
    has_default_file: bool = True
    """Whether results go to a file although no ``-o`` names one."""
    tell: Callable[[str], None]
    """Tells in one sentence what a user should know and the run survives."""
    watch: Watch = field(factory=Watch)
    """Told of what is under way."""
    watchdog: Watchdog | None = None
    """Ends the process when a stage does not end; None: the process is not ours."""

    def shown(self, path: Path) -> str:
        """Name a file as a user would: from the working directory, where it is below it."""
        return str(path.relative_to(self.cwd)) if path.is_relative_to(self.cwd) else str(path)
