"""Requests as bytes."""

from __future__ import annotations

from assay_plugins.transports._address import parse_address
from assay_plugins.transports._outgoing import Outgoing

URL = parse_address("http://example.com:8080/v1?a=1")


def test_with_a_body() -> None:
    outgoing = Outgoing("POST", URL, {"Accept": "*/*", "X-Name": "ä"}, b"\x00\xff")
    assert outgoing.written() == (
        b"POST /v1?a=1 HTTP/1.1\r\nHost: example.com:8080\r\nAccept: */*\r\n"
        b"X-Name: \xc3\xa4\r\nContent-Length: 2\r\n\r\n\x00\xff"
    )


def test_without_a_body() -> None:
    assert Outgoing("GET", URL, {}).written() == (
        b"GET /v1?a=1 HTTP/1.1\r\nHost: example.com:8080\r\n\r\n"
    )
    assert Outgoing("POST", URL, {}).written().endswith(b"\r\nContent-Length: 0\r\n\r\n")


def test_a_host_of_ones_own() -> None:
    written = Outgoing("GET", URL, {"host": "inside"}).written()
    assert written == b"GET /v1?a=1 HTTP/1.1\r\nhost: inside\r\n\r\n"
