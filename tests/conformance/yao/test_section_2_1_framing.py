"""§2.1: the same turn in any framing is the same answer."""

from __future__ import annotations

import threading
from typing import Any

import attrs
import pytest

from yao_server import Agent, Call, Heard, Hold, Pause, Proxy, RawReply, Say, Think

TEXT = 'Grüße, 世界 😀 — "quoted" \\ </script> & \u2028 \x7f\n\ttabs, data: none\r\n: no comment'
SCRIPT = (
    Think(text="Hm 🤔"),
    Say(text="before"),
    Call(name="a__b", arguments={"ü": ["😀", "\n"]}, result=1),
    Say(text=TEXT, pieces=7),
)
FORMATS = ("cui-web", "standard")
PROXIES = {
    "crlf": Proxy(line_end="\r\n"),
    "cr": Proxy(line_end="\r"),
    "no space": Proxy(space=False),
    "bom": Proxy(bom=True),
    "comments": Proxy(comments=True),
    "fields": Proxy(extra_fields=True),
    "several data lines": Proxy(several_data=True),
    "no final line end": Proxy(final_line_end=False),
    "gzip": Proxy(gzip=True),
    "no chunks": Proxy(chunked=False),
    "bytes": Proxy(segment=1),
    "odd pieces": Proxy(segment=5),
    "gzip in bytes": Proxy(gzip=True, segment=1),
    "all, crlf": Proxy(
        line_end="\r\n",
        space=False,
        bom=True,
        comments=True,
        extra_fields=True,
        several_data=True,
        final_line_end=False,
        segment=3,
    ),
    "all, cr, in bytes": Proxy(
        line_end="\r", bom=True, comments=True, several_data=True, final_line_end=False, segment=1
    ),
    "slow": Proxy(segment=400, pause=0.002),
}


@pytest.mark.parametrize("accept", FORMATS)
def test_every_framing_gives_the_same_answer(yao: Any, accept: str) -> None:
    def as_asked(heard: Heard) -> Proxy:
        return PROXIES.get(heard.text, Proxy())

    yao.server.add(Agent(id="a", script=SCRIPT, proxy=as_asked))
    cases = [{"id": name, "input": name} for name in ("plain", *PROXIES)]

    report = yao.report(*cases, parallel=4, sets=(f"transport.yao.accept={accept}",))

    answers = {
        result.case.id: attrs.evolve(result.attempts[0].exchanges[0].response, ids={})
        for result in report.cases
        if result.status == "passed"
    }
    assert answers.keys() == {"plain", *PROXIES}
    plain = answers["plain"]
    assert plain.text == TEXT
    assert plain.full_text == "before" + TEXT
    assert plain.reasoning == "Hm 🤔"
    for name, answer in answers.items():
        assert answer == plain, name


def test_gzip_is_really_used(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=SCRIPT, proxy=Proxy(gzip=True)))

    (result,) = yao.report().cases

    assert result.status == "passed"
    assert "gzip" in (yao.server.log.turn("a").header("accept-encoding") or "")


@pytest.mark.parametrize("accept", FORMATS)
def test_gzip_that_breaks_off_is_a_broken_stream(yao: Any, accept: str) -> None:
    def cut(heard: Heard) -> Proxy:
        return Proxy(gzip=True, cut=int(heard.text))

    yao.server.add(Agent(id="a", script=SCRIPT, proxy=cut))
    cases = [{"id": str(cut), "input": str(cut)} for cut in range(200, 700, 13)]

    report = yao.report(*cases, parallel=4, sets=(f"transport.yao.accept={accept}",))

    assert {result.status for result in report.cases} == {"error"}


@pytest.mark.parametrize("accept", FORMATS)
def test_five_megabytes_in_one_event(yao: Any, accept: str) -> None:
    text = "".join(f"{number:06d}ä" for number in range(600_000))[:5_000_000]

    response = yao.response(Say(text=text, pieces=1), sets=(f"transport.yao.accept={accept}",))

    assert response.text == text


def test_a_tool_argument_of_megabytes(yao: Any) -> None:
    arguments = {"text": "ä" * 3_000_000}

    response = yao.response(
        Call(name="a__b", arguments=arguments, pieces=3, result=1), Say(text="fine")
    )

    assert response.tool_calls[0].arguments == arguments


@pytest.mark.parametrize("accept", FORMATS)
def test_many_small_events(yao: Any, accept: str) -> None:
    text = "abcdefghij" * 1000

    response = yao.response(Say(text=text, pieces=10_000), sets=(f"transport.yao.accept={accept}",))

    assert response.text == text


@pytest.mark.parametrize("accept", FORMATS)
def test_silence_is_no_end(yao: Any, accept: str) -> None:
    acts = (Pause(seconds=0.3), Say(text="So "), Pause(seconds=0.3), Say(text="then."))

    assert yao.response(*acts, sets=(f"transport.yao.accept={accept}",)).text == "So then."


@pytest.mark.parametrize("accept", FORMATS)
@pytest.mark.parametrize("acts", [(Hold(),), (Say(text="Well"), Hold())])
def test_silence_ends_with_the_time_of_the_case(yao: Any, accept: str, acts: Any) -> None:
    attempt = yao.attempt(*acts, timeout="500ms", sets=(f"transport.yao.accept={accept}",))

    assert attempt.status == "timeout"
    turn = yao.server.log.turn("a")
    yao.server.log.wait(lambda: turn.ending in ("left", "answered"), "the end of the turn")


def test_a_turn_that_is_out_of_time_is_interrupted(yao: Any) -> None:
    attempt = yao.attempt(Say(text="Well"), Hold(), timeout="500ms")

    assert attempt.status == "timeout"
    turn = yao.server.log.turn("a")
    (append,) = yao.server.log.to("/append")
    assert append.path == f"/v1/chat/completions/{turn.context_id}/append"
    assert (append.json["type"], append.json["messages"]) == ("force", [])
    assert append.header("authorization") == turn.header("authorization")


def test_an_interrupt_that_hangs_does_not_keep_the_run(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=(Say(text="Well"), Hold())))
    log = yao.server.log

    def hang() -> None:
        log.wait(lambda: [turn for turn in log.of("a") if turn.context_id], "a turn")
        path = f"/v1/chat/completions/{log.turn('a').context_id}/append"
        yao.server.plan("POST", path, RawReply(data=b"", then="hang"))

    planner = threading.Thread(target=hang)
    planner.start()
    (result,) = yao.report(timeout="1s").cases
    planner.join()

    assert result.status == "timeout"
    log.turn("a", "left")


def test_what_comes_in_after_the_time_is_over_changes_nothing(yao: Any) -> None:
    attempt = yao.attempt(Say(text="Well"), Pause(seconds=0.7), Say(text="!"), timeout="400ms")

    assert attempt.status == "timeout"
    assert attempt.error == "timeout after 400ms"


def test_a_stopped_run_leaves_no_turn_running(yao: Any) -> None:
    yao.server.add(Agent(id="a", script=(Hold(),)), Agent(id="b"))
    cases = [{"id": "A", "input": "hi"}, {"id": "B", "input": "hi", "timeout": "300ms"}]

    report = yao.report(*cases, parallel=2, fail_fast=True)

    assert report.summary.counts.total == 2
    yao.server.log.wait(
        lambda: all(turn.ending != "open" for turn in yao.server.log.turns), "an end of all turns"
    )
