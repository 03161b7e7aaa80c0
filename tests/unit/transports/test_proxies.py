"""Which proxy an address is asked through: as httpx decides it."""

from __future__ import annotations

import ssl

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay_plugins.transports._proxies import proxy_of

CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
HOSTS = ["example.com", "www.example.com", "other.com", "localhost", "127.0.0.1", "[::1]"]


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_none() -> None:
    assert proxy_of(httpx.URL("http://example.com")) is None


def test_by_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://a:1")
    monkeypatch.setenv("HTTPS_PROXY", "b:2")
    monkeypatch.setenv("ALL_PROXY", "http://c:3")
    assert proxy_of(httpx.URL("http://example.com")) == "http://a:1"
    assert proxy_of(httpx.URL("https://example.com")) == "http://b:2"
    monkeypatch.delenv("HTTP_PROXY")
    assert proxy_of(httpx.URL("http://example.com")) == "http://c:3"


def as_httpx(url: httpx.URL) -> bool:
    """Whether httpx itself would use a proxy."""
    with httpx.Client(verify=CONTEXT) as client:
        chosen = client._transport_for_url(url)  # pyright: ignore[reportPrivateUsage] - it has no public way
        return chosen is not client._transport  # pyright: ignore[reportPrivateUsage]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    host=st.sampled_from(HOSTS),
    port=st.sampled_from(["", ":80", ":8080"]),
    scheme=st.sampled_from(["http", "https"]),
    excepted=st.lists(
        st.sampled_from(
            [
                "example.com",
                ".example.com",
                "www.example.com",
                "localhost",
                "127.0.0.1",
                "::1",
                "other.com",
                "ample.com",
                "*",
                "",
                "https://example.com",
                "http://other.com",
                "example.com:8080",
            ]
        ),
        max_size=3,
    ),
)
def test_as_httpx_does(
    monkeypatch: pytest.MonkeyPatch, host: str, port: str, scheme: str, excepted: list[str]
) -> None:
    monkeypatch.setenv("http_proxy", "http://a:1")
    monkeypatch.setenv("https_proxy", "http://b:2")
    monkeypatch.setenv("no_proxy", ", ".join(excepted))
    url = httpx.URL(f"{scheme}://{host}{port}/")
    assert (proxy_of(url) is not None) == as_httpx(url)
