"""Tokens stand in no output of a run, however it fails and whoever repeats them."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from yao_server import (
    ALICE,
    BOB,
    Act,
    Agent,
    Call,
    Fail,
    Heard,
    Hold,
    Next,
    Raw,
    RawReply,
    Reply,
    Say,
    Send,
    Think,
    Vanish,
    YaoServer,
    error,
    forbidden,
    rate_limited,
    server_error,
    unauthorized,
)

TOKENS = (ALICE.token, BOB.token)
REPORTS = ("r.jsonl", "r.json", "r.md", "r.txt")
INFO = "/v1/agent/assistants/a/info"


def telling(heard: Heard) -> Iterable[Act]:
    """Tell the token in every way that an agent has, then end as asked."""
    token = heard.account.token
    yield Think(text=f"token {token}")
    yield Call(name="a__x", arguments={token: token}, result={"got": token})
    yield Call(name="b__y", error=f"refused {token}")
    yield Send(type="error", props={"message": token, "code": token})
    yield Say(text=f"{token[:7]}", pieces=1)
    yield Say(text=f"{token[7:]} and {token}", pieces=2)
    yield Next(data=[token, {token: f"x{token}y"}])
    if "fail" in heard.text:
        yield Fail(message=f"no model for {token}")
    if "vanish" in heard.text:
        yield Vanish()
    if "odd" in heard.text:
        yield Raw(data=f"data: {token}\n\n".encode())
    if "hold" in heard.text:
        yield Hold()


@pytest.fixture
def server(cli: Any) -> Iterator[YaoServer]:
    """A server whose agent repeats the token."""
    agent = Agent(id="a", name=f"N {ALICE.token}", description=f"D {ALICE.token}", script=telling)
    with YaoServer(agent) as server:
        cli.env |= {"ASSAY_YAO_SERVER": server.url, "ASSAY_YAO_TOKEN": ALICE.token}
        yield server


def leaks(cli: Any, done: Any, *tokens: str) -> list[str]:
    """Name the outputs in which a token in use stands, as it is or in base64."""
    outputs = {"stdout": done.out.encode(), "stderr": done.err.encode()}
    outputs |= {name: (cli.root / name).read_bytes() for name in cli.files()}
    return [
        name
        for name, content in outputs.items()
        for token in tokens or TOKENS
        for written in (token.encode(), base64.b64encode(token.encode()).rstrip(b"="))
        if written in content
    ]


def run(cli: Any, *arguments: str, **variables: str) -> Any:
    """Run all cases with every report, as loudly as can be."""
    outputs = [part for name in REPORTS for part in ("-o", name)]
    return cli(
        *("--debug", "test", "-v", "--json", "-n", "a", "--retries", "1", *outputs, *arguments),
        env=variables,
    )


def test_a_run_that_fails_in_every_way(cli: Any, server: YaoServer) -> None:
    endings = ("well", "fail", "vanish", "odd", "hold")
    cases = [
        {"id": f"{ending}{number}", "input": ending, "timeout": "1s", "assert": check}
        for ending in endings
        for number, check in enumerate(
            (
                {"type": "equals", "value": "x"},
                {"type": "contains", "value": "not this"},
                {"type": "json_path", "path": "$[5]", "value": 1},
                {"type": "regex", "value": "^nothing"},
                {"type": "type", "value": "number"},
            )
        )
    ]
    cli.cases("cases.jsonl", *cases)

    done = run(cli, "-i", "cases.jsonl", "--parallel", "8")

    assert done.code == 1, done.err
    assert set(REPORTS) <= set(cli.files())
    assert "***" in cli.read("r.json")
    assert leaks(cli, done) == []


REPLIES: dict[str, Reply | RawReply] = {
    "400": error(400, "invalid_request", f"bad {ALICE.token}"),
    "401": unauthorized("invalid_token", f"unknown {ALICE.token}"),
    "403": forbidden(f"not {ALICE.token}"),
    "404": Reply(status=404, body=f"nothing at {ALICE.token}"),
    "429": rate_limited(ALICE.token),
    "500": server_error(f"panic: {ALICE.token} " * 50),
    "502": Reply(status=502, body=f"<html>{ALICE.token}</html>"),
    "phrase": RawReply(data=f"HTTP/1.1 500 {ALICE.token}\r\n\r\n{ALICE.token}".encode()),
    "garbage": RawReply(data=f"{ALICE.token}\r\n\r\n".encode()),
    "header": RawReply(data=f"HTTP/1.1 200 OK\r\n{ALICE.token}\r\n\r\n".encode()),
    "chunk": RawReply(
        data=f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{ALICE.token}\r\n".encode()
    ),
    "redirect": Reply(status=302, headers={"Location": f"http://127.0.0.1:1/{ALICE.token}"}),
    "reset": RawReply(data=b"", then="reset"),
}


def test_turns_that_are_refused(cli: Any, server: YaoServer) -> None:
    server.add(Agent(id="a", first=tuple(REPLIES.values()) * 2))
    cli.cases("cases.jsonl", *({"id": name, "input": "hi"} for name in REPLIES))

    done = run(cli, "-i", "cases.jsonl", "--max-wait", "2s")

    assert done.code in (1, 3), done.err
    assert leaks(cli, done) == []


@pytest.mark.parametrize("name", ["401", "403", "404", "429", "phrase", "redirect"])
def test_preflights_that_fail(cli: Any, server: YaoServer, name: str) -> None:
    server.plan("GET", INFO, REPLIES[name], for_ever=True)
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi"})

    done = run(cli, "-i", "cases.jsonl")

    # The look is one that a token need not be allowed: then the run goes on.
    assert done.code in (1, 2, 3) or name == "403", done.err
    assert leaks(cli, done) == []


def test_tokens_of_a_table_a_file_and_a_flag(cli: Any, server: YaoServer) -> None:
    (Path(cli.root) / "token").write_text(BOB.token)
    cli.cases(
        "cases.jsonl",
        {"id": "T1", "input": "fail", "user": "alice", "team": "red"},
        {"id": "T2", "input": "fail", "user": "carol"},
    )
    table = 'transport.yao.identities={"alice@red" = "ALICES"}'

    done = run(
        cli,
        *("-i", "cases.jsonl", "--set", table, "--set", "transport.yao.token_file=token"),
        ALICES=ALICE.token,
        ASSAY_YAO_TOKEN="",
    )

    assert done.code == 1, done.err
    assert {turn.account for turn in server.log.turns} == {ALICE, BOB}
    (cli.root / "token").unlink()
    assert leaks(cli, done) == []


@pytest.mark.parametrize("form", ["{}", '"{}"', "Bearer {}"])
def test_a_token_on_the_command_line_is_not_in_the_command_of_the_report(
    cli: Any, server: YaoServer, form: str
) -> None:
    cli.cases("cases.jsonl", {"id": "T1", "input": "fail"})

    done = run(
        cli,
        *("-i", "cases.jsonl", "--set", f"transport.yao.token={form.format(BOB.token)}"),
        ASSAY_YAO_TOKEN="",
    )

    assert done.code == 1, done.err
    assert {turn.account for turn in server.log.turns} == {BOB}
    assert "--set" in cli.read("r.jsonl"), "the command that repeats the run is told"
    assert leaks(cli, done, BOB.token) == []


@pytest.mark.parametrize(
    "setting", ["transport.yao.tokn={}", "transport.yao.token=[{!r}]", "transport.yoa.token={}"]
)
def test_a_token_in_a_setting_that_is_wrong(cli: Any, server: YaoServer, setting: str) -> None:
    cli.cases("cases.jsonl", {"id": "T1", "input": "fail"})

    done = run(cli, "-i", "cases.jsonl", "--set", setting.format(ALICE.token))

    assert done.code == 2, done.err
    assert leaks(cli, done) == []


def test_a_direct_message(cli: Any, server: YaoServer) -> None:
    for message in ("well", "fail"):
        done = cli("--debug", "test", "-v", "-i", message, "-n", "a", "--retries", "0")

        assert leaks(cli, done) == []


def test_a_run_that_is_killed(cli: Any, server: YaoServer) -> None:
    cases = [{"id": f"T{n}", "input": "well" if n < 8 else "hold"} for n in range(9)]
    cli.cases("cases.jsonl", *cases)
    running = cli.start("test", "-v", "-i", "cases.jsonl", "-n", "a", "-o", "r.jsonl")
    server.log.wait(lambda: len(server.log.turns) == 9, "all turns")

    running.process.kill()
    done = running.end()

    assert "T7" in cli.read("r.jsonl")
    assert leaks(cli, done) == []
