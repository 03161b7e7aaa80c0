"""The contract of an executor."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from assay.contracts import Done, ExecutorContext, Task
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.model.case import AgentRef
from assay.model.result import Attempt
from assay.remote import Blueprint, SuiteBlueprint, as_json
from assay.settings.model import SuiteSettings
from assay.testing.broken import broken
from assay.testing.given import settings_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from assay.contracts import Executor

_PARALLEL: Final = 4
_TASKS: Final = 60
_WHOLE: Final = 120.0
_FILE: Final = "cases.jsonl"


def check_executor(
    cls: type[Executor],
    *,
    settings: object = None,
    context: ExecutorContext | None = None,
    tasks: Sequence[Task] = (),
) -> None:
    """See that an executor keeps its contract.

    Args:
        cls: The class.
        settings: What it is made with; its defaults when None.
        context: What it is told; by default a worker that counts, and the blueprint of one that
            asks ``echo:`` in the working directory.
        tasks: What the worker of that context can carry out.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    try:
        word_of("executor", cls)
        judge("executor", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    given = settings_of(cls, settings)
    asyncio.run(_check(cls, given, context, tasks or _tasks()))


async def _check(
    cls: type[Executor],
    settings: object,
    context: ExecutorContext | None,
    tasks: Sequence[Task],
) -> None:
    make = cast("Callable[[ExecutorContext, object], Executor]", cls)
    try:
        async with asyncio.timeout(_WHOLE):
            for some in (tasks, tasks[:1], ()):
                worker = _Worker()
                source = _Source(some)
                executor = make(context or _context(worker), settings)
                done: list[Done] = []
                async for each in executor.run(source.tasks()):
                    done.append(each)
                    source.given_back += 1
                _check_done(cls, some, done)
                _check_bounds(cls, worker, source, context or _context(worker))
            worker, source = _Worker(most_done=1), _Source(tasks)
            executor = make(context or _context(worker), settings)
            await _check_closing(cls, executor, worker, source)
    except TimeoutError as error:
        raise broken(cls, f"it is not done after {_WHOLE:.0f} s") from error


def _check_done(cls: type, tasks: Sequence[Task], done: Sequence[Done]) -> None:
    wanted = Counter((task.index, task.attempt) for task in tasks)
    given = Counter((each.task.index, each.attempt.number) for each in done)
    if lost := wanted - given:
        raise broken(cls, f"of {len(tasks)} tasks it does not give back {min(lost)}")
    if more := given - wanted:
        raise broken(cls, f"it gives {min(more)} back more often than it got it")


def _check_bounds(cls: type, worker: _Worker, source: _Source, context: ExecutorContext) -> None:
    if worker.most > context.parallel:
        raise broken(cls, f"it runs {worker.most} tasks at once where {context.parallel} may")
    if source.most_ahead > 4 * context.parallel:
        raise broken(
            cls,
            f"it takes {source.most_ahead} tasks before they are done, at {context.parallel} at "
            "once; take one when there is room for it",
        )


async def _check_closing(cls: type, executor: Executor, worker: _Worker, source: _Source) -> None:
    running: Any = executor.run(source.tasks())
    await anext(running)
    await running.aclose()
    if worker.running:
        raise broken(cls, f"closed, it leaves {worker.running} tasks running")
    taken = source.taken
    await asyncio.sleep(0)
    if source.taken != taken:
        raise broken(cls, "closed, it goes on taking tasks")


class _Worker:
    """Carries tasks out by waiting a little, and counts how many there are at once.

    Args:
        most_done: How many it carries out; the others never end by themselves.
    """

    def __init__(self, most_done: int | None = None) -> None:
        self._left = most_done
        self.running = 0
        self.most = 0

    async def run(self, task: Task) -> Done:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            if self._left == 0:
                await asyncio.Event().wait()
            self._left = None if self._left is None else self._left - 1
            for _ in range(1 + task.index % 7):
                await asyncio.sleep(0)
        finally:
            self.running -= 1
        attempt = Attempt(number=task.attempt, status="passed", duration_ms=1)
        return Done(task=task, attempt=attempt)


class _Source:
    """Gives tasks, and counts how many are taken and not given back."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks = tasks
        self.taken = 0
        self.given_back = 0
        self.most_ahead = 0

    async def tasks(self) -> AsyncIterator[Task]:
        for task in self._tasks:
            self.taken += 1
            self.most_ahead = max(self.most_ahead, self.taken - self.given_back)
            yield task


def _context(worker: _Worker) -> ExecutorContext:
    echo = AgentRef(transport="echo", target="", name="echo")
    suite = SuiteBlueprint(key=_FILE, folder=Path.cwd(), agent=echo, settings=SuiteSettings())
    blueprint = as_json(Blueprint(cwd=Path.cwd(), parallel=_PARALLEL, suites=(suite,)))
    return ExecutorContext(parallel=_PARALLEL, worker=worker, blueprint=blueprint)


def _tasks() -> Sequence[Task]:
    return tuple(
        Task(
            index=index // 2,
            suite=0,
            attempt=1 + index % 2,
            line={"id": f"T{index // 2}", "input": "hello"},
            file=_FILE,
            row=1 + index // 2,
        )
        for index in range(_TASKS)
    )
