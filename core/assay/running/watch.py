"""What is under way in a run, and since when: so that a run that stands still can say where."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from attrs import define, field

from assay.duration import format_seconds

if TYPE_CHECKING:
    from collections.abc import Generator

    from assay.running.deadline import Deadline


@define(eq=False)
class Stage:
    """Something that is under way and must come to an end.

    Args:
        what: What it is, in words that go on after "still": ``opening agent 'x' over 'yao'``.
        limit: Seconds that it may take; or a deadline, which stands still at times.
    """

    what: str
    limit: float | Deadline
    doing: str = ""
    """Which part of it is under way, if it has parts."""
    since: float = field(factory=time.monotonic, init=False)

    def overdue(self, now: float) -> float:
        """Seconds beyond its limit; negative as long as there is time."""
        if isinstance(self.limit, (int, float)):
            return now - self.since - self.limit
        return self.limit.overdue(now)

    def describe(self, now: float) -> str:
        """Say what it is and how long it has taken."""
        part = f", {self.doing}" if self.doing else ""
        took = format_seconds(max(0, round(now - self.since)))
        limit = self.limit if isinstance(self.limit, (int, float)) else self.limit.seconds
        return f"{self.what}{part} (for {took}; it may take {format_seconds(limit)})"


class Watch:
    """The stages that are under way. Any thread may look."""

    def __init__(self) -> None:
        self._stages: dict[int, Stage] = {}
        self._is_taken_over = False
        self.moved_at = time.monotonic()
        """When a stage last began or ended."""

    def enter(self, what: str, limit: float | Deadline, doing: str = "") -> Stage:
        """A stage begins.

        Args:
            what: As for ``Stage``.
            limit: As for ``Stage``.
            doing: As for ``Stage``.
        """
        if self._is_taken_over:
            _park()
        stage = Stage(what, limit, doing)
        self._stages[id(stage)] = stage
        self.moved_at = stage.since
        return stage

    def leave(self, stage: Stage) -> None:
        """A stage has ended."""
        if self._is_taken_over:
            _park()
        self._stages.pop(id(stage), None)
        self.moved_at = time.monotonic()

    @contextmanager
    def stage(self, what: str, limit: float) -> Generator[Stage]:
        """Surround a stage.

        Args:
            what: As for ``Stage``.
            limit: Seconds.
        """
        stage = self.enter(what, limit)
        try:
            yield stage
        finally:
            self.leave(stage)

    def stages(self) -> list[Stage]:
        """Give the stages that are under way, the oldest first."""
        return sorted(self._stages.copy().values(), key=lambda stage: stage.since)

    def take_over(self) -> None:
        """Let no thread but those that watch go on: it waits for the end at its next stage."""
        self._is_taken_over = True


def _park() -> None:
    # The process is being ended by another thread, which alone may write now.
    threading.Event().wait()
