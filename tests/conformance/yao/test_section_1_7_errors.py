"""§1.7: errors before the stream. Only some of them are worth another try."""

from __future__ import annotations

import threading
from email.utils import formatdate
from time import time
from typing import Any

import pytest

from yao_server import (
    Agent,
    Hold,
    RawReply,
    Reply,
    Say,
    bad_request,
    error,
    forbidden,
    insufficient_scope,
    quota_exceeded,
    rate_limited,
    server_error,
    unauthorized,
)

SAY = (Say(text="fine"),)
HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (bad_request("Failed to parse request: x"), ("400", "Failed to parse request: x")),
        (unauthorized("invalid_token", "Invalid token"), ("401", "Invalid token")),
        (unauthorized("token_missing", "Missing"), ("401", "Missing")),
        (forbidden("No permission"), ("403", "No permission")),
        (error(403, "access_denied", "Denied by rule"), ("403", "Denied by rule")),
        (insufficient_scope(("chat:x",), ("chat:x",)), ("403", "scope")),
        (Reply(status=404, body="404 page not found"), ("404",)),
        (error(405, "invalid_request", "Not here"), ("405", "Not here")),
        (server_error("Failed to get assistant: gone"), ("500", "Failed to get assistant: gone")),
        (server_error("Failed to get cache store"), ("500", "cache store")),
        (Reply(status=418, body={"error": None}), ("418",)),
        (Reply(status=400, body=b"\xff\xfe\x00"), ("400",)),
        (Reply(status=400, body={"error": {"message": "deep"}}), ("400", "deep")),
        (Reply(status=500, body=""), ("500",)),
        (Reply(status=401, body="x" * 1_000_000), ("401",)),
    ],
)
def test_what_the_server_says_is_told_and_asked_once(
    yao: Any, reply: Reply, said: tuple[str, ...]
) -> None:
    told, _ = yao.error(agent=Agent(id="a", script=SAY, first=(reply,)), retries=2)

    for part in said:
        assert part in told
    assert len(told) < 1000
    assert len(yao.server.log.of("a")) == 1


RETRIED = [
    rate_limited("0"),
    rate_limited(None),
    quota_exceeded(),
    Reply(status=502, body="<html><h1>Bad Gateway</h1></html>", headers=HTML),
    Reply(status=503, body=""),
    Reply(status=504, body={"error": "x", "error_description": "late"}),
    RawReply(data=b"", then="close"),
    RawReply(data=b"", then="reset"),
]


@pytest.mark.parametrize("reply", RETRIED)
def test_what_may_pass_is_tried_again(yao: Any, reply: Any) -> None:
    attempt = yao.attempt(agent=Agent(id="a", script=SAY, first=(reply,)), retries=1)

    assert (attempt.status, attempt.output) == ("passed", "fine")
    (tried,) = attempt.tries
    assert tried.error
    turns = yao.server.log.of("a")
    assert len(turns) == 2
    assert turns[0].body == turns[1].body


@pytest.mark.parametrize("reply", RETRIED)
def test_and_without_tries_left_the_way_to_the_agent_failed(yao: Any, reply: Any) -> None:
    attempt = yao.attempt(agent=Agent(id="a", script=SAY, first=(reply,)))

    assert (attempt.status, attempt.unreached) == ("error", True)
    assert len(yao.server.log.of("a")) == 1


@pytest.mark.parametrize(
    "data",
    [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"],
)
@pytest.mark.parametrize("then", ["close", "reset"])
def test_an_answer_that_has_begun_is_not_tried_again(yao: Any, data: bytes, then: Any) -> None:
    first = (RawReply(data=data, then=then),)

    attempt = yao.attempt(agent=Agent(id="a", script=SAY, first=first), retries=2)

    if then == "close":
        assert attempt.status == "error"
        assert len(yao.server.log.of("a")) == 1
    else:
        # A reset may overtake the bytes before it: then nothing had begun.
        assert len(yao.server.log.of("a")) == (1 if attempt.status == "error" else 2)


def test_a_pause_that_the_server_asks_for_is_kept(yao: Any) -> None:
    attempt = yao.attempt(agent=Agent(id="a", script=SAY, first=(rate_limited("1"),)), retries=1)

    (tried,) = attempt.tries
    assert tried.waited_ms >= 1000
    assert attempt.duration_ms < tried.waited_ms, "waiting counts in no duration"


def test_a_pause_may_be_written_as_a_date(yao: Any) -> None:
    until = formatdate(time() + 2, usegmt=True)

    attempt = yao.attempt(agent=Agent(id="a", script=SAY, first=(rate_limited(until),)), retries=1)

    assert attempt.status == "passed"
    # Dates have whole seconds: of two, one at least is left.
    assert attempt.tries[0].waited_ms >= 900


@pytest.mark.parametrize("said", ["soon", "-5", "nan", "99999999999999999999999", ""])
def test_a_pause_that_cannot_be_read_hangs_nothing(yao: Any, said: str) -> None:
    agent = Agent(id="a", script=SAY, first=(rate_limited(said),))

    attempt = yao.attempt(agent=agent, retries=1, max_wait="2s")

    assert attempt.status in ("passed", "error")
    assert len(attempt.tries) == 1


def test_a_pause_beyond_the_limit_is_not_waited_for(yao: Any) -> None:
    limited = Agent(id="a", script=SAY, first=(rate_limited("3600"),))

    told, _ = yao.error(agent=limited, retries=2, max_wait="5m")

    assert "1h" in told
    assert "5m" in told
    assert len(yao.server.log.of("a")) == 1


def test_all_requests_wait_for_the_pause_of_one(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=SAY, first=(rate_limited("1"),)))

    results = list(
        yao.report(
            *({"id": str(number), "input": "hi"} for number in range(12)), parallel=4, retries=1
        ).cases
    )

    assert {result.status for result in results} == {"passed"}
    tries = [attempt.tries for result in results for attempt in result.attempts]
    assert sum(len(tried) for tried in tries) == 1
    assert len(yao.server.log.of("a")) == 13


def test_a_run_in_which_the_server_was_never_reached_exits_with_3(yao: Any) -> None:
    gone = Agent(id="a", script=SAY, first=(RawReply(data=b"", then="reset"),) * 3)
    yao.server.add(gone)

    report = yao.report(*({"id": str(number), "input": "hi"} for number in range(3)))

    assert [result.status for result in report.cases] == ["error"] * 3
    assert report.exit_code == 3


def test_a_server_that_goes_away_in_mid_run_fails_what_comes_after(yao: Any) -> None:
    server = yao.server
    server.add(Agent(id="a", script=(Say(text="Well"), Hold())))

    def stop() -> None:
        server.log.wait(lambda: len(server.log.of("a")) == 2, "two turns")
        server.close()

    stopper = threading.Thread(target=stop)
    stopper.start()
    cases = ({"id": str(number), "input": "hi"} for number in range(3))
    results = list(yao.report(*cases, parallel=2).cases)
    stopper.join()

    assert [result.status for result in results] == ["error"] * 3
    assert all(result.attempts[0].unreached for result in results)
