"""The stand-in at the level of bytes: proxies, dropped connections, clients that leave (§2.1)."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from yao_server import (
    ALICE,
    Agent,
    Drop,
    Hold,
    Proxy,
    RawReply,
    Reply,
    Say,
    YaoServer,
    bad_request,
    rate_limited,
)

SUPPORT = Path(__file__).parents[2] / "support"
LIMIT = 20.0


def body_of(raw: bytes) -> bytes:
    """Undo the chunks of a raw answer."""
    _, _, rest = raw.partition(b"\r\n\r\n")
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        body, rest = body + rest[:length], rest[length + 2 :]
    return body


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_proxy_may_write_events_in_other_ways(serve: Callable[..., Any], end: str) -> None:
    proxy = Proxy(
        line_end=end,
        space=False,
        bom=True,
        comments=True,
        extra_fields=True,
        several_data=True,
        final_line_end=False,
    )
    client = serve(Agent(id="a", script=(Say(text="hi", pieces=1),), proxy=proxy))

    text = client.ask("a").content.decode()

    assert text.startswith("\ufeff: keep-alive" + end + "event: message" + end)
    assert f"data:{{{end}data:" in text
    assert text.endswith(f"{end}data:[DONE]")
    events = text.removeprefix("\ufeff").split(end + end)
    datas = [
        "\n".join(line[5:] for line in event.split(end) if line.startswith("data:"))
        for event in events
    ]
    assert json.loads(datas[1])["choices"][0]["delta"]["content"] == "hi"


def test_segments_are_as_small_as_wanted(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="ü"),), proxy=Proxy(segment=1)))

    raw = client.raw(client.request("a"))

    assert b"\r\n1\r\n\xc3\r\n1\r\n\xbc\r\n" in raw
    assert body_of(raw).endswith(b"data: [DONE]\n\n")


def test_gzip_comes_only_when_asked_for(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="hi" * 99),), proxy=Proxy(gzip=True)))

    packed = client.ask("a", headers={"Accept-Encoding": "gzip"})
    plain = client.ask("a", headers={"Accept-Encoding": "identity"})
    raw = client.raw(client.request("a").replace(b"Host:", b"Accept-Encoding: gzip\r\nHost:"))

    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
    assert packed.text.endswith("data: [DONE]\n\n")
    assert gzip.decompress(body_of(raw)).endswith(b"data: [DONE]\n\n")


def test_without_chunks_the_end_of_the_connection_ends_the_body(
    serve: Callable[..., Any],
) -> None:
    client = serve(Agent(id="a", script=(Say(text="hi"),), proxy=Proxy(chunked=False)))

    raw = client.raw(client.request("a"))

    assert b"Connection: close" in raw
    assert b"Transfer-Encoding" not in raw
    assert raw.endswith(b"data: [DONE]\n\n")


@pytest.mark.parametrize("cut", [0, 1, 40, 300, 700])
def test_a_connection_can_drop_at_any_byte(serve: Callable[..., Any], cut: int) -> None:
    client = serve(
        Agent(id="closed", script=(Say(text="hi"),), proxy=Proxy(cut=cut)),
        Agent(id="reset", script=(Say(text="hi"),), proxy=Proxy(cut=cut, reset=True)),
    )

    raw = client.raw(client.request("closed"))
    reset = client.raw(client.request("reset"))

    assert len(raw) == cut
    assert reset.endswith(b"<reset>")
    turn = client.server.log.turn("closed", "dropped")
    assert turn.wire_bytes == cut


def test_a_script_can_drop_the_connection_between_two_messages(
    serve: Callable[..., Any],
) -> None:
    client = serve(Agent(id="a", script=(Say(text="Well"), Drop())))

    raw = client.raw(client.request("a"))

    assert raw.endswith(b"}\n\n\r\n")
    client.server.log.turn("a", "dropped")


def test_a_client_that_leaves_ends_the_turn(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="Well"), Hold())))

    with client.socket() as connection:
        connection.sendall(client.request("a"))
        assert connection.recv(10)
        client.server.log.turn("a", "open")

    client.server.log.turn("a", "left")
    assert not client.server.world.turns


def test_an_open_gate_lets_a_turn_go_on(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Hold(gate="go"), Say(text="on", pieces=1))))

    with client.socket() as connection:
        connection.sendall(client.request("a"))
        got = connection.recv(65536)
        client.server.open("go")
        while piece := connection.recv(65536):
            got += piece

    assert b'"on"' in got
    client.server.log.turn("a", "answered")


def test_first_answers_come_before_the_turn(serve: Callable[..., Any]) -> None:
    first = (rate_limited("7"), RawReply(data=b"", then="reset"), Reply(status=502, body="<p>"))
    client = serve(Agent(id="a", script=(Say(text="hi"),), first=first))

    limited = client.ask("a")
    with pytest.raises(httpx.NetworkError):
        client.ask("a")
    gateway = client.ask("a")

    assert (limited.status_code, limited.headers["Retry-After"]) == (429, "7")
    assert (gateway.status_code, gateway.text) == (502, "<p>")
    assert client.ask("a").status_code == 200
    endings = [turn.ending for turn in client.server.log.turns]
    assert endings == ["refused", "dropped", "refused", "answered"]


def test_answers_can_be_planned_for_any_path(serve: Callable[..., Any]) -> None:
    client = serve()
    path = "/v1/agent/assistants/echo/info"
    client.server.plan("GET", path, bad_request("a"), Reply(body={"name": 7}))

    said = [client.get("/agent/assistants/echo/info").json() for _ in range(3)]

    assert [body.get("error", body.get("name")) for body in said] == ["invalid_request", 7, "Echo"]


def test_lies_are_possible(serve: Callable[..., Any]) -> None:
    client = serve()
    lie = Reply(body=b"short", headers={"Content-Length": "9", "Connection": "close"})
    client.server.plan("GET", "/lie", lie)

    raw = client.raw(b"GET /lie HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    assert b"Content-Length: 9" in raw
    assert raw.endswith(b"short")


@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nBad header\r\n\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ],
)
def test_what_is_not_http_is_refused(serve: Callable[..., Any], sent: bytes) -> None:
    assert serve().raw(sent).startswith(b"HTTP/1.1 400 Bad Request\r\n")


def test_requests_may_come_in_chunks_in_pieces_and_in_a_row(serve: Callable[..., Any]) -> None:
    client = serve()
    head = (
        f"POST /v1/chat/completions?assistant_id=echo HTTP/1.1\r\nHost: x\r\n"
        f"Authorization: {ALICE.token}\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode()
    body = b'{"messages":[{"role":"user","content":"hi"}]}'
    sent = head + b"5;a=b\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (body[:5], len(body) - 5, body[5:])

    with client.socket() as connection:
        for place in range(0, len(sent), 50):
            connection.sendall(sent[place : place + 50])
        connection.sendall(client.request("echo"))
        got = b""
        while piece := connection.recv(65536):
            got += piece

    assert got.count(b"HTTP/1.1 200 OK") == 2
    assert got.count(b"data: [DONE]") == 2


def test_a_client_may_wait_for_a_go_ahead(serve: Callable[..., Any]) -> None:
    client = serve()
    head, _, body = client.request("echo").partition(b"\r\n\r\n")

    with client.socket() as connection:
        connection.sendall(head + b"\r\nExpect: 100-continue\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_five_megabytes_fit_into_one_event(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="x" * 5_000_000, pieces=1),)))

    chunks = client.chunks("a")

    assert len(chunks[1]["choices"][0]["delta"]["content"]) == 5_000_000


def test_a_thousand_streams_at_once(serve: Callable[..., Any]) -> None:
    client = serve(Agent(id="a", script=(Say(text="a"), Hold(gate="all"), Say(text="b"))))
    server, sent = client.server, client.request("a")
    connections = [client.socket() for _ in range(1000)]
    try:
        for connection in connections:
            connection.sendall(sent)
        server.log.wait(lambda: server.log.most_open == 1000, "a thousand turns at once")
        server.open("all")
        ends: list[bool] = []
        for connection in connections:
            got = b""
            while piece := connection.recv(65536):
                got += piece
            ends.append(got.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n"))
    finally:
        for connection in connections:
            connection.close()

    assert ends == [True] * 1000


def test_it_is_a_process_of_its_own_too(tmp_path: Path) -> None:
    script = tmp_path / "agents.py"
    script.write_text(
        "from yao_server import Agent, Say\n"
        "AGENTS = (Agent(id='mine', script=(Say(text='hello'),)),)\n"
    )
    record = tmp_path / "record.jsonl"
    command = [sys.executable, "-m", "yao_server", "--port", "0"]
    process = subprocess.Popen(
        [*command, "--agents", str(script), "--record", str(record)],
        cwd=SUPPORT,
        stdout=subprocess.PIPE,
        text=True,
    )
    killer = threading.Timer(LIMIT, process.kill)
    killer.start()
    try:
        assert process.stdout
        url = process.stdout.readline().strip()
        answer = httpx.post(
            f"{url}/v1/chat/completions?assistant_id=mine",
            headers={"Authorization": ALICE.token},
            json={"messages": [{"role": "user", "content": "hi"}]},
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(LIMIT) == 0
        process.stdout.close()
    finally:
        killer.cancel()
        process.kill()
        process.wait()

    assert "data: [DONE]" in answer.text
    (row,) = [json.loads(line) for line in record.read_text().splitlines()]
    assert (row["assistant_id"], row["user_id"], row["ending"]) == ("mine", "alice", "answered")


def test_a_port_that_is_taken_is_told_to_who_starts_the_server(serve: Callable[..., Any]) -> None:
    port = httpx.URL(serve().server.url).port
    assert port

    with pytest.raises(OSError, match="in use"):
        YaoServer(port=port).__enter__()
