"""The HTTP client, against a server that says every byte as it is told."""

from __future__ import annotations

import asyncio
import gzip
import socket
import ssl
import subprocess
import threading
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay import AgentError, ConfigError, RateLimited, TransportError
from assay_plugins.transports._failures import BrokenOff, retry_after
from assay_plugins.transports._http import HttpClient, address, check, chunks, json_of, read
from scripted_server import (
    Answering,
    Asked,
    Close,
    Reset,
    Script,
    ScriptedServer,
    Silence,
    Step,
    Until,
    chunk,
    head,
    stream,
    whole,
)

LIMIT = 20.0


def always(*steps: Step) -> Answering:
    return lambda asked: steps


async def ask(url: str, json: object = None, **how: Any) -> httpx.Response:
    async with asyncio.timeout(LIMIT), HttpClient(**how) as client:
        return await client.request("POST", httpx.URL(url), json=json)


def asked(*steps: Step, **how: Any) -> httpx.Response:
    with ScriptedServer(always(*steps)) as server:
        response = asyncio.run(ask(f"{server.url}/x?key=secret", **how))
        assert not server.faults
        return response


def failed(*steps: Step) -> TransportError:
    with pytest.raises(TransportError) as caught:
        asked(*steps)
    assert "secret" not in str(caught.value)
    return caught.value


def refused(*steps: Step) -> AgentError:
    async def go(url: str) -> None:
        async with asyncio.timeout(LIMIT), HttpClient() as client:
            await check(await client.request("GET", httpx.URL(url)))

    with ScriptedServer(always(*steps)) as server, pytest.raises(AgentError) as caught:
        asyncio.run(go(f"{server.url}/x?key=secret"))
    assert "secret" not in str(caught.value)
    return caught.value


def test_a_request_and_its_answer() -> None:
    with ScriptedServer(always(whole({"a": "ä"}, 200, "X-Id: 1"))) as server:
        response = asyncio.run(
            ask(f"{server.url}/a%20b?q=1", {"ä": 1}, headers={"Authorization": "Bearer abc"})
        )
    assert response.status_code == 200
    assert response.json() == {"a": "ä"}
    assert response.headers["x-id"] == "1"
    (request,) = server.asked
    assert (request.method, request.target, request.json) == ("POST", "/a%20b?q=1", {"ä": 1})
    assert request.headers["authorization"] == "Bearer abc"
    assert request.headers["user-agent"].startswith("assay/")
    assert not server.faults


@pytest.mark.parametrize(
    "steps",
    [
        [head(200, "Content-Length: 5"), b"hello"],
        [head(200, "Content-Length: 5") + b"hel", b"lo"],
        [head(200), b"hello", Close()],
        [head(200, "Transfer-Encoding: chunked"), chunk("he"), chunk("llo"), chunk("")],
        [head(100), head(103, "Link: x"), head(200, "Content-Length: 5"), b"hello"],
        [b"HTTP/1.0 200 OK\r\n\r\nhello", Close()],
        [b"HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello"],
        [bytes([byte]) for byte in head(200, "Content-Length: 5") + b"hello"],
    ],
)
def test_ways_to_say_hello(steps: list[Step]) -> None:
    assert asked(*steps).content == b"hello"


def test_no_body() -> None:
    assert asked(head(204)).content == b""
    assert asked(head(200, "Content-Length: 0")).content == b""


def deflated(data: bytes) -> bytes:
    return zlib.compress(data)


@pytest.mark.parametrize(("name", "encode"), [("gzip", gzip.compress), ("deflate", deflated)])
def test_encodings(name: str, encode: Callable[[bytes], bytes]) -> None:
    data = encode(b"hello" * 1000)
    headers = (f"Content-Encoding: {name}", f"Content-Length: {len(data)}")
    response = asked(head(200, *headers), data[:5], data[5:])
    assert response.text == "hello" * 1000


def test_an_answer_that_is_larger_than_all_buffers() -> None:
    assert (
        len(asked(head(200, "Content-Length: 30000000"), b"x" * 30_000_000).content) == 30_000_000
    )


def test_connections_are_used_again() -> None:
    async def go(url: str) -> None:
        async with HttpClient() as client:
            for _ in range(3):
                await client.request("POST", httpx.URL(url), json=1)
            async with client.stream("GET", httpx.URL(f"{url}/stream")) as response:
                assert await read(response) == b"ab"
            await client.request("GET", httpx.URL(url))

    def answer(asked: Asked) -> Script:
        return stream("a", "b") if asked.target == "/stream" else [whole("x")]

    with ScriptedServer(answer) as server:
        asyncio.run(go(server.url))
    assert [request.connection for request in server.asked] == [1] * 5


