"""The attempts under way: each is given out, comes back, and runs once more when it was lost."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from time import monotonic

import attrs
from attrs import define, field

from assay import AssayError, Attempt, Done, Task, Try
from assay_dask.crew import Crew, Event, Lost, Told
from assay_dask.member import Key, Member
from assay_dask.messages import attempt_from_bytes


@define
class Work:
    """Hands tasks to a crew, and gives back what became of them.

    Args:
        crew: Who carries them out.
        tasks: What is to be done.
        parallel: How many attempts may be under way, over the whole crew.
    """

    crew: Crew
    tasks: AsyncIterator[Task]
    parallel: int
    _again: deque[Task] = field(factory=deque[Task], init=False)
    """To be given out before any other."""
    _tries: dict[Key, tuple[Try, ...]] = field(factory=dict["Key", "tuple[Try, ...]"], init=False)
    """Of the attempts that were lost once."""
    _under_way: int = field(default=0, init=False)
    _handled: asyncio.Event | None = field(default=None, init=False)

    async def fill(self) -> bool:
        """Give out as many tasks as there is room for; gives whether anything is left to do."""
        told: dict[str, Member] = {}
        while self._under_way < self.parallel:
            task = self._again.popleft() if self._again else await anext(self.tasks, None)
            if task is None:
                break
            member = self.crew.freest()
            if member is None:
                self._again.appendleft(task)
                break
            member.give(task)
            told[member.address] = member
            self._under_way += 1
        self.crew.tell([*told.values()])
        if self._handled is not None:
            # Only now: the worker is asked on with what it is to do next.
            self._handled.set()
            self._handled = None
        return bool(self._under_way or self._again)

    def take(self, event: Event) -> Iterator[Done]:
        """Take in what has happened, and give what is done.

        Raises:
            AssayError: The run cannot go on.
        """
        if isinstance(event, AssayError):
            raise event
        if isinstance(event, Told):
            self._handled = event.handled
            for index, number, data in event.reply.done:
                out = event.member.out.pop((index, number))
                self._under_way -= 1
                yield self._done(out.task, attempt_from_bytes(data))
        elif isinstance(event, Lost):
            yield from self._lost(event)

    def _done(self, task: Task, attempt: Attempt) -> Done:
        tries = self._tries.pop((task.index, task.attempt), ())
        if tries:
            attempt = attrs.evolve(attempt, tries=(*tries, *attempt.tries))
        return Done(task=task, attempt=attempt)

    def _lost(self, event: Lost) -> Iterator[Done]:
        now = monotonic()
        for key, out in event.member.out.items():
            self._under_way -= 1
            before = self._tries.get(key, ())
            took = round(1000 * (now - out.since))
            tries = (*before, Try(error=event.reason, duration_ms=took))
            if not before:
                self._tries[key] = tries
                self._again.append(out.task)
                continue
            del self._tries[key]
            attempt = Attempt(
                number=out.task.attempt,
                status="error",
                duration_ms=0,
                error="lost twice: " + "; ".join(tried.error for tried in tries),
                tries=tries,
                unreached=True,
            )
            yield Done(task=out.task, attempt=attempt)
        event.member.out.clear()
