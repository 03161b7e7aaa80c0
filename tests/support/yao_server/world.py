"""All that a server knows: shared by its routes, touched on its loop only."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from yao_server.agents import Agent, Canned
from yao_server.overrides import Chats

if TYPE_CHECKING:
    from yao_server.accounts import Accounts
    from yao_server.gojson import Object
    from yao_server.record import Log
    from yao_server.traces import Trace
    from yao_server.turn import Turn
    from yao_server.wire.request import HttpRequest

CONNECTORS = ("openai.gpt-4o", "openai.gpt-4o-mini", "anthropic.claude")


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What an installation decides."""

    base: str = "/v1"
    """Base path of the OpenAPI."""
    well_known: bool = True
    """Whether there is a discovery document; the seed revision has none."""
    experts: bool = True
    """Whether there is the route for API keys; the seed revision has none."""
    traces: bool = True
    """Whether ``YAO_TRACE_DRIVER`` keeps traces; the later revision's default is not to."""
    secure_cookie: bool = True
    connectors: tuple[str, ...] = CONNECTORS
    """That can be resolved; any other is silently replaced by the agent's own."""


@dataclass
class _Planned:
    method: str
    path: str
    answers: deque[Canned]
    is_for_ever: bool


@dataclass(kw_only=True)
class World:
    """The state of a server."""

    options: Options
    accounts: Accounts
    log: Log
    agents: dict[str, Agent] = field(default_factory=dict[str, Agent])
    chats: Chats = field(default_factory=Chats)
    turns: dict[str, Turn] = field(default_factory=dict[str, "Turn"])
    """Those under way, by context id."""
    traces: dict[str, Trace] = field(default_factory=dict[str, "Trace"])
    history: dict[str, list[Object]] = field(default_factory=dict[str, "list[Object]"])
    """Messages by chat id, where the client did not ask to skip it."""
    gates: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    asked_of: dict[str, int] = field(default_factory=dict[str, int])
    """How often each assistant was asked."""
    _planned: list[_Planned] = field(default_factory=list[_Planned])

    def plan(self, method: str, path: str, answers: Iterable[Canned], *, for_ever: bool) -> None:
        """Answer the next requests to a path with these, whatever the routes would say."""
        self._planned.append(_Planned(method, path, deque(answers), for_ever))

    def planned(self, request: HttpRequest) -> Canned | None:
        """Give the planned answer to a request, if there is one left."""
        for plan in self._planned:
            is_meant = plan.method == request.method and fnmatchcase(request.path, plan.path)
            if is_meant and plan.answers:
                return plan.answers[0] if plan.is_for_ever else plan.answers.popleft()
        return None

    def open_gate(self, name: str) -> None:
        """Let those go on that hold at a gate, now and later."""
        self.gates.setdefault(name, asyncio.Event()).set()
