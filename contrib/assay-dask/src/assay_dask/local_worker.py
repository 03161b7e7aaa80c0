"""A worker process of a local cluster: ``python -m assay_dask.local_worker SCHEDULER FOLDER``.

It ends when its standard input does, that is with the process that started it.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from typing import Any

READY = "ready"
"""The first line on standard output, once it takes part in the cluster."""


async def work(scheduler: str, folder: str) -> None:
    """Work until standard input ends, or the scheduler is gone."""
    import distributed

    for name in ("distributed", "distributed.worker", "distributed.core", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    is_over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def watch() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        loop.call_soon_threadsafe(is_over.set)

    threading.Thread(target=watch, daemon=True).start()
    made: Any = distributed.Worker(
        scheduler, nthreads=1, local_directory=folder, memory_limit=0, host="127.0.0.1"
    )
    async with made as worker:
        print(READY, flush=True)
        over = asyncio.ensure_future(is_over.wait())
        finished = asyncio.ensure_future(worker.finished())
        await asyncio.wait([over, finished], return_when=asyncio.FIRST_COMPLETED)


if __name__ == "__main__":
    asyncio.run(work(*sys.argv[1:]))
