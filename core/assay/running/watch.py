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
        blocks: Whether the event loop does nothing else meanwhile.
    """

    what: str
    limit: float | Deadline
    doing: str = ""
    """Which part of it is under way, if it has parts."""
    blocks: bool = False
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
        self._owner: int | None = None
        self.moved_at = time.monotonic()
        """When a stage last began or ended."""

    def enter(
        self, what: str, limit: float | Deadline, doing: str = "", *, blocks: bool = False
    ) -> Stage:
        """A stage begins.

        Args:
            what: As for ``Stage``.
            limit: As for ``Stage``.
            doing: As for ``Stage``.
            blocks: As for ``Stage``.
        """
        self._halt()
        stage = Stage(what, limit, doing, blocks)
        self._stages[id(stage)] = stage
        self.moved_at = stage.since
        return stage

    def leave(self, stage: Stage) -> None:
        """A stage has ended."""
        self._halt()
        self._stages.pop(id(stage), None)
        self.moved_at = time.monotonic()

    @contextmanager
    def stage(self, what: str, limit: float, *, blocks: bool = False) -> Generator[Stage]:
        """Surround a stage.

        Args:
            what: As for ``Stage``.
            limit: Seconds.
            blocks: As for ``Stage``.
        """
        stage = self.enter(what, limit, blocks=blocks)
        try:
            yield stage
        finally:
            self.leave(stage)

    def stages(self) -> list[Stage]:
        """Give the stages that are under way, the oldest first."""
        return sorted(self._stages.copy().values(), key=lambda stage: stage.since)

    def late(self, now: float, grace: float) -> Stage | None:
        """Give the stage to blame when one has outlived its limit; None when none has.

        What blocks the event loop makes all others late, and is to blame for them.

        Args:
            now: By the monotonic clock.
            grace: Seconds that a stage may outlive its limit.
        """
        stages = self.stages()
        worst = max(stages, key=lambda stage: stage.overdue(now), default=None)
        if worst is None or worst.overdue(now) <= grace:
            return None
        return self.blocking(now, grace) or worst

    def blocking(self, now: float, longer_than: float) -> Stage | None:
        """Give the stage that has blocked the event loop for so many seconds.

        Args:
            now: By the monotonic clock.
            longer_than: Seconds.
        """
        blocking = [stage for stage in self.stages() if stage.blocks]
        # The innermost: one may begin within another.
        return next((each for each in blocking[::-1] if now - each.since > longer_than), None)

    def take_over(self) -> None:
        """Let no thread but the one that calls this go on: others wait for the end."""
        self._owner = threading.get_ident()

    def _halt(self) -> None:
        if self._owner is not None and self._owner != threading.get_ident():
            # The process is being ended by another thread, which alone may write now.
            threading.Event().wait()
