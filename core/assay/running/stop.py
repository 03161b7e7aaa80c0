"""Why a run stops before its end, and the signals that stop it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import define, field

from assay.errors import ExitCode, RunError
from assay.escape import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from types import FrameType


@define(eq=False)
class Stop:
    """Asks a run to stop; the first reason stays."""

    reason: str | None = None
    exit_code: ExitCode | None = None
    """What the process ends with, where the reason decides it."""
    breaks_off: bool = field(default=False, init=False)
    """Whether a signal breaks off what is under way at once."""
    signalled: str | None = field(default=None, init=False)
    """The reason by a signal, which the event loop may not have heard of yet."""
    _task: asyncio.Task[object] | None = field(default=None, init=False)

    def watch(self, task: asyncio.Task[object]) -> None:
        """Cancel this task when a stop is asked for."""
        self._task = task

    def ask(self, reason: str, exit_code: ExitCode | None = None) -> None:
        """Ask the run to stop; attempts under way are cancelled."""
        if self.reason is None:
            self.reason = reason
            self.exit_code = exit_code
            if self._task is not None:
                self._task.cancel()

    def fail_fast(self, case_id: str) -> None:
        """Stop the run, as ``--fail-fast`` wants it when a case did not pass.

        Its own task says so and looks at the reason itself: cancelled, it could not wait until
        the executor has let go of the attempts that are under way.
        """
        if self.reason is None:
            self.reason = f"stopped by --fail-fast after {one_line(case_id, 100)}"

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Let a signal break off what blocks the event loop before any case runs.

        Raises:
            RunError: A signal came. It bears the exit code.
        """
        try:
            self.breaks_off = True
            if self.signalled is not None:
                raise _BrokenOff
            yield
        except _BrokenOff:
            raise self._too_early() from None
        finally:
            self.breaks_off = False

    @contextmanager
    def before_any_case(self) -> Generator[None]:
        """Let a stop cancel what the current task waits for before any case runs.

        Raises:
            RunError: A stop was asked for. It bears the exit code.
        """
        task = asyncio.current_task()
        assert task is not None
        if self.reason is not None:
            raise self._too_early()
        self._task = task
        try:
            yield
        except asyncio.CancelledError:
            if self.reason is None or task.uncancel():
                raise
            raise self._too_early() from None
        finally:
            self._task = None

    def _too_early(self) -> RunError:
        error = RunError(f"{self.reason or self.signalled}, before any case ran")
        error.exit_code = self.exit_code or ExitCode.RUNTIME
        return error


class _BrokenOff(KeyboardInterrupt):
    """Like Ctrl-C without a handler: it goes through the code of plugins, which catch errors."""


@contextmanager
def signals(
    stop: Stop, loop: asyncio.AbstractEventLoop, at_once: Callable[[], None]
) -> Generator[None]:
    """Let Ctrl-C and SIGTERM stop the run; a second Ctrl-C ends the process at once.

    ``signal.signal`` and not the loop's own handlers: it works when the loop is blocked by an
    agent's code.

    Args:
        stop: What is asked to stop.
        loop: The loop of the run.
        at_once: Called before the process ends at once: it kills what must not be left behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: FrameType | None) -> None:
        if stop.signalled is not None and number == signal.SIGINT:
            at_once()
            os._exit(ExitCode.INTERRUPTED)
        reason, code = _REASONS[signal.Signals(number)]
        # The loop may be asleep in select: this wakes it up.
        loop.call_soon_threadsafe(stop.ask, reason, code)
        if stop.signalled is None:
            stop.signalled = reason
            if stop.reason is None:
                stop.exit_code = code
        if stop.breaks_off:
            raise _BrokenOff

    before = {number: signal.signal(number, handle) for number in _REASONS}
    try:
        with _woken_by_signals(loop):
            yield
    finally:
        for number, handler in before.items():
            # None: it was set by a program that Python is part of, and cannot be set from here.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


@contextmanager
def _woken_by_signals(loop: asyncio.AbstractEventLoop) -> Generator[None]:
    """Let every signal wake the loop up.

    One that comes just before the loop falls asleep would be handled only when something else
    wakes it, which may be never.
    """
    awake, bell = socket.socketpair()
    for end in (awake, bell):
        end.setblocking(False)
    before = signal.set_wakeup_fd(bell.fileno(), warn_on_full_buffer=False)
    loop.add_reader(awake, awake.recv, 4096)
    try:
        yield
    finally:
        loop.remove_reader(awake)
        signal.set_wakeup_fd(before)
        awake.close()
        bell.close()


_REASONS = {
    signal.SIGINT: ("interrupted by Ctrl-C", ExitCode.INTERRUPTED),
    signal.SIGTERM: ("terminated by a signal", ExitCode.TERMINATED),
}
