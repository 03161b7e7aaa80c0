"""Ctrl-Z: what to do before the process is stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


@define(eq=False)
class Suspending:
    """Has something done before Ctrl-Z stops the process; then it stops as any other.

    Args:
        before: What is done, in the main thread.
    """

    before: Callable[[], None]
    _is_set: bool = field(default=False, init=False)

    def begin(self) -> None:
        """Begin; a handler of others stays, and so does a terminal without job control."""
        if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGTSTP) == signal.SIG_DFL:
            signal.signal(signal.SIGTSTP, self._stop)
            self._is_set = True

    def end(self) -> None:
        """End it."""
        if sys.platform != "win32" and self._is_set:
            signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            self._is_set = False

    def _stop(self, number: int, _: FrameType | None) -> None:
        self.before()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        # It goes on here when it is continued.
        signal.signal(number, self._stop)
