"""The executor of this process: who begins when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from attrs import define, field

from assay.contracts import Done, ExecutorContext, Task
from assay.model.result import Attempt
from assay.running.local import Local


@define
class Together:
    """A worker whose first attempts end all at once; it logs what begins."""

    at_once: int
    log: list[str]
    gate: asyncio.Event = field(factory=asyncio.Event, init=False)
    begun: int = field(default=0, init=False)

    async def run(self, task: Task) -> Done:
        self.log.append(f"begin {task.index}")
        self.begun += 1
        if self.begun == self.at_once:
            self.gate.set()
        await self.gate.wait()
        return Done(task=task, attempt=Attempt(number=1, status="passed", duration_ms=0))


async def tasks(count: int) -> AsyncIterator[Task]:
    for index in range(count):
        yield Task(index=index, suite=0, attempt=1, line={}, file="")


def test_the_next_attempt_begins_before_the_next_result_is_taken() -> None:
    log: list[str] = []

    async def go() -> None:
        context = ExecutorContext(parallel=2, worker=Together(2, log), blueprint={})
        async for done in Local(context).run(tasks(4)):
            log.append(f"take {done.task.index}")

    asyncio.run(asyncio.wait_for(go(), 60))
    # Which of the two is first does not matter.
    words = [entry.split()[0] for entry in log[:6]]
    assert words == ["begin", "begin", "take", "begin", "take", "begin"]
