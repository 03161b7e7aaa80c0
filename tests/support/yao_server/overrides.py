"""What a chat request asks for, after query, header and body have been heard in order (§1.6)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yao_server import gojson
from yao_server.completion_request import CompletionRequest, read_messages
from yao_server.gojson import NotReadable

if TYPE_CHECKING:
    from yao_server.wire.request import HttpRequest

ACCEPTS = ("standard", "cui-web", "cui-native", "cui-desktop")
REFERERS = (
    *("api", "process", "mcp", "jssdk", "agent", "tool", "hook", "schedule", "script", "internal"),
    "agent_fork",
)
_CLIENTS = (
    ("agent", ("agent",)),
    ("jssdk", ("jssdk",)),
    ("android", ("android",)),
    ("ios", ("iphone", "ipad", "ipod")),
    ("windows", ("windows",)),
    ("macos", ("mac os x", "macintosh")),
    ("linux", ("linux",)),
)
_MODEL_MARK = "-yao_"
_CHAT_ID_LENGTH = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a turn is to be."""

    assistant_id: str
    messages: tuple[Mapping[str, object], ...]
    accept: str
    referer: str
    chat_id: str
    locale: str
    theme: str
    mode: str
    route: str
    metadata: Mapping[str, object]
    skip: Mapping[str, bool]
    connector: str
    """The override; empty when there is none."""
    client_type: str
    client_ip: str

    @property
    def is_cui(self) -> bool:
        """Whether the message format of Yao's own front end is wanted."""
        return self.accept != "standard"


@dataclass
class Chats:
    """Remembers which conversation has which chat id."""

    _by_hash: dict[str, str] = field(default_factory=dict[str, str])

    def find(self, messages: tuple[Mapping[str, object], ...]) -> str:
        """Give the id of a conversation that named none."""
        users = [message for message in messages if message.get("role") == "user"]
        chat_id = ""
        if len(users) > 1:
            last = max(place for place, message in enumerate(messages) if message in users)
            chat_id = self._by_hash.get(_hash(messages[:last]), "")
        chat_id = chat_id or secrets.token_hex(_CHAT_ID_LENGTH // 2)
        self._by_hash[_hash(messages)] = chat_id
        return chat_id


def read_asked(
    request: HttpRequest, body: CompletionRequest, chats: Chats, path_id: str = ""
) -> Asked:
    """Hear query, header and body in their order.

    Args:
        request: For query and headers.
        body: As it was read.
        chats: For requests that name no chat.
        path_id: The assistant of the path, if it names one.

    Raises:
        NotReadable: There are no messages, or there is no assistant.
    """
    metadata = body.metadata or {}

    def first(query: str, header: str, name: str) -> str:
        said = metadata.get(name)
        fallback = said if isinstance(said, str) else ""
        return request.param(query) or request.header(header) or fallback

    messages = body.messages
    if not messages:
        messages = _messages_of_query(request)
    accept = first("accept", "x-yao-accept", "accept")
    referer = first("referer", "x-yao-referer", "referer")
    model = body.model or request.param("model")
    return Asked(
        assistant_id=_assistant(request, model, path_id),
        messages=messages,
        accept=accept if accept in ACCEPTS else "standard",
        referer=referer if referer in REFERERS else "api",
        chat_id=first("chat_id", "x-yao-chat", "chat_id") or chats.find(messages),
        locale=_locale(request, metadata),
        theme=first("theme", "x-yao-theme", "theme").lower(),
        mode=first("mode", "x-yao-mode", "mode"),
        route=request.param("route") or request.header("x-yao-route") or body.route,
        metadata=_metadata(request, body),
        skip=_skip(request, body),
        connector="" if _MODEL_MARK in model else model,
        client_type=_client_type(request.header("user-agent")),
        client_ip=_client_ip(request),
    )


def _messages_of_query(request: HttpRequest) -> tuple[Mapping[str, object], ...]:
    text = request.param("messages")
    messages = read_messages(gojson.load(text.encode())) if text else ()
    if not messages:
        raise NotReadable("messages field is required")
    return messages


def _assistant(request: HttpRequest, model: str, path_id: str) -> str:
    suffix = model.rpartition(_MODEL_MARK)[2] if _MODEL_MARK in model else ""
    named = path_id or request.param("assistant_id") or request.header("x-yao-assistant") or suffix
    if not named:
        raise NotReadable("assistant_id is required")
    return named


def _locale(request: HttpRequest, metadata: Mapping[str, object]) -> str:
    header = request.header("accept-language").split(",")[0].split(";")[0].strip()
    said = metadata.get("locale")
    return (request.param("locale") or header or (said if isinstance(said, str) else "")).lower()


def _metadata(request: HttpRequest, body: CompletionRequest) -> Mapping[str, object]:
    header = request.header("x-yao-metadata")
    for text in (request.param("metadata").encode(), _unpacked(header), header.encode("latin-1")):
        if not text:
            continue
        try:
            return gojson.fields(gojson.load(text), "map[string]interface {}")
        except NotReadable:
            continue
    return body.metadata or {}


def _unpacked(header: str) -> bytes:
    try:
        return base64.b64decode(header, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _skip(request: HttpRequest, body: CompletionRequest) -> Mapping[str, bool]:
    if body.skip is not None:
        return body.skip
    return {
        name: request.param(f"skip_{name}") in ("true", "1")
        for name in ("history", "trace")
        if request.param(f"skip_{name}")
    }


def _client_type(agent: str) -> str:
    said = agent.lower()
    return next((kind for kind, words in _CLIENTS if any(word in said for word in words)), "web")


def _client_ip(request: HttpRequest) -> str:
    forwarded = request.header("x-forwarded-for").split(",")[0].strip()
    return forwarded or request.header("x-real-ip") or request.peer


def _hash(messages: tuple[Mapping[str, object], ...]) -> str:
    return hashlib.sha256(gojson.dump([dict(message) for message in messages])).hexdigest()
