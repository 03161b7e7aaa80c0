"""The server: a loop in a thread of its own, or the whole of a process."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Self

from yao_server.accounts import Accounts
from yao_server.demo import ACCOUNTS
from yao_server.record import Log, Seen
from yao_server.router import Router
from yao_server.wire.connection import Connection
from yao_server.world import Options, World

if sys.platform != "win32":
    import resource

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

    from yao_server.accounts import Account
    from yao_server.agents import Agent, Canned

BACKLOG = 4096
"""Connections that may wait to be taken: a thousand clients come at once."""
MOST_FILES = 16_384
STOP_SECONDS = 10.0


class YaoServer:
    """A stand-in of a Yao server on a real socket, as a context manager.

    Args:
        agents: Those it has at first.
        accounts: The tokens that it knows.
        options: What the installation decides.
        host: To listen on.
        port: To listen on; 0 takes a free one.
        tls: Speaks TLS with these certificates.
        told: Gets each request when it has ended.
    """

    def __init__(
        self,
        *agents: Agent,
        accounts: Iterable[Account] = ACCOUNTS,
        options: Options | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        told: Callable[[Seen], None] | None = None,
    ) -> None:
        options = options or Options()
        known = Accounts(accounts, secure_cookie=options.secure_cookie)
        self.log = Log(told)
        self.world = World(options=options, accounts=known, log=self.log)
        self._host, self._port, self._tls = host, port, tls
        self._thread = threading.Thread(target=self._live, name="yao-server", daemon=True)
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._stop = asyncio.Event()
        self.add(*agents)

    def add(self, *agents: Agent) -> None:
        """Have these agents, too."""
        for agent in agents:
            self.world.agents[agent.id] = agent

    def plan(self, method: str, path: str, *answers: Canned, for_ever: bool = False) -> None:
        """Answer the next requests to a path with these, in this order.

        Args:
            method: In capitals.
            path: The whole one, without a query; ``*`` stands for any part of it.
            answers: One for each request.
            for_ever: Whether the first of them is for all requests.
        """
        self.world.plan(method, path, answers, for_ever=for_ever)

    def open(self, gate: str) -> None:
        """Let those go on that hold at a gate."""
        self._loop.call_soon_threadsafe(self.world.open_gate, gate)

    def stop(self) -> None:
        """Stop serving; to be called on the server's loop."""
        self._stop.set()

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        scheme = "https" if self._tls else "http"
        return f"{scheme}://{self._host}:{self._port}"

    @property
    def base(self) -> str:
        """The address of the OpenAPI."""
        return self.url + self.world.options.base

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        self._ready.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close everything."""
        self.close()

    def close(self) -> None:
        """Close everything, if that is still to be done."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_SECONDS)
        assert not self._thread.is_alive(), "the server does not stop"

    async def serve(self, ready: Callable[[], None]) -> None:
        """Listen in the loop that is running, until it is cancelled or stopped."""
        _allow_many_files()
        opened: set[Connection] = set()
        router = Router(self.world)
        loop = asyncio.get_running_loop()
        server = await loop.create_server(
            lambda: Connection(router.handle, opened),
            self._host,
            self._port,
            backlog=BACKLOG,
            ssl=self._tls,
        )
        self._port = server.sockets[0].getsockname()[1]
        ready()
        try:
            await self._stop.wait()
        finally:
            server.close()
            left = list(opened)
            for connection in left:
                connection.drop(reset=False)
            for connection in left:
                await connection.ended()
            await server.wait_closed()

    def _live(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            try:
                runner.run(self.serve(self._ready.set))
            except BaseException as error:  # noqa: BLE001 - whoever started the server is told
                self._failure = error
            finally:
                self._ready.set()


def _allow_many_files() -> None:
    """Raise the soft limit of open files, as Go's runtime does when it starts."""
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
