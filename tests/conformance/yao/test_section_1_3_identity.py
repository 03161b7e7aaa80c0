"""§1.3, §1.4: as whom a turn is asked. The token alone decides that."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

import assay
from yao_server import ALICE, BOB, CLI, EXPIRED, Agent, Heard, Say, Seen

TABLE = 'transport.yao.identities={"alice@red" = "A_TOKEN", "bob" = "B_TOKEN"}'
TOKENS = {"A_TOKEN": ALICE.token, "B_TOKEN": BOB.token}


def whoami(heard: Heard) -> list[Say]:
    return [Say(text=f"{heard.account.user_id}@{heard.account.team_id}")]


@pytest.fixture
def me(yao: Any) -> Any:
    """A server whose agent tells who asks."""
    yao.server.add(Agent(id="a", script=whoami))
    return yao


def asked(yao: Any, **how: Any) -> tuple[str, Seen, assay.Response]:
    """Run one case; give as whom it was asked, the request, the response."""
    case = {"id": "A", "input": "hi", **how.pop("case", {})}
    (result,) = yao.report(case, **how).cases
    (attempt,) = result.attempts
    assert attempt.status == "passed", attempt.error
    return str(attempt.output), yao.server.log.turns[-1], attempt.exchanges[0].response


@pytest.mark.parametrize(
    ("case", "flags", "who"),
    [
        ({"user": "alice", "team": "red"}, {}, "alice@red"),
        ({"user": "bob"}, {}, "bob@blue"),
        ({"user": "bob", "team": "any"}, {}, "bob@blue"),
        ({"user": "alice", "team": "red"}, {"user": "bob"}, "bob@blue"),
    ],
)
def test_the_table_picks_the_token(
    me: Any, case: dict[str, str], flags: dict[str, str], who: str
) -> None:
    said, seen, response = asked(me, case=case, sets=(TABLE,), environ=TOKENS, **flags)

    assert said == who
    assert "metadata" not in seen.json
    assert not response.notes


def test_one_run_can_ask_as_several_users(me: Any) -> None:
    cases = [{"id": name, "input": "hi", "user": name, "team": "red"} for name in ("alice", "bob")]

    results = me.report(*cases, sets=(TABLE,), environ=TOKENS).cases

    outputs = [result.attempts[0].output for result in results]
    assert outputs == ["alice@red", "bob@blue"]


def test_without_an_entry_the_server_decides_and_hears_who_was_meant(me: Any) -> None:
    case = {"user": "carol", "team": "green", "metadata": {"x": 1}}

    said, seen, response = asked(me, case=case, sets=(TABLE,), environ=TOKENS)

    assert said == "alice@red"
    assert seen.json["metadata"] == {"x": 1, "assay_user": "carol", "assay_team": "green"}
    assert any("server decides" in note for note in response.notes)


def test_a_user_of_the_table_in_another_team_is_not_that_one(me: Any) -> None:
    said, seen, _ = asked(me, case={"user": "alice", "team": "blue"}, sets=(TABLE,), environ=TOKENS)

    assert said == "alice@red"
    assert seen.json["metadata"] == {"assay_user": "alice", "assay_team": "blue"}


def test_defaults_were_asked_for_by_nobody(me: Any) -> None:
    _, seen, response = asked(me)

    assert "metadata" not in seen.json
    assert not response.notes


def test_the_report_says_who_decided(me: Any) -> None:
    token = me.report({"id": "A", "input": "hi"}, user="bob", sets=(TABLE,), environ=TOKENS)
    server = me.report({"id": "A", "input": "hi"}, user="carol")

    environments = [report.info.environment for report in (token, server)]
    assert [environment.identity for environment in environments] == ["token", "server"]
    assert [environment.user_id for environment in environments] == ["bob", "carol"]


def test_a_variable_that_is_unset_is_a_fault_of_the_settings(me: Any) -> None:
    with pytest.raises(assay.ConfigError, match="B_TOKEN"):
        me.report(sets=(TABLE,), environ={"A_TOKEN": ALICE.token})

    assert me.server.log.all == []


def test_the_table_alone_is_enough_for_its_users(me: Any) -> None:
    case = {"user": "bob"}
    me.environ.pop("ASSAY_YAO_TOKEN")

    said, _, _ = asked(me, case=case, sets=(TABLE,), environ={**TOKENS})

    assert said == "bob@blue"


def test_without_any_token_nothing_is_asked(me: Any) -> None:
    me.environ.pop("ASSAY_YAO_TOKEN")

    with pytest.raises(assay.ConfigError, match="ASSAY_YAO_TOKEN"):
        me.report()

    assert me.server.log.turns == []


def test_a_token_may_lie_in_a_file(me: Any) -> None:
    (me.folder / "token").write_text(f"{BOB.token}\n")
    me.environ.pop("ASSAY_YAO_TOKEN")

    assert asked(me, sets=("transport.yao.token_file=token",))[0] == "bob@blue"


@pytest.mark.parametrize("written", ["two words", "", "tökén", "line\nbreak"])
def test_what_is_no_token_is_refused_without_showing_it(me: Any, written: str) -> None:
    (me.folder / "token").write_text(written)
    me.environ.pop("ASSAY_YAO_TOKEN")

    with pytest.raises(assay.ConfigError) as caught:
        me.report(sets=("transport.yao.token_file=token",))

    assert "token" in str(caught.value)
    assert not written or written not in str(caught.value)
    assert me.server.log.all == []


def test_a_token_written_with_its_prefix_is_sent_once(me: Any) -> None:
    said, seen, _ = asked(me, environ={"ASSAY_YAO_TOKEN": f"Bearer {BOB.token}"})

    assert said == "bob@blue"
    assert seen.header("authorization") == f"Bearer {BOB.token}"


@pytest.mark.parametrize("token", [EXPIRED.token, "no.such.token", "yao-no-such-key", "opaque-no"])
def test_a_token_that_the_server_refuses_stops_the_run(me: Any, token: str) -> None:
    with pytest.raises(assay.ConfigError) as caught:
        me.report(environ={"ASSAY_YAO_TOKEN": token})

    assert "token" in str(caught.value)
    assert "ASSAY_YAO_TOKEN" in str(caught.value)
    assert token not in str(caught.value)
    assert me.server.log.turns == []


def credentials(home: Path, **fields: str) -> None:
    place = home / ".yao" / "credentials"
    place.parent.mkdir()
    place.write_bytes(base64.b64encode(json.dumps(fields).encode()))


def test_credentials_of_the_yao_program_are_a_last_resort_with_a_warning(
    me: Any, home: Path
) -> None:
    credentials(home, server=f"{me.server.url}/", access_token=BOB.token, scope="grpc:run chat:x")

    assert asked(me)[0] == "alice@red"
    me.environ.pop("ASSAY_YAO_TOKEN")
    report = me.report()

    assert [result.attempts[0].output for result in report.cases] == ["bob@blue"]
    assert any("credentials" in note for note in report.info.suites[0].info.notes)


def test_credentials_for_grpc_alone_are_refused_and_the_reason_was_told(
    me: Any, home: Path
) -> None:
    credentials(home, server=me.server.url, access_token=CLI.token, scope="grpc:run grpc:stream")
    me.environ.pop("ASSAY_YAO_TOKEN")

    report = me.report()

    notes = report.info.suites[0].info.notes
    assert any("gRPC" in note and "ASSAY_YAO_TOKEN" in note for note in notes)
    (result,) = report.cases
    assert result.status == "error"
    assert "403" in (result.attempts[0].error or "")


@pytest.mark.parametrize("server", ["http://127.0.0.1:1", "https://127.0.0.1", "", None])
def test_credentials_for_another_server_are_not_sent(
    me: Any, home: Path, server: str | None
) -> None:
    fields = {"access_token": BOB.token, **({} if server is None else {"server": server})}
    credentials(home, **fields)
    me.environ.pop("ASSAY_YAO_TOKEN")

    with pytest.raises(assay.ConfigError, match="no token"):
        me.report()

    assert not [seen for seen in me.server.log.all if "authorization" in seen.headers]


@pytest.mark.parametrize("written", [b"", b"not base64!", b"e30=", b"WzFd", b"\xff\xfe"])
def test_credentials_that_cannot_be_read_are_none(me: Any, home: Path, written: bytes) -> None:
    (home / ".yao").mkdir()
    (home / ".yao" / "credentials").write_bytes(written)
    me.environ.pop("ASSAY_YAO_TOKEN")

    with pytest.raises(assay.ConfigError, match="no token"):
        me.report()
