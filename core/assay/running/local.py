"""The executor of this process."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from assay.contracts import Done, ExecutorContext, Task

CANCEL_SECONDS = 5.0
"""How long attempts may take to let go when they are cancelled; then they are left behind."""


class Local:
    """Runs attempts here, as many at a time as ``--parallel`` says."""

    name: ClassVar[str] = "local"

    def __init__(self, context: ExecutorContext, settings: object = None) -> None:
        self._context = context

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        """Run tasks; see ``assay.Executor``."""
        turn = asyncio.Lock()
        finished: asyncio.Queue[tuple[Done, asyncio.Event] | Exception | None] = asyncio.Queue()

        async def work() -> None:
            try:
                while True:
                    async with turn:
                        # Two tasks must not be in an async generator at once.
                        task = await anext(tasks, None)
                    if task is None:
                        break
                    done = await self._context.worker.run(task)
                    taken = asyncio.Event()
                    finished.put_nowait((done, taken))
                    # It may end the run: nothing else is begun before that is decided. This
                    # also holds the attempts back for a slow consumer, so memory stays flat.
                    await taken.wait()
            except Exception as error:  # noqa: BLE001 - raised again by the consumer
                finished.put_nowait(error)
            else:
                finished.put_nowait(None)

        workers = [asyncio.create_task(work()) for _ in range(self._context.parallel)]
        running = len(workers)
        try:
            while running:
                item = await finished.get()
                if item is None:
                    running -= 1
                elif isinstance(item, Exception):
                    raise item
                else:
                    done, taken = item
                    yield done
                    taken.set()
                    # Whoever is let go on begins its next attempt before another result is
                    # taken: or else all of them would begin at once, and end at once again.
                    await asyncio.sleep(0)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.wait(workers, timeout=CANCEL_SECONDS)
