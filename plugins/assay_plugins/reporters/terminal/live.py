"""The live line: how far a run has come, redrawn a few times per second."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Final, TextIO, cast

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task
from rich.segment import Segment, Segments
from rich.text import Text

from assay.process import keep_output
from assay_plugins.reporters.terminal.above import Above

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from assay_plugins.reporters.terminal.tally import Tally

_PER_SECOND: Final = 5
"""Redraws. They happen in a thread: a result only changes numbers in the tally."""


class LiveLine:
    """A line below all that is printed, which goes when it is stopped.

    Args:
        stream: A terminal. Where ``sys.stdout`` or ``sys.stderr`` is this stream, what others
            write to it appears above the line, whole line by whole line.
        tally: The numbers to show.
        environ: Variables that say what the terminal can do.
        color: Whether colours may be used.
    """

    def __init__(
        self, stream: IO[str], tally: Tally, environ: Mapping[str, str], *, color: bool
    ) -> None:
        self._stream = stream
        self._keeps_output = False
        self._above = Above(stream, self.print)
        self._console = _Console(
            file=stream,
            force_terminal=True,
            color_system="auto" if color else None,
            no_color=not color,
            highlight=False,
            markup=False,
            emoji=False,
            _environ=environ,
        )
        unicode = (self._console.encoding or "").lower().startswith("utf")
        self._progress = _Progress(
            SpinnerColumn("dots" if unicode else "line", style="cyan"),
            BarColumn(24, complete_style="green", finished_style="green", pulse_style="green"),
            _Numbers(tally),
            console=self._console,
            tally=tally,
        )

    def start(self) -> None:
        """Show the line."""
        atexit.register(self.stop)
        self._keeps_output = keep_output(self._stream, True)
        if sys.stdout is self._stream:
            sys.stdout = cast("TextIO", self._above)
        if sys.stderr is self._stream:
            sys.stderr = cast("TextIO", self._above)
        self._progress.start()

    def stop(self) -> None:
        """Take the line away; it may be called again."""
        atexit.unregister(self.stop)
        self._progress.stop()
        if self._keeps_output:
            self._keeps_output = not keep_output(self._stream, False)
        above = cast("TextIO", self._above)
        if sys.stdout is above:
            sys.stdout = cast("TextIO", self._stream)
        if sys.stderr is above:
            sys.stderr = cast("TextIO", self._stream)
        self._above.finish()

    def print(self, text: str) -> None:
        """Write whole lines above the line; they must be escaped."""
        self._console.print(Segments([Segment(text)]), end="", crop=False, no_wrap=True)


class _Console(Console):
    """A console that never hides the cursor, so that a killed run does not leave it hidden."""

    def show_cursor(self, show: bool = True) -> bool:
        return False


class _Progress(Progress):
    """A bar whose one task takes its numbers from a tally whenever it is drawn."""

    def __init__(self, *columns: ProgressColumn, console: Console, tally: Tally) -> None:
        self._tally = tally
        super().__init__(
            *columns,
            console=console,
            transient=True,
            refresh_per_second=_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._run = self.add_task("", total=tally.attempts)

    def get_renderables(self) -> Iterable[RenderableType]:
        if self.task_ids:
            self.update(self._run, completed=self._tally.attempts_done)
        return super().get_renderables()


class _Numbers(ProgressColumn):
    """What is done, what failed, how fast, how long, how long still."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        super().__init__()

    def render(self, task: Task) -> Text:
        tally = self._tally
        text = Text(f"{tally.done}/{tally.cases}", no_wrap=True, overflow="ellipsis")
        if tally.failed:
            text.append(f"  {tally.failed} failed", "bold red")
        speed = task.speed
        if speed:
            text.append(f"  {_rate(speed)}", "cyan")
        text.append(f"  {_time(task.elapsed or 0)}")
        remaining = task.time_remaining
        if remaining is not None and not task.finished:
            text.append(f", {_time(remaining)} left", "dim")
        return text


def _rate(per_second: float) -> str:
    """Say how fast: ``120/s``, ``3.4/s``, ``12/min``."""
    if per_second < 1:
        return f"{per_second * 60:.0f}/min"
    return f"{per_second:.0f}/s" if per_second >= 10 else f"{per_second:.1f}/s"


def _time(seconds: float) -> str:
    """Say how long, in whole seconds: ``7s``, ``1m05s``, ``2h03m``."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
