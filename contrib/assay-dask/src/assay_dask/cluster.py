"""A dask cluster as a run sees it: workers that can be called by their addresses."""

from __future__ import annotations

import asyncio
import pickle
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Self

from assay import ConfigError, RunError
from assay.duration import format_seconds
from assay_dask.messages import Order, Reply, order_to_wire, reply_from_wire
from assay_dask.station import CLOSING, EXCHANGE, LEAVE, join
from assay_dask.versions import installed

if TYPE_CHECKING:
    from types import TracebackType

OPENING: Final = 90.0
"""Seconds that a worker has to open the transports."""
_ANSWERING: Final = 30.0


class WorkerLost(Exception):  # noqa: N818 - an outcome of a call, handled by the crew
    """A worker cannot be reached any more; the message says why."""


class Cluster:
    """The scheduler of a cluster, and by it the workers. An async context manager.

    Args:
        address: Of the scheduler.
        wait: Seconds to wait for it.
        silence: Seconds after which a worker that does not answer, or whose attempts block its
            loop, is lost.
    """

    def __init__(self, address: str, wait: float, silence: float) -> None:
        self._address = address
        self._wait = wait
        self._silence = silence
        self._client: Any = None
        self._versions = installed()
        self.is_gone = False
        """Whether the scheduler was lost: nothing can be called any more."""

    @property
    def address(self) -> str:
        """Where the scheduler is."""
        return self._address

    async def __aenter__(self) -> Self:
        """Connect.

        Raises:
            ConfigError: The address is none.
            RunError: There is no scheduler.
        """
        dask: Any = import_module("distributed")
        with warnings.catch_warnings():
            # That versions differ is told where it matters: of assay and its plugins.
            warnings.simplefilter("ignore")
            client: Any = dask.Client(
                self._address, asynchronous=True, set_as_default=False, timeout=self._wait
            )
            try:
                async with asyncio.timeout(self._wait):
                    self._client = await client
            except (OSError, TimeoutError) as error:
                await _closed(client)
                raise RunError(
                    f"no dask scheduler answers at {self._address} within"
                    f" {format_seconds(self._wait)}; start one (dask scheduler), or mend"
                    " executor.dask.scheduler"
                ) from error
            except ValueError as error:
                raise ConfigError(
                    f"executor.dask.scheduler: {self._address} is no address: {error}; write"
                    " tcp://HOST:PORT"
                ) from error
            except BaseException:
                # A cancellation, too, must leave no client behind.
                await _closed(client)
                raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Disconnect; the cluster goes on."""
        await _closed(self._client)

    async def workers(self) -> list[str]:
        """Give the addresses of all workers.

        Raises:
            RunError: The scheduler is gone.
        """
        return list(await self._heard(self._client.scheduler.ncores(), _ANSWERING))

    async def join(self, worker: str, run: str, blueprint: str) -> None:
        """Make a worker take part in a run.

        Raises:
            ConfigError: Something is missing there, or another version.
            RunError: An agent cannot be reached from there, or the scheduler is gone.
            WorkerLost: It is gone.
        """
        problem: Any = await self._call(
            worker,
            {
                "op": "run",
                "function": pickle.dumps(join),
                "args": pickle.dumps((run, blueprint, self._versions)),
                "kwargs": pickle.dumps({}),
                "wait": True,
            },
            OPENING,
        )
        if problem["status"] != "OK":
            raise WorkerLost(f"worker {worker} failed: {problem.get('text')}")
        if problem["result"] is not None:
            code, message = problem["result"]
            raise _error_of(code, f"worker {worker}: {message}")

    async def exchange(self, worker: str, run: str, order: Order, seconds: float) -> Reply:
        """Tell a worker what to do, and hear what it has done.

        Args:
            worker: Its address.
            run: The id of the run.
            order: What to do.
            seconds: How long it may take to answer when it has nothing to tell.

        Raises:
            RunError: The scheduler is gone, or the worker cannot go on.
            WorkerLost: It is gone.
        """
        reply = await self._call(
            worker,
            {"op": EXCHANGE, "run": run, "order": order_to_wire(order), "seconds": seconds},
            seconds + self._silence,
        )
        if reply is None:
            raise WorkerLost(f"worker {worker} has left the run")
        told = reply_from_wire(reply)
        if told.failed is not None:
            code, message = told.failed
            raise _error_of(code, f"worker {worker}: {message}")
        if told.stuck > self._silence and not told.done:
            raise WorkerLost(
                f"worker {worker} was given up: an agent or a check has blocked it for"
                f" {format_seconds(self._silence)}"
            )
        return told

    async def leave(self, worker: str, run: str) -> None:
        """Let a worker close what it opened for a run.

        Raises:
            RunError: The scheduler is gone.
            WorkerLost: The worker is gone.
        """
        await self._call(worker, {"op": LEAVE, "run": run}, CLOSING)

    async def _call(self, worker: str, message: Mapping[str, Any], seconds: float) -> Any:
        """Send a message to a worker, by way of the scheduler."""
        calling = self._client.scheduler.broadcast(
            msg=dict(message), workers=[worker], on_error="return_pickle"
        )
        try:
            async with asyncio.timeout(seconds):
                answers = await self._heard(calling, None)
        except TimeoutError:
            raise WorkerLost(
                f"worker {worker} was lost: no answer for {format_seconds(seconds)}"
            ) from None
        answer = answers[worker]
        if not isinstance(answer, bytes):
            return answer
        error: object = pickle.loads(answer)
        if isinstance(error, OSError):
            raise WorkerLost(f"worker {worker} was lost") from error
        text = str(error)
        if "ModuleNotFoundError" in text or "ImportError" in text:
            raise ConfigError(
                f"worker {worker}: {text}; install assay, assay-dask and the plugins in use on"
                " every worker, in the same versions"
            )
        raise RunError(f"worker {worker}: {text}")

    async def _heard(self, calling: Any, seconds: float | None) -> Any:
        """Wait for what the scheduler tells."""
        try:
            async with asyncio.timeout(seconds):
                return await calling
        except OSError as error:
            self.is_gone = True
            raise RunError(
                f"the dask scheduler at {self._address} is gone: {error}; what was done until then"
                " is in the results"
            ) from error


def _error_of(code: int, message: str) -> ConfigError | RunError:
    return ConfigError(message) if code == ConfigError.exit_code else RunError(message)


async def _closed(client: Any) -> None:
    """Close a client, whatever state it is in."""
    try:
        async with asyncio.timeout(5):
            await client.close()
    except Exception:  # noqa: BLE001, S110 - it is left behind
        pass
