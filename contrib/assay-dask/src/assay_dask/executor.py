"""The ``dask`` executor: attempts are carried out by the workers of a dask cluster."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack
from typing import ClassVar

from attrs import field, frozen, validators

from assay import Done, Executor, ExecutorContext, Task, hookimpl
from assay.jsonvalue import dumps


class Dask:
    """Carries attempts out on a dask cluster.

    At most ``--parallel`` attempts are under way over the whole cluster. A worker takes those that
    it has room for as one batch, carries them out in an event loop of its own, and gives each
    back when it is done. Nothing is kept here but what is under way.
    """

    name: ClassVar[str] = "dask"

    @frozen(kw_only=True)
    class Settings:
        """The table ``[executor.dask]``."""

        scheduler: str | None = None
        """The address of a scheduler; None: a cluster of this machine, for this run."""
        workers: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
        """How many workers to wait for; of a cluster of this machine, how many to start. By
        default one, and on this machine one for each processor."""
        wait: float = field(default=30.0, validator=validators.gt(0), metadata={"unit": "duration"})
        """How long to wait for the scheduler, and for workers."""
        silence: float = field(
            default=60.0, validator=validators.gt(0), metadata={"unit": "duration"}
        )
        """How long a worker may not answer, or be blocked by what it runs, before it is lost."""

    def __init__(self, context: ExecutorContext, settings: Settings) -> None:
        self._context = context
        self._settings = settings

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncGenerator[Done]:
        """Run tasks; see ``assay.Executor``."""
        from assay_dask.cluster import Cluster
        from assay_dask.crew import LONGEST_POLL, Crew
        from assay_dask.local import local_cluster
        from assay_dask.quiet import quiet
        from assay_dask.work import Work

        settings = self._settings
        parallel = self._context.parallel
        wanted = settings.workers or 1
        async with AsyncExitStack() as stack:
            stack.enter_context(quiet())
            address = settings.scheduler
            if address is None:
                wanted = settings.workers or min(parallel, os.cpu_count() or 1)
                address = await stack.enter_async_context(local_cluster(wanted, settings.wait))
            cluster = await stack.enter_async_context(
                Cluster(address, settings.wait, settings.silence)
            )
            crew = Crew(
                cluster,
                run=secrets.token_hex(8),
                blueprint=dumps(self._context.blueprint),
                poll=min(LONGEST_POLL, settings.silence / 2),
            )
            stack.push_async_callback(crew.dismiss)
            await crew.gather(wanted, settings.wait)
            work = Work(crew, tasks, parallel)
            while await work.fill():
                for done in work.take(await crew.next(settings.wait)):
                    yield done


@hookimpl
def assay_executors() -> Sequence[type[Executor]]:
    """Offer ``dask``."""
    return [Dask]
