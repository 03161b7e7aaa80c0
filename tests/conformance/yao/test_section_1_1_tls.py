"""§1.1: a server behind TLS. Its certificate is always looked at."""

from __future__ import annotations

import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from yao_server import Agent, Say, YaoServer


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1 that nobody has signed, with its key."""
    folder = tmp_path_factory.mktemp("tls")
    wanted = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext"
    files = "subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem"
    command = ["openssl", *wanted.split(), *files.split()]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "certificate.pem"


@pytest.fixture
def secure(yao: Any, certificate: Path) -> Iterator[Any]:
    """A server behind TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    with YaoServer(Agent(id="a", script=(Say(text="fine"),)), tls=context) as server:
        yao.server = server
        yield yao


def test_a_certificate_that_nobody_knows_is_refused(secure: Any) -> None:
    with pytest.raises(assay.RunError, match="certificate") as caught:
        secure.report()

    assert "ca_file" in str(caught.value)
    assert secure.server.log.all == []


def test_a_file_of_certificates_can_be_trusted_instead(secure: Any, certificate: Path) -> None:
    (secure.folder / "ca.pem").write_bytes(certificate.read_bytes())

    report = secure.report(sets=("transport.yao.ca_file=ca.pem",))

    assert [result.status for result in report.cases] == ["passed"]


def test_but_not_for_another_name(secure: Any, certificate: Path) -> None:
    url = secure.server.url.replace("127.0.0.1", "localhost")

    with pytest.raises(assay.RunError, match="certificate"):
        secure.report(sets=(f"transport.yao.ca_file={certificate}", f"transport.yao.server={url}"))


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_that_holds_none_is_a_fault_of_the_settings(
    secure: Any, content: str | None
) -> None:
    if content is not None:
        (secure.folder / "ca.pem").write_text(content)

    with pytest.raises(assay.ConfigError, match=r"ca\.pem"):
        secure.report(sets=("transport.yao.ca_file=ca.pem",))


def test_a_server_without_tls_is_none_behind_https(yao: Any) -> None:
    url = yao.server.url.replace("http:", "https:")

    with pytest.raises(assay.RunError, match=url):
        yao.report(sets=(f"transport.yao.server={url}",))
