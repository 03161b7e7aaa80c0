"""Messages between a user and an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from attrs import frozen

from assay.absent import ABSENT

ROLES: Final = ("user", "assistant", "system", "developer", "tool")

Content: TypeAlias = str | tuple[Mapping[str, object], ...] | None
"""Text, content parts (objects with a ``type``), or nothing beside tool calls."""


@frozen(kw_only=True)
class ToolCall:
    """One call of a tool, as the agent asked for it."""

    name: str
    arguments: object = ABSENT
    """JSON value; the raw text when it is not JSON; ABSENT when the transport cannot see it."""
    id: str | None = None
    result: object = ABSENT
    """JSON value; ABSENT when there is none or the transport cannot see it."""
    error: str | None = None


@frozen(kw_only=True)
class Message:
    """One message of a conversation."""

    role: str = "user"
    content: Content = None
    name: str | None = None
    tool_calls: tuple[Mapping[str, object], ...] = ()
    """In the shape that the case file has them (that of OpenAI's chat completions)."""
    tool_call_id: str | None = None
    refusal: str | None = None

    @property
    def text(self) -> str:
        """The text of the message: of content parts, those of type ``text``, joined by newlines."""
        if self.content is None:
            return ""
        if isinstance(self.content, str):
            return self.content
        texts = (part.get("text") for part in self.content if part.get("type") == "text")
        return "\n".join(text for text in texts if isinstance(text, str))
