"""Agents and accounts that every server has a use for."""

from __future__ import annotations

from collections.abc import Iterable

from yao_server.accounts import CLI_SCOPES, KEY_SCOPES, Account
from yao_server.acts import Act, Call, Fail, Hold, Next, Say, Think, Use
from yao_server.agents import Agent, Heard

ALICE = Account(token="alice.jwt.5f1d2c7be0", user_id="alice", team_id="red")
BOB = Account(token="bob.jwt.91ac44d07e", user_id="bob", team_id="blue")
KEY = Account(token="yao-key-0c93be17aa52", user_id="alice", team_id="red", scopes=KEY_SCOPES)
CLI = Account(token="cli.jwt.77e2a1bc34", team_id="red", scopes=CLI_SCOPES)
EXPIRED = Account(token="expired.jwt.d2b8e6f501", user_id="alice", is_expired=True)
ACCOUNTS = (ALICE, BOB, KEY, CLI, EXPIRED)


def echo(heard: Heard) -> Iterable[Act]:
    """Answer with the last user message."""
    return [Say(text=heard.text)]


def count(heard: Heard) -> Iterable[Act]:
    """Tell how many messages were heard, those of the chat before among them."""
    return [Say(text=str(len(heard.messages)))]


def whoami(heard: Heard) -> Iterable[Act]:
    """Tell who asks, as the server sees it."""
    return [Say(text=f"{heard.account.user_id}@{heard.account.team_id}")]


AGENTS = (
    Agent(id="echo", script=echo, description="Says what it is told."),
    Agent(id="count", script=count),
    Agent(id="whoami", script=whoami),
    Agent(
        id="workers.weather",
        script=(
            Think(text="Where is that?"),
            Say(text="Let me look. "),
            Call(name="weather__now", arguments={"city": "Oslo"}, result={"celsius": 4}),
            Say(text="It is 4 °C in Oslo."),
            Use(prompt_tokens=20, completion_tokens=9),
            Next(data={"celsius": 4}),
        ),
    ),
    Agent(id="failing", script=(Say(text="Well"), Fail(message="model is overloaded"))),
    Agent(id="silent", script=(Hold(),)),
)
