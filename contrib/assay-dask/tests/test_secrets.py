"""Secrets are read where attempts are carried out, and told nowhere."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import Cli, Dask


def test_a_worker_uses_its_own_variable_and_gives_nothing_of_it_back(cli: Cli, dask: Dask) -> None:
    keys: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            keys.append(self.headers["X-Key"])
            body = f'"your key is {keys[-1]}"'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    cli.cases({"id": "a", "input": "x"})
    cli.env["KEY"] = "the key of the run"
    dask.add(env={"KEY": "the key of the worker"})
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            done = cli(
                *("-i", "cases.jsonl", "-n", f"http://127.0.0.1:{server.server_port}/", "-q"),
                *("--json", "--set", "transport.http.headers.X-Key=$KEY", *dask.flags),
            )
        finally:
            server.shutdown()
            thread.join()
    assert done.code == 0, done.err
    assert keys == ["the key of the worker"]
    (result,) = [line for line in done.lines if line["type"] == "result"]
    assert result["output"] == "your key is ***"
    assert "the key of" not in done.out
