"""Ceilings and pauses hold for all workers together."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic
from typing import TYPE_CHECKING

from attrs import define, field

from assay_dask.turns import Turns

if TYPE_CHECKING:
    from conftest import Cli, Dask

RATE = 8
CASES = 20


@define
class Server:
    """An agent over HTTP that notes when it is asked.

    Args:
        refused: How many requests it refuses, asking for a pause; of a pair, the first is held
            until the second has come.
        pause: For how many seconds.
    """

    refused: int = 0
    pause: int = 0
    times: list[float] = field(factory=list[float], init=False)
    refused_at: float = field(default=0.0, init=False)
    _lock: threading.Lock = field(factory=threading.Lock, init=False)
    _pair: threading.Barrier = field(factory=lambda: threading.Barrier(2, timeout=30), init=False)

    def answer(self) -> bool:
        """Take a request; gives whether it is answered."""
        with self._lock:
            self.times.append(monotonic())
            number = len(self.times)
        if self.refused and number <= 2:
            self._pair.wait()
            if number == 1:
                self.refused_at = monotonic()
                return False
        return True


@contextmanager
def serving(server: Server) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            is_answered = server.answer()
            self.send_response(200 if is_answered else 429)
            if not is_answered:
                self.send_header("Retry-After", str(server.pause))
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "4")
            self.end_headers()
            self.wfile.write(b'"ok"')

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/"
        finally:
            http.shutdown()
            thread.join()


def ask(cli: Cli, dask: Dask, server: Server, *flags: str) -> None:
    cli.cases(*({"id": str(number), "input": "x", "expected": "ok"} for number in range(CASES)))
    with serving(server) as url:
        done = cli("-i", "cases.jsonl", "-n", url, "-q", *flags, *dask.flags)
    assert done.code == 0, done.err


def test_a_rate_holds_for_all_workers_together(cli: Cli, shared: Dask) -> None:
    server = Server()
    ask(cli, shared, server, "--rate", f"{RATE}/s", "--parallel", "8")
    assert len(server.times) == CASES
    took = max(server.times) - min(server.times)
    # Were it kept by each of the two workers alone, it would take half of that.
    assert took >= 0.75 * (CASES - 1) / RATE


def test_a_pause_holds_for_all_workers(cli: Cli, shared: Dask) -> None:
    server = Server(refused=1, pause=2)
    ask(cli, shared, server, "--parallel", "2")
    assert len(server.times) == CASES + 1
    during = [at for at in server.times if server.refused_at < at < server.refused_at + 1.9]
    # The other worker hears of it a moment later; alone it would have asked all the rest.
    assert len(during) <= 5


def test_turns_are_evenly_spaced_for_each_agent() -> None:
    turns = Turns()
    assert [turns.take("a", 2.0, 10.0) for _ in range(3)] == [0.0, 2.0, 4.0]
    assert turns.take("b", 2.0, 10.0) == 0.0
    assert turns.take("a", 2.0, 11.0) == 5.0
    # Nothing is saved up.
    assert [turns.take("a", 2.0, 100.0) for _ in range(2)] == [0.0, 2.0]