@pytest.mark.parametrize(
    "steps",
    [
        [whole("x", 200, "Connection: close")],
        [whole("x"), Close()],
        [whole("x") + b"HTTP/1.1 408 Timeout\r\n\r\n"],
        [b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx"],
    ],
)
def test_connections_that_cannot_be_used_again(steps: list[Step]) -> None:
    async def go(url: httpx.URL) -> None:
        async with HttpClient() as client:
            for _ in range(2):
                response = await answered(client, url)
                assert response.content == b"x"
                assert await asyncio.to_thread(server.closed.wait, LIMIT)
                server.closed.clear()

    async def answered(client: HttpClient, url: httpx.URL) -> httpx.Response:
        while True:
            try:
                return await client.request("GET", url)
            except TransportError as error:
                # The server has closed the connection, and the news is still on its way.
                if not error.retryable:
                    raise

    with ScriptedServer(always(*steps)) as server:
        asyncio.run(asyncio.wait_for(go(httpx.URL(server.url)), LIMIT))
    assert [request.connection for request in server.asked] == [1, 2]


def test_an_answer_that_is_not_read_closes_its_connection() -> None:
    async def go(url: str) -> None:
        async with HttpClient() as client:
            async with client.stream("GET", httpx.URL(url)) as response:
                async for _ in chunks(response):
                    break
            assert await asyncio.to_thread(server.closed.wait, LIMIT)

    with ScriptedServer(always(*stream("a", Silence()))) as server:
        asyncio.run(go(server.url))


@pytest.mark.parametrize("said", [b"", head(200, "Content-Length: 5"), head(200) + b"abc"])
def test_a_cancelled_request_closes_its_connection(said: bytes) -> None:
    async def go(url: str) -> None:
        async with HttpClient() as client:
            task = asyncio.create_task(client.request("GET", httpx.URL(url)))
            await asyncio.to_thread(arrived.wait, LIMIT)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(server.closed.wait, LIMIT)

    arrived = threading.Event()

    def answer(_: Asked) -> Script:
        yield said
        arrived.set()
        yield Silence()

    with ScriptedServer(answer) as server:
        asyncio.run(go(server.url))


# What goes wrong before an answer.


def test_nobody_listens() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        for host in ("127.0.0.1", "localhost"):
            with pytest.raises(TransportError) as caught:
                asyncio.run(ask(f"http://{host}:{port}/v1?key=secret"))
            assert str(caught.value) == (
                f"http://{host}:{port}/v1: connection refused; is the server running there?"
            )
            assert caught.value.retryable


def test_no_such_host() -> None:
    with pytest.raises(TransportError, match=r"no host 'assay\.invalid' is known") as caught:
        asyncio.run(ask("http://assay.invalid/"))
    assert not caught.value.retryable


def test_a_server_that_takes_no_connection() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        full = [socket.socket() for _ in range(4)]
        for each in full:
            each.setblocking(False)
            each.connect_ex(deaf.getsockname())
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        with pytest.raises(TransportError) as caught:
            asyncio.run(ask(url, connect_timeout=0.2))
        for each in full:
            each.close()
    assert f"{url}: not connected after 0.2s" in str(caught.value)
    assert not caught.value.retryable


@pytest.mark.parametrize("end", [Close(), Reset()])
def test_dropped_before_the_first_byte(end: Step) -> None:
    error = failed(end)
    assert "closed before an answer" in str(error)
    assert error.retryable


@pytest.mark.parametrize("end", [Close(), Reset()])
def test_dropped_within_the_head(end: Step) -> None:
    answer = head(200, "Content-Length: 5")
    for cut in range(1, len(answer)):
        error = failed(answer[:cut], end)
        assert not error.retryable


@pytest.mark.parametrize("end", [Close(), Reset()])
@pytest.mark.parametrize(
    "answer",
    [
        [head(200, "Content-Length: 5"), b"hell"],
        [head(200, "Content-Length: 5")],
        [head(200, "Transfer-Encoding: chunked"), chunk("hello")],
        [head(200, "Transfer-Encoding: chunked"), b"5\r\nhel"],
        [head(200, "Transfer-Encoding: chunked"), b"5\r\nhello\r\n0\r\n"],
    ],
)
def test_dropped_within_the_body(answer: list[Step], end: Step) -> None:
    error = failed(*answer, end)
    assert isinstance(error, BrokenOff)
    assert "the answer broke off (the connection was" in str(error)
    assert not error.retryable


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1_100_000,
    ],
)
def test_what_is_no_http(answer: bytes) -> None:
    error = failed(answer, Silence())
    assert "no answer" in str(error)
    assert not error.retryable


