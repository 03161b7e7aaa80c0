"""A process of a local cluster: ``python -m assay_dask.local_process scheduler|worker FOLDER``.

A scheduler tells its address in its first line on standard output. A worker is told that address
in its first line on standard input, and tells when it takes part. Both end when their standard
input does, that is with the process that started them.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from importlib import import_module
from typing import Any

READY = "ready"
"""What a worker tells once it takes part in the cluster."""


async def serve(folder: str, over: asyncio.Event) -> None:
    """Be a scheduler."""
    made: Any = import_module("distributed").Scheduler(
        host="127.0.0.1", port=0, dashboard=False, dashboard_address=":0", local_directory=folder
    )
    async with made as scheduler:
        print(scheduler.address, flush=True)
        await over.wait()


async def work(folder: str, scheduler: str, over: asyncio.Event) -> None:
    """Be a worker."""
    made: Any = import_module("distributed").Worker(
        scheduler, nthreads=1, local_directory=folder, memory_limit=0, host="127.0.0.1"
    )
    async with made as worker:
        print(READY, flush=True)
        ending = [asyncio.ensure_future(over.wait()), asyncio.ensure_future(worker.finished())]
        await asyncio.wait(ending, return_when=asyncio.FIRST_COMPLETED)


async def main(role: str, folder: str) -> None:
    """Be what the role says, until standard input ends."""
    import_module("distributed")
    for name in ("distributed", *logging.Logger.manager.loggerDict, "asyncio"):
        if name.partition(".")[0] in ("distributed", "tornado", "bokeh", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    address = sys.stdin.readline().strip() if role == "worker" else ""
    if role == "worker" and not address:
        return

    def watch() -> None:
        while sys.stdin.read(1):
            pass
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=watch, daemon=True).start()
    await (serve(folder, over) if role == "scheduler" else work(folder, address, over))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
