"""§2.6: how a turn ends, row by row. Nothing but an end mark is success."""

from __future__ import annotations

from typing import Any

import pytest

from assay import ABSENT
from yao_server import (
    ALICE,
    Agent,
    Broken,
    Drop,
    Fail,
    Heard,
    Proxy,
    Raw,
    RawReply,
    Reply,
    Say,
    Send,
    Vanish,
    bad_request,
    server_error,
)

BARE = b'{"error":"server_error","error_description":"Failed to stream: late"}'
FORMATS = ("cui-web", "standard")
STANDARD = {"sets": ("transport.yao.accept=standard",)}
HOOK_ERROR = Send(type="error", props={"message": "odd thing", "code": "hook"})
ENDED_BADLY = Send(
    type="event", props={"event": "stream_end", "data": {"status": "error", "error": "no model"}}
)


@pytest.fixture(params=FORMATS)
def both(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Settings for either format."""
    return {"sets": (f"transport.yao.accept={request.param}",)}


def test_a_refused_turn_is_an_error_that_says_why(yao: Any, both: dict[str, Any]) -> None:
    refused = Agent(id="a", first=(bad_request("Failed to parse request: no"),))

    error, output = yao.error(agent=refused, **both)

    assert "400" in error
    assert "Failed to parse request: no" in error
    assert output is ABSENT


def test_a_page_of_a_proxy_is_an_error_in_one_line(yao: Any, both: dict[str, Any]) -> None:
    page = "<html><head><title>502 Bad Gateway</title></head><body>\n<h1>nginx</h1>\n</body></html>"
    html = Reply(status=502, body=page, headers={"Content-Type": "text/html"})

    error, _ = yao.error(agent=Agent(id="a", first=(html,)), **both)

    assert "502" in error
    assert "\n" not in error


def test_an_error_whose_status_came_too_late_keeps_the_error(
    yao: Any, both: dict[str, Any]
) -> None:
    mixed = Agent(id="a", broken=Broken(message="no model", race=True))

    error, _ = yao.error(agent=mixed, **both)

    assert "500" in error
    assert "Failed to stream: no model" in error
    assert "data:" not in error


def test_a_turn_that_fails_before_it_starts(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(agent=Agent(id="a", broken=Broken(message="no model")), **both)

    assert "no model" in error
    assert output is ABSENT


def test_an_end_mark_is_success(yao: Any, both: dict[str, Any]) -> None:
    assert yao.response(Say(text="fine"), **both).text == "fine"


def test_a_turn_that_ends_with_an_error_keeps_its_text(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(Say(text="Well, "), Fail(message="overloaded"), **both)

    assert "overloaded" in error
    assert output == "Well, "


def test_the_failure_of_a_hook_that_sends_no_message(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(Say(text="Well"), Fail(message="boom", told=False), **both)

    assert "boom" in error
    assert output == "Well"


def test_a_bad_status_alone_is_an_error(yao: Any) -> None:
    error, output = yao.error(Say(text="Well"), ENDED_BADLY, Vanish())

    assert "no model" in error
    assert output == "Well"


def test_a_bare_error_alone_is_an_error(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(Say(text="Well"), Raw(data=BARE), Vanish(), **both)

    assert "Failed to stream: late" in error
    assert output == "Well"


def test_errors_that_were_recovered_from_are_noted(yao: Any, both: dict[str, Any]) -> None:
    response = yao.response(HOOK_ERROR, Say(text="fine"), **both)

    assert response.text == "fine"
    assert any("odd thing" in note for note in response.notes)


def test_an_error_and_then_nothing_is_an_error(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(Say(text="Well"), HOOK_ERROR, Vanish(), **both)

    assert "odd thing" in error
    assert output == "Well"


def test_data_that_are_not_json_are_an_error(yao: Any, both: dict[str, Any]) -> None:
    error, output = yao.error(Say(text="Well"), Raw(data=b"data: {oops\n\n"), **both)

    assert "JSON" in error
    assert output == "Well"


@pytest.mark.parametrize("text", ["Well", ""])
def test_an_early_end_is_a_broken_stream(yao: Any, both: dict[str, Any], text: str) -> None:
    error, output = yao.error(Say(text=text), Vanish(), **both)

    assert "end" in error
    assert output == (text or ABSENT)


@pytest.mark.parametrize("reset", [False, True])
def test_a_dropped_connection_is_a_broken_stream(
    yao: Any, both: dict[str, Any], reset: bool
) -> None:
    attempt = yao.attempt(Say(text="Well"), Drop(reset=reset), **both, retries=2)

    assert (attempt.status, attempt.unreached) == ("error", True)
    # A reset may destroy what had arrived and was not read yet; what is kept is never changed.
    assert attempt.output == "Well" or (reset and attempt.output is ABSENT)
    assert len(yao.server.log.of("a")) == 1, "a turn that has begun is never asked for again"


@pytest.mark.parametrize("after", [b"\n\ndata: {oops\n\n", b"trailing", b"data: [DONE]\n\n"])
def test_bytes_behind_the_end_mark_are_ignored(
    yao: Any, both: dict[str, Any], after: bytes
) -> None:
    agent = Agent(id="a", script=(Say(text="fine"),), after_end=after)

    assert yao.response(agent=agent, **both).text == "fine"


def test_but_a_bare_error_behind_the_end_mark_is_not(yao: Any, both: dict[str, Any]) -> None:
    agent = Agent(id="a", script=(Say(text="fine"),), after_end=BARE)

    error, output = yao.error(agent=agent, **both)

    assert "Failed to stream: late" in error
    assert output == "fine"


def test_the_end_mark_of_the_other_format_is_none(yao: Any) -> None:
    error, output = yao.error(Say(text="Well"), Raw(data=b"data: [DONE]\n\n"), Vanish())

    assert "end" in error
    assert output == "Well"


def test_a_later_part_of_the_turn_cannot_complete_it(yao: Any) -> None:
    ended = Send(
        type="event",
        props={"event": "stream_end", "data": {"status": "completed"}},
        thread_id="T1",
    )

    error, _ = yao.error(Say(text="Well"), ended, Vanish())

    assert "end" in error


@pytest.mark.parametrize("length", ["9", "2"])
def test_a_length_that_lies_is_a_broken_stream(yao: Any, both: dict[str, Any], length: str) -> None:
    lie = Reply(
        body=b"data: [DO",
        headers={"Content-Length": length, "Content-Type": "text/event-stream"},
    )

    error, _ = yao.error(agent=Agent(id="a", first=(lie,)), **both)

    assert error


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nnonsense",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"5\r\nplain\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"SMTP 220 hello\r\n\r\n",
        b"\x00\x01\x02",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_answers_that_are_none_are_errors(yao: Any, both: dict[str, Any], answer: bytes) -> None:
    error, output = yao.error(agent=Agent(id="a", first=(RawReply(data=answer),)), **both)

    assert error
    assert output is ABSENT
    assert ALICE.token not in error


def test_a_page_instead_of_a_stream_is_an_error(yao: Any, both: dict[str, Any]) -> None:
    page = Reply(body="<html>Please log in</html>", headers={"Content-Type": "text/html"})

    error, _ = yao.error(agent=Agent(id="a", first=(page,)), **both)

    assert error


def test_an_error_with_status_200_and_no_stream_is_an_error(yao: Any, both: dict[str, Any]) -> None:
    body = server_error("Failed to stream: never started").body

    error, _ = yao.error(agent=Agent(id="a", first=(Reply(body=body),)), **both)

    assert "never started" in error


def test_a_connection_that_drops_at_any_byte_is_never_success(
    yao: Any, both: dict[str, Any]
) -> None:
    def cut_as_asked(heard: Heard) -> Proxy:
        return Proxy(cut=int(heard.text) if heard.text.isdigit() else None)

    yao.server.add(Agent(id="a", script=(Say(text="Well, yes."),), proxy=cut_as_asked))
    yao.report({"id": "whole", "input": "whole"}, **both)
    total = yao.server.log.turn("a", "answered").wire_bytes
    # Behind the JSON of the end mark stand its line ends and those of its chunk and the body.
    places = sorted({*range(0, total - 24, 17), *range(total - 60, total - 24)})
    cases = [{"id": str(place), "input": str(place)} for place in places]

    results = list(yao.report(*cases, parallel=8, **both).cases)

    assert {result.status for result in results} == {"error"}
    for result in results:
        (attempt,) = result.attempts
        assert attempt.error
        assert attempt.output is ABSENT or "Well, yes.".startswith(str(attempt.output))
        assert attempt.unreached, result.case.id
    outputs = {attempt.output for result in results for attempt in result.attempts}
    assert {ABSENT, "Well, yes."} <= outputs
