"""Messages of the server's own format, with their ids (§2.3)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yao_server.gojson import Object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from yao_server.acts import Send


def now_ms() -> int:
    """Give the time as the server stamps it."""
    return time.time_ns() // 1_000_000


@dataclass
class Speaker:
    """Makes messages. Each agent of a turn has its own, so their ids repeat."""

    trace_id: str
    thread_id: str = ""
    """Empty for the agent that was asked."""
    _messages: int = field(default=0, init=False)
    _chunks: int = field(default=0, init=False)
    _sequence: int = field(default=0, init=False)

    def message_id(self) -> str:
        """Give the next one: M1, M2 …"""
        self._messages += 1
        return f"M{self._messages}"

    def event(self, name: str, text: str, data: Object) -> Object:
        """Make an event."""
        return self._whole("event", {"event": name, "message": text, "data": data})

    def start(self, message_id: str, kind: str, **more: object) -> Object:
        """Make the event that starts a message of the model."""
        data: Object = {"message_id": message_id, "type": kind, "timestamp": now_ms()}
        if self.thread_id:
            data["thread_id"] = self.thread_id
        return self.event("message_start", "Message started", {**data, **more})

    def end(self, message_id: str, kind: str, chunks: int, content: str) -> Object:
        """Make the event that ends a message of the model."""
        data: Object = {"message_id": message_id, "type": kind, "timestamp": now_ms()}
        if self.thread_id:
            data["thread_id"] = self.thread_id
        data |= {"duration_ms": 1, "chunk_count": chunks, "status": "completed"}
        return self.event(
            "message_end", "Message completed", {**data, "extra": {"content": content}}
        )

    def delta(
        self,
        message_id: str,
        kind: str,
        props: Mapping[str, object],
        *,
        path: str = "",
        action: str = "",
    ) -> Object:
        """Make a change to a message of the model."""
        return _without_empty(
            {
                "type": kind,
                "props": dict(props),
                "chunk_id": self._chunk_id(),
                "message_id": message_id,
                "thread_id": self.thread_id,
                "delta": True,
                "delta_path": path,
                "delta_action": action,
            }
        )

    def sent(self, act: Send) -> Object:
        """Make the message that a hook sends."""
        return _without_empty(
            {
                "type": act.type,
                "props": dict(act.props),
                "chunk_id": self._chunk_id(),
                "message_id": act.message_id or self.message_id(),
                "block_id": act.block_id,
                "thread_id": act.thread_id or self.thread_id,
                "delta": act.delta,
                "delta_path": act.delta_path,
                "delta_action": act.delta_action,
                "type_change": act.type_change,
                "metadata": None if act.delta else self._metadata(),
            }
        )

    def error(self, message: str) -> Object:
        """Make the message of a model that failed."""
        return self._whole("error", {"message": message, "code": "stream_error"})

    def _whole(self, kind: str, props: Object) -> Object:
        return _without_empty(
            {
                "type": kind,
                "props": props,
                "chunk_id": self._chunk_id(),
                "message_id": self.message_id() if kind != "event" else "",
                "thread_id": self.thread_id,
                "metadata": self._metadata(),
            }
        )

    def _chunk_id(self) -> str:
        self._chunks += 1
        return f"C{self._chunks}"

    def _metadata(self) -> Object:
        self._sequence += 1
        return {"timestamp": now_ms(), "sequence": self._sequence, "trace_id": self.trace_id}


def _without_empty(message: Object) -> Object:
    return {
        name: value
        for name, value in message.items()
        if name in ("type", "props") or value not in ("", None, False)
    }
