"""A client that is as plain as can be: httpx for whole answers, sockets for bytes."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from attrs import frozen

from yao_server import AGENTS, ALICE, Agent, Options, YaoServer

LIMIT = 20.0


@frozen
class Client:
    """Talks to one server."""

    server: YaoServer
    http: httpx.Client

    def ask(
        self,
        assistant: str = "echo",
        text: str = "hi",
        *,
        token: str | None = ALICE.token,
        path: str = "/chat/completions",
        body: object = None,
        headers: dict[str, str] | None = None,
        **query: str,
    ) -> httpx.Response:
        """Run a turn and read it to its end."""
        body = {"messages": [{"role": "user", "content": text}]} if body is None else body
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return self.http.post(
            self.server.base + path,
            params={"assistant_id": assistant, **query} if assistant else query,
            headers={**bearer, **(headers or {})},
            content=body if isinstance(body, bytes) else json.dumps(body),
        )

    def cui(self, assistant: str, text: str = "hi", **how: Any) -> list[dict[str, Any]]:
        """Run a turn and give its messages."""
        return messages(self.ask(assistant, text, accept="cui-web", **how).text)

    def chunks(self, assistant: str, text: str = "hi", **how: Any) -> list[dict[str, Any]]:
        """Run a turn in the standard format and give its chunks, without the end mark."""
        events = data(self.ask(assistant, text, **how).text)
        return [json.loads(event) for event in events if event != "[DONE]"]

    def get(self, path: str, token: str = ALICE.token) -> httpx.Response:
        """Ask for what a route knows."""
        return self.http.get(self.server.base + path, headers={"Authorization": f"Bearer {token}"})

    def socket(self) -> socket.socket:
        """Open a connection."""
        parts = httpx.URL(self.server.url)
        return socket.create_connection((parts.host, parts.port or 0), LIMIT)

    def request(self, assistant: str, **query: str) -> bytes:
        """Give the bytes of a chat request whose connection ends with its answer."""
        body = b'{"messages":[{"role":"user","content":"hi"}]}'
        target = httpx.URL("/v1/chat/completions", params={"assistant_id": assistant, **query})
        head = (
            f"POST {target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE.token}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode() + body

    def raw(self, sent: bytes) -> bytes:
        """Send bytes and give all that comes back, until the connection ends."""
        with self.socket() as connection:
            connection.sendall(sent)
            return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Give what comes until the connection ends, however it ends."""
    got = b""
    try:
        while piece := connection.recv(65536):
            got += piece
    except ConnectionResetError:
        got += b"<reset>"
    return got


def data(text: str) -> list[str]:
    """Give the events of a stream as the server itself writes them: strictly."""
    assert text.endswith("\n\n"), text[-200:]
    events = text.removesuffix("\n\n").split("\n\n")
    assert all(event.startswith("data: ") and "\n" not in event for event in events)
    return [event.removeprefix("data: ") for event in events]


def messages(text: str) -> list[dict[str, Any]]:
    """Give the messages of a stream."""
    return [json.loads(event) for event in data(text)]


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    """One client for all tests: making one reads all certificates of the machine."""
    with httpx.Client(timeout=LIMIT) as client:
        yield client


@pytest.fixture
def serve(http: httpx.Client) -> Iterator[Callable[..., Client]]:
    """Start a server with agents of the test's own, or with the usual ones."""
    started: list[Client] = []

    def start(*agents: Agent, **how: Any) -> Client:
        server = YaoServer(*(agents or AGENTS), options=Options(**how))
        server.__enter__()
        started.append(Client(server, http))
        return started[-1]

    yield start
    for client in started:
        client.server.__exit__(None, None, None)
