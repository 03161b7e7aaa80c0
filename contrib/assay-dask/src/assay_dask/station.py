"""What a dask worker does for assay: it holds the sessions of runs, and answers for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from assay import AssayError, ExitCode, process
from assay.jsonvalue import loads
from assay_dask.messages import order_from_wire, reply_to_wire
from assay_dask.session import Session
from assay_dask.versions import difference, installed

EXCHANGE: Final = "assay_exchange"
LEAVE: Final = "assay_leave"
"""Operations that a worker knows once a run was opened there."""
CLOSING: Final = 20.0
"""Seconds that a session has for closing."""

_NAME: Final = "assay-dask"


class Station:
    """The sessions of one dask worker, by run."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    async def open(self, run: str, blueprint: Mapping[str, object]) -> None:
        """Open a session for a run."""
        session = Session(blueprint, asyncio.get_running_loop())
        await session.open()
        for ended in [name for name, each in self._sessions.items() if each.has_ended]:
            del self._sessions[ended]
        self._sessions[run] = session

    async def exchange(
        self, run: str, order: Mapping[str, Any], seconds: float
    ) -> dict[str, Any] | None:
        """Tell a session what to do, and hear what it has done; None when there is none."""
        session = self._sessions.get(run)
        if session is None or session.has_ended:
            return None
        return reply_to_wire(await session.exchange(order_from_wire(order), seconds))

    async def leave(self, run: str) -> None:
        """Close the session of a run."""
        session = self._sessions.pop(run, None)
        if session is not None:
            await session.close(CLOSING)


async def join(
    run: str, blueprint: str, versions: Mapping[str, str], dask_worker: Any = None
) -> tuple[int, str] | None:
    """Make a dask worker take part in a run. Dask calls it there, by its name.

    Args:
        run: The id of the run.
        blueprint: JSON of ``ExecutorContext.blueprint``.
        versions: The distributions of the run.
        dask_worker: The worker; dask hands it over.

    Returns:
        The exit code and the message, when it cannot.
    """
    different = difference(versions, installed())
    if different is not None:
        mend = "install the same on every worker"
        return (ExitCode.CONFIG, f"{different}; {mend}")
    told = cast("Mapping[str, object]", loads(blueprint))
    folder = str(told["cwd"])
    if not Path(folder).is_dir():  # noqa: ASYNC240 - once per run
        return (ExitCode.CONFIG, f"there is no folder {folder} there; share it with every worker")
    agents = len(cast("Sequence[object]", told["suites"]))
    process.allow_open_files((8 + agents) * int(str(told["parallel"])) + 256)
    station = dask_worker.extensions.get(_NAME)
    if station is None:
        station = dask_worker.extensions[_NAME] = Station()
        dask_worker.handlers.update({EXCHANGE: station.exchange, LEAVE: station.leave})
    try:
        await station.open(run, told)
    except AssayError as error:
        return (int(error.exit_code), str(error))
    return None
