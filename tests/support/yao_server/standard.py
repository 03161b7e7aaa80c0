"""``accept=standard``: messages as chunks of OpenAI's format, with all they lose (§2.2)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from yao_server import gojson
from yao_server.gojson import Object

DONE = b"data: [DONE]\n\n"
_LINKS = {
    "audio": "🔊",
    "video": "🎬",
    "file": "📎",
    "page": "📄",
    "table": "📊",
    "chart": "📈",
    "list": "📋",
    "form": "📝",
    "button": "🔘",
}
_WORDS = {
    "en": ("Assistant is processing your request", "View process"),
    "zh": ("智能体正在处理", "查看处理详情"),
}
_KEYS = ("output.stream_start", "output.view_trace")
"""Shown as they are where the locale is empty or unknown."""


@dataclass
class Standard:
    """Converts the messages of one turn.

    Args:
        locale: Of the turn.
        reasons: Whether the connector has the capability ``reasoning``.
    """

    locale: str
    reasons: bool = False
    _created: int = field(default_factory=lambda: int(time.time()), init=False)
    _has_role: bool = field(default=False, init=False)

    def events(self, message: Object) -> Iterator[bytes]:
        """Give the events that a message becomes: none or one."""
        props = gojson.fields(message["props"], "props")
        kind = str(message["type"])
        if kind == "event":
            if props.get("event") == "stream_start":
                yield self._trace_link(props["data"])
        elif kind == "error":
            error: Object = {
                "message": props.get("message"),
                "type": "error",
                "code": props.get("code"),
            }
            yield b"data: " + gojson.dump({"error": error}) + b"\n\n"
        elif kind != "action":
            yield self._chunk(str(message.get("message_id", "")), self._delta(kind, props))

    @property
    def end(self) -> bytes:
        """The end mark of success."""
        return DONE

    def _delta(self, kind: str, props: Mapping[str, object]) -> Object:
        if kind == "tool_call":
            known = {"id": props["id"], "type": "function"} if "id" in props else None
            return {"tool_calls": [known] if known else []}
        if kind in ("text", "thinking"):
            name = "content" if kind == "text" else "reasoning_content"
            return self._with_role({name: props.get("content", "")})
        if kind == "loading":
            return {"reasoning_content": props.get("message") or "Processing..."}
        return {"content": _link(kind, props)}

    def _with_role(self, delta: Object) -> Object:
        role: Object = {} if self._has_role else {"role": "assistant"}
        self._has_role = True
        return {**role, **delta}

    def _trace_link(self, data: object) -> bytes:
        trace_id = gojson.fields(data, "data")["trace_id"]
        started, view = _WORDS.get(self.locale.partition("-")[0], _KEYS)
        mark = "🔍" if self.reasons else "🚀"
        # The address is fixed in the server: it leads nowhere for most who get it.
        target = f"http://localhost:8000/__yao_admin_root/trace/{trace_id}/view"
        text = f"{mark} {started} - [{view}]({target})\n"
        return self._chunk("", {"reasoning_content" if self.reasons else "content": text})

    def _chunk(self, message_id: str, delta: Object) -> bytes:
        chunk: Object = {
            "id": message_id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": "yao-agent",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}],
        }
        return b"data: " + gojson.dump(chunk) + b"\n\n"


def _link(kind: str, props: Mapping[str, object]) -> str:
    url, title = props.get("url", ""), props.get("title") or props.get("alt") or kind.title()
    if kind == "image":
        return f"![{props.get('alt', '')}]({url})"
    if kind in _LINKS:
        return f"{_LINKS[kind]} [{title}]({url})"
    # Text and target stand in the wrong order here, as in the server.
    return f"[{url or '#'}]({title})"
