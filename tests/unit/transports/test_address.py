"""Addresses: read as httpx reads them, but for what nobody writes."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay_plugins.transports._address import Address, parse_address

HOSTS = ["example.com", "EXAMPLE.com", "127.0.0.1", "[::1]", "localhost", "bücher.example", "a_b"]
PATHS = [
    "",
    "/",
    "/v1",
    "/v1/",
    "/a%20b",
    "/a b",
    "/ä",
    "/a:b@c",
    "/[x]",
    "/a,b;c",
]
QUERIES = ["", "?a=1", "?a=1&b=%2F", "?q=ä b", "?a=1/2?3"]


@given(
    scheme=st.sampled_from(["http", "https"]),
    host=st.sampled_from(HOSTS),
    port=st.sampled_from(["", ":80", ":443", ":8080", ":"]),
    path=st.sampled_from(PATHS),
    query=st.sampled_from(QUERIES),
)
def test_as_httpx_does(scheme: str, host: str, port: str, path: str, query: str) -> None:
    text = f"{scheme}://{host}{port}{path}{query}#part"
    ours, theirs = parse_address(text), httpx.URL(text)
    assert ours.scheme == theirs.scheme
    assert ours.authority.encode() == theirs.netloc
    assert ours.port == theirs.port
    assert ours.target.encode() == theirs.raw_path


@pytest.mark.parametrize(
    "text",
    ["http://x:99999/", "http://x:a/", "http://[::1/", "http://a b/", "http://x/\n", "http://x<y/"],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        parse_address(text)


def test_what_is_shown() -> None:
    address = parse_address("https://me:secret@Example.com:444/v1?key=secret#part")
    assert address == Address("https", "example.com", 444, "/v1", "key=secret")
    assert address.shown == "https://example.com:444/v1"
    assert str(address) == "https://example.com:444/v1?key=secret"
    assert address.own_port == 444


def test_a_percent_sign_that_escapes_nothing_is_escaped() -> None:
    assert parse_address("HTTP://x:80/100%?a=%zz&b=%2f").target == "/100%25?a=%25zz&b=%2f"


@pytest.mark.parametrize(
    ("text", "port"), [("http://x", 80), ("https://x", 443), ("http://x:81", 81), ("ws://x", None)]
)
def test_the_port_that_is_asked(text: str, port: int | None) -> None:
    assert parse_address(text).own_port == port
