"""The thread that ends a run in which something stands still that cannot be cancelled.

Deadlines are kept by the event loop. Code that blocks it, or that ignores its cancellation, is
beyond them: this thread names it, lets the reports be written, and ends the process. For code
that holds the interpreter itself, so that no thread runs at all, ``faulthandler`` is the last
resort: it prints where every thread stands, and ends the process with 1.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay.duration import format_seconds
from assay.errors import ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.running.stop import Stop
    from assay.running.watch import Stage, Watch

TICK: Final = 0.5
"""Seconds between two looks at the stages, at most."""
QUIET: Final = 30.0
"""Seconds without any movement after which ``-v`` says what is under way; then twice as many."""
UNHEARD: Final = 5.0
"""Seconds that a signal may go unheard by a loop that is blocked."""
RESCUE: Final = 120.0
"""Seconds that the reports may take once the run is being ended."""
LAST: Final = 60.0
"""Seconds after which ``faulthandler`` ends what this thread should have ended."""
ENDING: Final = 10.0
"""Seconds that threads which were left behind may hold up the end of the process."""


@define
class Watchdog:
    """Watches a run in a process of our own.

    Args:
        watch: The stages.
        stop: Tells of signals.
        tell: Tells in one sentence, from any thread.
        grace: Seconds that a stage may outlive its limit.
        is_verbose: Whether to say what is under way when nothing has moved for a while.
    """

    watch: Watch
    stop: Stop
    tell: Callable[[str], None]
    grace: float = 30.0
    is_verbose: bool = False
    rescue: Callable[[str, Stage | None], None] | None = field(default=None, init=False)
    """Writes what can still be written; told why, and what stands still."""
    _over: threading.Event = field(factory=threading.Event, init=False)
    _main: int = field(factory=threading.get_ident, init=False)
    _told_at: float = field(default=0.0, init=False)
    _quiet: float = field(default=QUIET, init=False)
    _unheard_since: float | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin to watch the thread that calls this, and all stages."""
        threading.Thread(target=self._watch, name="assay-watchdog", daemon=True).start()

    def end(self, exit_code: int) -> None:
        """See that the process ends: the run is over, and threads of plugins may still run."""
        self._over.set()
        faulthandler.cancel_dump_traceback_later()
        threading.Thread(
            target=self._end_process, args=(exit_code,), name="assay-ending", daemon=True
        ).start()

    def _watch(self) -> None:
        tick = min(TICK, self.grace)
        while not self._over.wait(tick):
            self._look(time.monotonic())
        faulthandler.cancel_dump_traceback_later()

    def _look(self, now: float) -> None:
        stages = self.watch.stages()
        self._look_for_signal(now, stages)
        worst = max(stages, key=lambda stage: stage.overdue(now), default=None)
        if worst is not None and worst.overdue(now) > self.grace:
            where = self._where()
            self._give_up(
                f"{worst.describe(now)} does not end and cannot be cancelled{where}",
                worst,
                ExitCode.RUNTIME,
            )
        left = 0.0 if worst is None else max(0.0, -worst.overdue(now))
        faulthandler.dump_traceback_later(left + self.grace + LAST, exit=True, file=2)
        if self.is_verbose:
            self._tell_quiet(now, stages)

    def _look_for_signal(self, now: float, stages: list[Stage]) -> None:
        """End the run when its loop is blocked, and does not hear that it is to stop."""
        if self.stop.exit_code is None or self.stop.reason is not None:
            self._unheard_since = None
        elif self._unheard_since is None:
            self._unheard_since = now
        elif now - self._unheard_since > UNHEARD:
            what = stages[0].describe(now) if stages else "the run"
            self._give_up(
                f"interrupted, and {what} does not let go{self._where()}",
                stages[0] if stages else None,
                self.stop.exit_code,
            )

    def _tell_quiet(self, now: float, stages: list[Stage]) -> None:
        since = max(self.watch.moved_at, self._told_at)
        if self.watch.moved_at > self._told_at:
            self._quiet = QUIET
        if not stages or now - since < self._quiet:
            return
        self._told_at = now
        self._quiet *= 2
        more = f"; and {len(stages) - 1} more" if len(stages) > 1 else ""
        still = format_seconds(round(now - self.watch.moved_at))
        self.tell(f"nothing has moved for {still}: {stages[0].describe(now)}{more}")

    def _where(self) -> str:
        """Say where the main thread is, if it is in code at all and not waiting for events."""
        frame = sys._current_frames().get(self._main)
        if frame is None:
            return ""
        for entry in reversed(traceback.extract_stack(frame)):
            if "asyncio" in entry.filename or "selectors" in entry.filename:
                return ""
            return f"; it is at {entry.filename}:{entry.lineno} in {entry.name}"
        return ""

    def _give_up(self, message: str, stage: Stage | None, code: int) -> None:
        """End the process, with whatever can still be written."""
        guard = threading.Timer(RESCUE, os._exit, [code])
        guard.daemon = True
        guard.start()
        faulthandler.cancel_dump_traceback_later()
        self.watch.take_over()
        try:
            self.tell(message)
            if self.rescue is not None:
                self.rescue(message, stage)
        except BaseException as error:  # noqa: BLE001 - nobody else would tell it
            with suppress(Exception):
                self.tell(f"the reports could not be written: {type(error).__name__}: {error}")
        finally:
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
            os._exit(code)

    def _end_process(self, exit_code: int) -> None:
        time.sleep(ENDING)
        left = [
            thread.name
            for thread in threading.enumerate()
            if not thread.daemon and thread is not threading.main_thread()
        ]
        if left:
            names = ", ".join(left[:5]) + (" …" if len(left) > 5 else "")
            with suppress(Exception):
                self.tell(f"threads that do not end are left behind: {names}")
        os._exit(exit_code)
