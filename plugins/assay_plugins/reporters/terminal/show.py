"""What the ``terminal`` reporter shows, as it happens."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final

from assay.escape import workflow
from assay_plugins.reporters._facts import flat, replay_phrase
from assay_plugins.reporters.terminal.heading import heading
from assay_plugins.reporters.terminal.tally import Tally
from assay_plugins.reporters.terminal.text import Look, Marks
from assay_plugins.reporters.terminal.totals import TotalsView

if TYPE_CHECKING:
    from assay import CaseResult, ReportContext, RunInfo, Summary
    from assay_plugins.reporters.terminal.failures import CaseView
    from assay_plugins.reporters.terminal.live import LiveLine

_IN_FULL: Final = 50
"""Cases that did not pass and are shown in full; after them a line each."""
_IN_BRIEF: Final = 500
"""Cases that did not pass and are shown at all: a log has an end too."""


class Show:
    """Writes the lines of a run, and its live line on a terminal."""

    def __init__(self, context: ReportContext) -> None:
        stream = context.stderr
        self._context = context
        self._stream = stream
        self._look = Look(
            width=_width(context),
            color=context.color,
            marks=Marks.of(getattr(stream, "encoding", None)),
        )
        self._tally = Tally.of(context.info)
        self._replayed = replay_phrase(context.info)
        self._case_view: CaseView | None = None
        self._live: LiveLine | None = None
        self._shown = 0
        self._step = 0
        self._next = 0
        """At how many attempts the next line of progress is due; 0: never."""
        self._may_go_on = False

    def start(self, info: RunInfo) -> None:
        """Say what will run, and show the live line."""
        self._tally = Tally.of(info)
        self._replayed = replay_phrase(info)
        if self._context.quiet:
            return
        self._print(heading(info, self._look))
        if self._context.animated:
            self._start_live()
        elif not self._context.verbose:
            self._step = self._next = _step(self._tally.attempts)

    def attempt(self, result: CaseResult) -> None:
        """Count it."""
        self._tally.attempt(result)
        if self._next and self._tally.attempts_done >= self._next:
            self._progress()

    def result(self, result: CaseResult) -> None:
        """Show a case that did not pass, and with ``-v`` any case."""
        tally = self._tally
        tally.add(result)
        if not self._context.quiet:
            if self._context.verbose:
                self._print(["", *self._cases().whole(result)])
            elif result.status not in ("passed", "skipped"):
                self._failure(result)
        if self._next and tally.attempts_done >= self._next:
            self._progress()

    def finish(self, summary: Summary) -> None:
        """Take the live line away; say what the whole run gave."""
        self._stop_live()
        # A case that stopped the run stops it again when it goes on.
        self._may_go_on = summary.stopped is not None and "--fail-fast" not in summary.stopped
        view = TotalsView(self._look, self._replayed)
        lines = [] if self._context.quiet else view.all(self._tally, summary)
        self._print([*lines, *view.verdict(summary)])

    def written(self, paths: Sequence[str]) -> None:
        """Say where the reports are, and how a run goes on that was stopped."""
        if self._context.quiet or not paths:
            return
        # A path is never cut: it is there to be copied.
        self._print(f"Report  {flat(path)}" for path in paths)
        journals = [path for path in paths if path.endswith(".jsonl")]
        if self._may_go_on and len(journals) == 1:
            self._print([f"Go on with the same command and --resume {quote(flat(journals[0]))}"])

    def close(self) -> None:
        """Take the live line away, when the run broke off."""
        self._stop_live()

    def _cases(self) -> CaseView:
        # Most runs show no case: then it is not even imported.
        if self._case_view is None:
            from assay_plugins.reporters.terminal.failures import CaseView

            self._case_view = CaseView(self._look)
        return self._case_view

    def _failure(self, result: CaseResult) -> None:
        self._shown += 1
        if self._shown <= _IN_FULL:
            self._print(["", *self._cases().failure(result)])
        elif self._shown <= _IN_BRIEF:
            self._print(self._cases().brief(result))
        elif self._shown == _IN_BRIEF + 1:
            self._print(["More cases that did not pass are counted, and all in the report."])

    def _progress(self) -> None:
        tally = self._tally
        done = tally.attempts_done
        self._next = (done // self._step + 1) * self._step
        if done >= tally.attempts:
            return
        width = len(str(tally.attempts))
        unit = "runs" if tally.has_several else "cases"
        failed = f", {tally.failed} failed" if tally.failed else ""
        self._print([f"{done:{width}} of {tally.attempts} {unit}{failed}"])

    def _start_live(self) -> None:
        from assay_plugins.reporters.terminal.live import LiveLine

        context = self._context
        self._live = LiveLine(self._stream, self._tally, context.environ, color=context.color)
        self._live.start()

    def _stop_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _print(self, lines: Iterable[str]) -> None:
        text = "".join(f"{line}\n" for line in lines)
        if self._context.environ.get("GITHUB_ACTIONS"):
            text = workflow(text)
        if self._live is not None:
            self._live.print(text)
        else:
            self._stream.write(text)
            self._stream.flush()


def _width(context: ReportContext) -> int:
    """The width to write for: that of the terminal within reason, 80 in a log."""
    if not context.animated:
        return 80
    import os

    try:
        columns = os.get_terminal_size(context.stderr.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return 80
    return min(max(columns, 40), 100) if columns else 80


def _step(total: int) -> int:
    """How many attempts lie between two lines of progress: 10, 20, 50, 100 and so on.

    The smallest that gives at most twenty lines; 0, for none, where there are twenty or fewer.
    """
    if total <= 20:
        return 0
    step = 10
    for factor in itertools.cycle((2.0, 2.5, 2.0)):
        if total <= 20 * step:
            break
        step = int(step * factor)
    return step
