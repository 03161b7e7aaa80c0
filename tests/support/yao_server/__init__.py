"""A stand-in of a Yao server, written from the reference of its protocol (§ are its sections).

It listens on a real socket, speaks both stream formats, refuses what a real server refuses,
behaves as scripted for each assistant, and remembers every request::

    with YaoServer(Agent(id="shop", script=(Say(text="Welcome."),))) as server:
        ...  # ask at server.url with the token of an account
        assert server.log.turn("shop", "answered").param("accept") == "cui-web"

``python -m yao_server`` serves the agents of ``yao_server.demo``, or those of a file.
"""

from yao_server.accounts import (
    CLI_SCOPES,
    KEY_SCOPES,
    USER_SCOPES,
    Account,
)
from yao_server.acts import (
    Act,
    Call,
    Calls,
    Delegate,
    Drop,
    Fail,
    Hold,
    Next,
    Pause,
    Raw,
    Refuse,
    Say,
    Send,
    Think,
    Together,
    Use,
    Vanish,
)
from yao_server.agents import Agent, Broken, Heard
from yao_server.agents import Raw as RawReply
from yao_server.demo import ACCOUNTS, AGENTS, ALICE, BOB, CLI, EXPIRED, KEY
from yao_server.record import Log, Seen
from yao_server.refusals import (
    Reply,
    bad_request,
    error,
    forbidden,
    insufficient_scope,
    quota_exceeded,
    rate_limited,
    server_error,
    unauthorized,
)
from yao_server.server import YaoServer
from yao_server.wire.proxy import Proxy
from yao_server.world import Options

__all__ = [
    "ACCOUNTS",
    "AGENTS",
    "ALICE",
    "BOB",
    "CLI",
    "CLI_SCOPES",
    "EXPIRED",
    "KEY",
    "KEY_SCOPES",
    "USER_SCOPES",
    "Account",
    "Act",
    "Agent",
    "Broken",
    "Call",
    "Calls",
    "Delegate",
    "Drop",
    "Fail",
    "Heard",
    "Hold",
    "Log",
    "Next",
    "Options",
    "Pause",
    "Proxy",
    "Raw",
    "RawReply",
    "Refuse",
    "Reply",
    "Say",
    "Seen",
    "Send",
    "Think",
    "Together",
    "Use",
    "Vanish",
    "YaoServer",
    "bad_request",
    "error",
    "forbidden",
    "insufficient_scope",
    "quota_exceeded",
    "rate_limited",
    "server_error",
    "unauthorized",
]
