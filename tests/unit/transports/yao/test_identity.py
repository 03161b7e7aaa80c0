from __future__ import annotations

import pytest

from assay import Environment, Secret, TransportError
from assay_plugins.transports.yao.identity import Identities

ANYBODY = Secret("token-of-anybody")
ALICE = Secret("token-of-alice")
BOB = Secret("token-of-bob")

IDENTITIES = Identities(
    table={"alice@sales": ALICE, "bob": BOB, "eve@example.com@ops": Secret("token-of-eve")},
    token=ANYBODY,
)


def test_the_table_chooses_the_token_of_a_user_in_a_team() -> None:
    found = IDENTITIES.of(Environment(user_id="alice", team_id="sales"))
    assert (found.token, found.decided_by, found.metadata) == (ALICE, "token", {})


def test_a_user_alone_is_for_any_team() -> None:
    assert IDENTITIES.of(Environment(user_id="bob", team_id="x")).token == BOB


def test_a_user_may_have_an_at_sign() -> None:
    found = IDENTITIES.of(Environment(user_id="eve@example.com", team_id="ops"))
    assert found.decided_by == "token"


def test_where_the_table_says_nothing_the_server_decides() -> None:
    found = IDENTITIES.of(Environment(user_id="alice", team_id="other"))
    assert (found.token, found.decided_by) == (ANYBODY, "server")
    assert found.metadata == {"assay_user": "alice", "assay_team": "other"}


def test_defaults_were_asked_for_by_nobody() -> None:
    assert IDENTITIES.of(Environment()).metadata == {}
    assert IDENTITIES.of(Environment(team_id="x")).metadata == {"assay_team": "x"}


def test_without_any_token_for_a_user_nothing_is_asked() -> None:
    only = Identities(table={"alice": ALICE}, token=None)
    assert only.of(Environment(user_id="alice")).token == ALICE
    with pytest.raises(TransportError, match="no token for user 'bob' in team 'test-team'"):
        only.of(Environment(user_id="bob"))


def test_who_decides_can_be_said_before_asking() -> None:
    assert IDENTITIES.decided_by(Environment(user_id="bob")) == "token"
    assert IDENTITIES.decided_by(Environment()) == "server"


def test_the_token_for_everybody_comes_first() -> None:
    assert IDENTITIES.secrets[0] == ANYBODY
    assert Identities(table={"a": ALICE}, token=None).secrets == (ALICE,)
    assert Identities(table={}, token=None).secrets == ()


@pytest.mark.parametrize(
    ("token", "is_key"), [("yao-abc", True), ("yao-a.b.c", False), ("eyJ.x.y", False)]
)
def test_api_keys_are_known_by_their_form(token: str, is_key: bool) -> None:
    assert Identities(table={}, token=Secret(token)).has_api_key is is_key