def test_a_body_that_is_none() -> None:
    error = failed(head(200, "Transfer-Encoding: chunked"), b"zz\r\n", Silence())
    assert "the answer broke off (not HTTP" in str(error)
    encoded = failed(head(200, "Content-Encoding: gzip", "Content-Length: 5"), b"hello")
    assert "the answer cannot be decoded" in str(encoded)


def test_headers_that_would_break_out() -> None:
    with pytest.raises(TransportError, match="the header X holds a line break") as caught:
        asked(whole("x"), headers={"X": "secret\r\nY: 1"})
    assert "secret" not in str(caught.value)


# What statuses mean.


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_busy_server_may_be_asked_again(status: int) -> None:
    error = refused(whole("<html>busy</html>", status, kind="text/html"))
    assert isinstance(error, TransportError)
    assert not isinstance(error, RateLimited)
    assert error.retryable
    assert str(error).endswith(f"/x: HTTP {status}: <html>busy</html>")


@pytest.mark.parametrize("status", [400, 409, 413, 415, 422, 500])
def test_the_agent_refuses_or_fails(status: int) -> None:
    error = refused(whole({"error": {"message": "no such tool"}}, status))
    assert not isinstance(error, TransportError)
    assert f"HTTP {status}: no such tool" in str(error)


@pytest.mark.parametrize("status", [401, 403, 404, 405, 451, 501])
def test_the_agent_is_not_reached(status: int) -> None:
    error = refused(whole({"detail": "go away"}, status))
    assert isinstance(error, TransportError)
    assert not error.retryable
    assert f"HTTP {status}: go away" in str(error)


def test_a_redirect_is_not_followed() -> None:
    error = refused(head(307, "Location: https://elsewhere/v1?token=secret", "Content-Length: 0"))
    assert isinstance(error, TransportError)
    assert "leads to https://elsewhere/v1; write that address instead" in str(error)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ((), None),
        (("Retry-After: 7",), 7.0),
        (("Retry-After: 0.5",), 0.5),
        (("Retry-After: soon",), None),
        (("Retry-After: -1",), None),
        (
            ("Retry-After: Wed, 21 Oct 2026 07:28:30 GMT", "Date: Wed, 21 Oct 2026 07:28:00 GMT"),
            30.0,
        ),
        (
            ("Retry-After: Wed, 21 Oct 2026 07:28:00 GMT", "Date: Wed, 21 Oct 2026 08:00:00 GMT"),
            0.0,
        ),
        (("Retry-After: Wed, 99 Oct 2026 07:28:00 GMT",), None),
    ],
)
def test_rate_limits(headers: tuple[str, ...], seconds: float | None) -> None:
    error = refused(whole({"error": {"message": "slow down"}}, 429, *headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == seconds
    assert "HTTP 429: slow down" in str(error)


def test_a_date_without_the_servers_own() -> None:
    until = datetime.now(UTC) + timedelta(seconds=100)
    after = retry_after(httpx.Headers({"Retry-After": format_datetime(until, usegmt=True)}))
    assert after is not None
    assert 0 < after <= 100


def test_a_busy_server_that_says_when() -> None:
    error = refused(whole("", 503, "Retry-After: 9"))
    assert isinstance(error, RateLimited)
    assert error.retry_after == 9.0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "HTTP 500 Internal"),
        (b"plain\n  text", "HTTP 500: plain text"),
        (b"x" * 1000, "HTTP 500: " + "x" * 299 + "…"),
        (b"\xff\xfe", "HTTP 500: ��"),
        (b'{"error": "short"}', "HTTP 500: short"),
        (b'{"error": {"message": "m", "code": 1}}', "HTTP 500: m"),
        (b'{"error": "invalid_grant", "error_description": "why"}', "HTTP 500: invalid_grant: why"),
        (b'{"detail": [{"msg": "field required", "loc": []}]}', "HTTP 500: field required"),
        (b'[{"error": {"message": "in a list"}}]', "HTTP 500: in a list"),
        (b'{"code": 5}', 'HTTP 500: {"code": 5}'),
        (b'{"error": {"error": {"error": {"error": {"error": "deep"}}}}}', 'HTTP 500: {"error"'),
    ],
)
def test_what_error_bodies_say(body: bytes, said: str) -> None:
    length = f"Content-Length: {len(body)}"
    error = refused(head(500, length, reason="Internal") + body)
    assert said in str(error)


