"""The thread that ends a run in which something stands still that cannot be cancelled.

Deadlines are kept by the event loop. Code that blocks it, or that ignores its cancellation, is
beyond them: this thread names it, lets the reports be written, and ends the process. For code
that holds the interpreter itself, so that no thread runs at all, ``faulthandler`` is the last
resort: it prints where every thread stands, and ends the process with 1, the one code it knows.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay.duration import format_seconds
from assay.errors import ExitCode
from assay.running.suspend import Suspending

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from assay.running.stop import Stop
    from assay.running.watch import Stage, Watch

    Rescuing: TypeAlias = Callable[[str, Stage | None, Callable[[str], None]], None]
    """Told why the run ends, what stands still, and how to tell something."""

TICK: Final = 0.5
"""Seconds between two looks at the stages, at most."""
QUIET: Final = 30.0
"""Seconds without any movement after which ``-v`` says what is under way; then twice as many."""
UNHEARD: Final = 5.0
"""Seconds that a signal may go unheard by a loop that is blocked."""
FROZEN: Final = 1.0
"""Seconds that a look may come late at least, before the process counts as stopped."""
RESCUE: Final = 120.0
"""Seconds that the reports may take once the run is being ended."""
HOLD: Final = 10.0
"""How many graces anything may hold the interpreter at most, whatever its limit is."""
LAST: Final = 2.0
"""How many graces later ``faulthandler`` ends what this thread should have ended."""
SOONEST: Final = 5.0
"""Seconds that it lets this thread have at least: a busy machine runs it late."""
SAYING: Final = 2.0
"""Seconds that a message may hold up the end: whoever reads standard error may have stopped."""
_LIBRARY: Final = Path(os.__file__).parent
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
        quiet: Seconds without any movement until it is said first.
        tick: Seconds between two looks at the stages, at most.
        unheard: Seconds that a signal may go unheard by a loop that is blocked.
        ending: Seconds that threads which were left behind may hold up the end of the process.
    """

    watch: Watch
    stop: Stop
    tell: Callable[[str], None]
    grace: float = 30.0
    is_verbose: bool = False
    quiet: float = QUIET
    tick: float = TICK
    unheard: float = UNHEARD
    ending: float = ENDING
    rescue: Rescuing | None = field(default=None, init=False)
    """Writes what can still be written; None: nothing is to be written."""
    _over: threading.Event = field(factory=threading.Event, init=False)
    _main: int = field(factory=threading.get_ident, init=False)
    _told_at: float = field(default=0.0, init=False)
    _next_quiet: float = field(default=0.0, init=False)
    _unheard_since: float | None = field(default=None, init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _suspending: Suspending | None = field(default=None, init=False)

    def start(self) -> None:
        """Begin to watch the thread that calls this, and all stages."""
        self._thread = threading.Thread(target=self._watch, name="assay-watchdog", daemon=True)
        self._thread.start()
        # While the process is stopped by Ctrl-Z, the clock of the last resort would go on.
        self._suspending = Suspending(faulthandler.cancel_dump_traceback_later)
        self._suspending.begin()

    def rest(self) -> None:
        """Watch no more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._suspending is not None:
            self._suspending.end()

    def end(self, exit_code: int) -> None:
        """See that the process ends: the run is over, and threads of plugins may still run."""
        self.rest()
        threading.Thread(
            target=self._end_process, args=(exit_code,), name="assay-ending", daemon=True
        ).start()

    def _watch(self) -> None:
        tick = min(self.tick, self.grace)
        late = tick + max(FROZEN, self.grace / 2)
        now = looked = trusted = time.monotonic()
        is_spared = False
        try:
            # At once: what holds the interpreter may come before the first tick.
            self._look(now)
            while not self._over.wait(tick):
                now, before = time.monotonic(), looked
                looked = now
                if now >= trusted:
                    # The whole process stood still: the loop is to see, too, that time is up.
                    is_spared = now - before > late and not is_spared
                    trusted = now + self.grace if is_spared else now
                self._look(now, is_spared=now < trusted)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _look(self, now: float, *, is_spared: bool = False) -> None:
        stages = self.watch.stages()
        if not is_spared:
            self._judge(now, stages)
        longest = HOLD * self.grace
        left = min([longest, *(max(0.0, -stage.overdue(now)) for stage in stages)])
        last = max(SOONEST, LAST * self.grace)
        faulthandler.dump_traceback_later(left + self.grace + last, exit=True, file=2)
        if self.is_verbose:
            self._tell_quiet(now, stages)

    def _judge(self, now: float, stages: list[Stage]) -> None:
        """End the run when something stands still."""
        self._look_for_signal(now, stages)
        late = self.watch.late(now, self.grace)
        if late is not None:
            self._give_up(
                f"{late.describe(now)} does not end and cannot be cancelled{self._where()}",
                late,
                ExitCode.RUNTIME,
            )

    def _look_for_signal(self, now: float, stages: list[Stage]) -> None:
        """End the run when its loop is blocked, and does not hear that it is to stop."""
        if self.stop.exit_code is None or self.stop.reason is not None:
            self._unheard_since = None
        elif self._unheard_since is None:
            self._unheard_since = now
        elif now - self._unheard_since > self.unheard:
            stage = self.watch.blocking(now, self.unheard) or next(iter(stages), None)
            what = "the run" if stage is None else stage.describe(now)
            self._give_up(
                f"interrupted, and {what} does not let go{self._where()}",
                stage,
                self.stop.exit_code,
            )

    def _tell_quiet(self, now: float, stages: list[Stage]) -> None:
        since = max(self.watch.moved_at, self._told_at)
        if self.watch.moved_at > self._told_at:
            self._next_quiet = self.quiet
        if not stages or now - since < self._next_quiet:
            return
        self._told_at = now
        self._next_quiet *= 2
        more = f"; and {len(stages) - 1} more" if len(stages) > 1 else ""
        still = format_seconds(round(now - self.watch.moved_at))
        self.tell(f"nothing has moved for {still}: {stages[0].describe(now)}{more}")

    def _where(self) -> str:
        """Say where the main thread is, if it is in code of somebody and not waiting for events."""
        # There is no public name for it, and it is documented.
        frame = sys._current_frames().get(self._main)  # pyright: ignore[reportPrivateUsage]
        if frame is None:
            return ""
        for entry in reversed(traceback.extract_stack(frame)):
            path = Path(entry.filename)
            if path.parent.name == "asyncio":
                return ""
            # Whoever called the standard library is to be named.
            if "site-packages" in path.parts or not path.is_relative_to(_LIBRARY):
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
            self._say(message)
            if self.rescue is not None:
                self.rescue(message, stage, self._say)
        except BaseException as error:  # noqa: BLE001 - nobody else would tell it
            self._say(f"the reports could not be written: {type(error).__name__}: {error}")
        finally:
            os._exit(code)

    def _say(self, message: str) -> None:
        """Tell something, but wait for no reader that has stopped reading."""

        def say() -> None:
            with suppress(Exception):
                self.tell(message)

        saying = threading.Thread(target=say, name="assay-message", daemon=True)
        saying.start()
        saying.join(SAYING)

    def _end_process(self, exit_code: int) -> None:
        time.sleep(self.ending)
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
