"""§1.1: where the API of a server is found."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

import assay
from yao_server import ALICE, Agent, RawReply, Reply, Say, YaoServer

KNOWN = "/.well-known/yao"
AGENT = Agent(id="a", script=(Say(text="fine"),))


@pytest.mark.parametrize("base", ["/v1", "/api/openapi", "", "/v1/"])
def test_the_server_tells_its_base_path(serve: Any, base: str) -> None:
    yao = serve(base=base.rstrip("/"))
    yao.server.plan("GET", KNOWN, Reply(body={"openapi": base or "/"}), for_ever=True)

    assert yao.response(agent=AGENT).text == "fine"

    assert len(yao.server.log.to(f"{base.rstrip('/')}/chat/completions")) == 1


@pytest.mark.parametrize(
    "told",
    [
        Reply(status=404, body="404 page not found"),
        Reply(status=404, body={"error": "invalid_request"}),
        Reply(body="<html>hello</html>"),
        Reply(body={"name": "x"}),
        Reply(body=["/v2"]),
        Reply(body={"openapi": 7}),
        Reply(body={"openapi": ""}),
        Reply(body={"openapi": "v2"}),
        Reply(body={"openapi": "/../v2"}),
        Reply(body={"openapi": "/v2?x=1"}),
    ],
)
def test_without_a_path_it_is_v1(yao: Any, told: Reply) -> None:
    yao.server.plan("GET", KNOWN, told)

    assert yao.response(agent=AGENT).text == "fine"


def test_old_servers_have_no_document(serve: Any) -> None:
    yao = serve(well_known=False)

    assert yao.response(agent=AGENT).text == "fine"


@pytest.mark.parametrize("form", ["{}/v1", "//{}/v1", "\\\\{}\\v1", "https://{}/v1"])
def test_the_token_never_goes_to_another_host(yao: Any, form: str) -> None:
    with YaoServer(AGENT) as other:
        told = form.format(other.url if form == "{}/v1" else other.url.partition("//")[2])
        yao.server.plan("GET", KNOWN, Reply(body={"openapi": told, "server_url": other.url}))

        assert yao.response(agent=AGENT).text == "fine"

        assert other.log.all == []


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("path", [KNOWN, "/v1/agent/assistants/a/info", "/v1/chat/completions"])
def test_nobody_follows_a_server_that_sends_the_token_elsewhere(
    yao: Any, status: int, path: str
) -> None:
    method = "POST" if path.endswith("completions") else "GET"
    with YaoServer(AGENT) as other:
        moved = Reply(status=status, headers={"Location": other.url + path})
        yao.server.add(AGENT)
        yao.server.plan(method, path, moved, for_ever=True)

        with contextlib.suppress(assay.ConfigError, assay.RunError):
            statuses = [result.status for result in yao.report().cases]
            assert statuses == ["passed" if path == KNOWN else "error"]

        assert not [seen for seen in other.log.all if "authorization" in seen.headers]


def test_the_document_is_asked_for_once_in_a_run(yao: Any) -> None:
    yao.server.add(AGENT)

    yao.report(*({"id": f"T{number}", "input": "hi"} for number in range(3)), runs=2)

    assert len(yao.server.log.to(KNOWN)) == 1
    assert len(yao.server.log.of("a")) == 6


def test_an_address_may_end_with_a_slash_and_have_a_path(serve: Any) -> None:
    yao = serve(base="/below/v1")
    yao.server.add(AGENT)
    yao.server.plan("GET", "/below" + KNOWN, Reply(body={"openapi": "/v1"}))

    report = yao.report(sets=(f"transport.yao.server={yao.server.url}/below/",))

    assert [result.status for result in report.cases] == ["passed"]


def test_the_address_may_come_from_a_variable(yao: Any) -> None:
    yao.server.add(AGENT)

    report = assay.run(
        [{"id": "T1", "input": "hi"}],
        agent="a",
        cwd=yao.folder,
        environ={**yao.environ, "ASSAY_YAO_SERVER": yao.server.url},
    )

    assert [result.status for result in report.cases] == ["passed"]


@pytest.mark.parametrize("server", ["localhost:5099", "ftp://x", "http://", "http://u:p@x/", "x"])
def test_what_is_no_address_is_refused_before_anything(yao: Any, server: str) -> None:
    with pytest.raises(assay.ConfigError) as caught:
        yao.report(sets=(f"transport.yao.server={server}",))

    assert "server" in str(caught.value)
    assert ALICE.token not in str(caught.value)


@pytest.mark.parametrize("then", ["close", "reset"])
def test_a_server_that_is_not_there_yet_is_asked_again(yao: Any, then: Any) -> None:
    yao.server.plan("GET", KNOWN, RawReply(data=b"", then=then))

    assert yao.response(agent=AGENT).text == "fine"


def test_a_server_that_is_not_there_is_a_runtime_error(yao: Any) -> None:
    with YaoServer() as gone:
        url = gone.url

    with pytest.raises(assay.RunError, match="refused") as caught:
        yao.report(sets=(f"transport.yao.server={url}",))

    assert caught.value.exit_code == 3
    assert url in str(caught.value)