def test_json_of() -> None:
    url = httpx.URL("http://x/y?key=secret")
    assert json_of(b'\xef\xbb\xbf{"a": 1}', url) == {"a": 1}
    with pytest.raises(TransportError, match=r"http://x/y: the answer is not JSON .*: <html>$"):
        json_of(b"<html>", url)
    with pytest.raises(TransportError, match="it is empty"):
        json_of(b"", url)


# Addresses, TLS, proxies.


@pytest.mark.parametrize("text", ["", "localhost:80", "ftp://x/", "http:///x", "http://x:99999999"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ConfigError, match=r"-n: .*write http://HOST"):
        address(text, "-n")


def test_passwords_do_not_belong_into_addresses() -> None:
    with pytest.raises(ConfigError, match="user and password") as caught:
        address("http://me:secret@x/", "-n")
    assert "secret" not in str(caught.value)


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of 127.0.0.1 that nobody has signed, with its key."""
    made = tmp_path / "certificate.pem"
    wanted = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext"
    files = "subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    command = ["openssl", *wanted.split(), *files.split()]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return made


def server_context(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    return context


def test_tls_is_verified(certificate: Path) -> None:
    with ScriptedServer(always(whole("x")), server_context(certificate)) as server:
        with pytest.raises(TransportError, match=r"certificate is not trusted .*set ca_file"):
            asyncio.run(ask(server.url))
        assert asyncio.run(ask(server.url, ca_file=certificate)).text == "x"
        wrong_name = server.url.replace("127.0.0.1", "localhost")
        with pytest.raises(TransportError, match="not trusted"):
            asyncio.run(ask(wrong_name, ca_file=certificate))


def test_no_tls_there() -> None:
    with ScriptedServer(always(whole("x"))) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(TransportError, match="does the server speak https there"):
            asyncio.run(ask(url, connect_timeout=2.0))


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_a_ca_file_that_is_none(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=r"ca_file .*PEM"):
        asyncio.run(ask("https://x/", ca_file=file))


def test_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(always(whole("proxied"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        assert asyncio.run(ask("http://assay.invalid/x", {"a": 1})).text == "proxied"
    (request,) = proxy.asked
    assert request.target == "http://assay.invalid/x"
    assert request.json == {"a": 1}


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://me:secret@127.0.0.1:9")
    with pytest.raises(TransportError) as caught:
        asyncio.run(ask("http://assay.invalid/x"))
    assert str(caught.value).startswith(
        "http://assay.invalid/x through the proxy http://127.0.0.1:9: connection refused"
    )


@pytest.mark.parametrize("proxy", ["http://me:secret@a:b", "gopher://me:secret@a:1"])
def test_a_proxy_that_is_none(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(TransportError, match=r"the proxy 'a:.' .*cannot be used.*mend") as caught:
        asyncio.run(ask("http://assay.invalid/x"))
    assert "secret" not in str(caught.value)


def test_trusted_certificates_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
    with pytest.raises(ConfigError, match=r"SSL_CERT_FILE /nowhere\.pem: cannot be used"):
        asyncio.run(ask("https://127.0.0.1:9/"))


def test_certificates_of_a_variable(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with ScriptedServer(always(whole("x")), server_context(certificate)) as server:
        assert asyncio.run(ask(server.url)).content == b"x"


def test_an_ipv6_address() -> None:
    with socket.socket(socket.AF_INET6) as held:
        held.bind(("::1", 0))
        url = f"http://[::1]:{held.getsockname()[1]}/v1"
        with pytest.raises(TransportError) as caught:
            asyncio.run(ask(url))
    assert str(caught.value).startswith(f"{url}: connection refused")


def test_a_thousand_streams_at_once() -> None:
    everyone = threading.Event()

    def answer(asked: Asked) -> Script:
        if len(server.asked) == 1000:
            everyone.set()
        return stream("a", Until(everyone), "b")

    async def go(url: httpx.URL) -> list[bytes]:
        async with HttpClient() as client:

            async def one(number: int) -> bytes:
                async with client.stream("POST", url, json=number) as response:
                    return await read(response)

            return await asyncio.gather(*(one(number) for number in range(1000)))

    with ScriptedServer(answer) as server:
        assert asyncio.run(go(httpx.URL(server.url))) == [b"ab"] * 1000
    assert server.most_open == 1000
    assert not server.faults
