"""The assistants that a server has, and what its information routes say of them (§2.8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from yao_server import gojson
from yao_server.acts import Act
from yao_server.gojson import Object
from yao_server.refusals import Reply
from yao_server.wire.proxy import Proxy

if TYPE_CHECKING:
    from yao_server.accounts import Account
    from yao_server.overrides import Asked

DIRECT = Proxy()
"""Nothing stands in between."""
DEFAULT_CONNECTOR = "openai.gpt-4o"


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """What an agent is asked."""

    messages: tuple[Mapping[str, object], ...]
    """Those of the chat before, where history is on, and those of the request."""
    asked: Asked
    account: Account

    @property
    def text(self) -> str:
        """The text of the last user message, of content parts those of type ``text``."""
        for message in reversed(self.messages):
            if message.get("role") == "user":
                return _text(message.get("content"))
        return ""


Script: TypeAlias = Iterable[Act] | Callable[[Heard], Iterable[Act]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Broken:
    """A turn that fails before it starts to stream."""

    message: str
    race: bool = False
    """Whether the queue of events is quicker than the error: HTTP 500, its JSON, then events."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """An answer of bytes that need not be HTTP."""

    data: bytes
    then: Literal["close", "reset", "hang"] = "close"


Canned: TypeAlias = Reply | Raw


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """An assistant and how it behaves."""

    id: str
    script: Script = ()
    name: str = ""
    description: str = "An agent of the stand-in."
    type: str = "assistant"
    connector: str = DEFAULT_CONNECTOR
    reasons: bool = False
    """Whether the connector has the capability ``reasoning``."""
    proxy: Proxy | Callable[[Heard], Proxy] = DIRECT
    """What its answers go through, perhaps as the question wants it."""
    broken: Broken | None = None
    first: tuple[Canned, ...] = ()
    """Answers to the first requests, one each, instead of a turn."""
    after_end: bytes = b""
    """What still comes when the turn is over."""
    trace_lag: int = 0
    """How often the trace is read before its end has been written."""

    @property
    def title(self) -> str:
        """The name, made of the id where there is none."""
        return self.name or self.id.replace(".", " ").title()

    def acts(self, heard: Heard) -> Iterable[Act]:
        """Give what it does when it is asked."""
        return self.script(heard) if callable(self.script) else self.script

    def way(self, heard: Heard) -> Proxy:
        """Give what an answer goes through."""
        return self.proxy(heard) if callable(self.proxy) else self.proxy

    def info(self) -> Object:
        """Give the answer of ``/info``."""
        return {
            "assistant_id": self.id,
            "name": self.title,
            "avatar": "/api/__yao/app/icons/app.png",
            "description": self.description,
            "connector": self.connector,
            "connector_raw": self.connector,
            "connector_options": {"optional": True},
            "modes": [],
            "default_mode": "",
            "sandbox": False,
            "computer_filter": None,
            "placeholder": None,
        }

    def record(self) -> Object:
        """Give the whole record."""
        kept = {name: value for name, value in self.info().items() if name != "computer_filter"}
        return {
            **kept,
            "type": self.type,
            "options": {},
            "prompts": [],
            "mcp": None,
            "tags": [],
            "runnable": True,
            "run_hint": "",
        }

    def model(self) -> Object:
        """Give its entry in the list of models."""
        model = self.connector.rpartition(".")[2] or "unknown"
        name = self.title.lower().replace(" ", "-")
        return {
            "id": f"yao-agents-{name}-{model}-yao_{self.id}",
            "object": "model",
            "created": 1700000000,
            "owned_by": "yao",
        }


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [gojson.fields(part, "part") for part in gojson.array(content, "content")]
    texts = [part.get("text") for part in parts if part.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
