"""The settings of ``transport.openai``, and requests as chat completions have them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attrs import field, frozen, validators

from assay import Secret
from assay_plugins.transports._attachments import message_to_send

if TYPE_CHECKING:
    from assay import Request

PUBLIC_URL: Final = "https://api.openai.com/v1"


@frozen(kw_only=True)
class Settings:
    """``[transport.openai]``."""

    base_url: str = field(
        default=PUBLIC_URL, metadata={"env": ("ASSAY_OPENAI_BASE_URL", "OPENAI_BASE_URL")}
    )
    """The address below which ``/chat/completions`` is."""
    api_key: Secret | None = field(
        default=None, metadata={"env": ("ASSAY_OPENAI_API_KEY", "OPENAI_API_KEY")}
    )
    """Sent as a bearer token; servers of one's own often need none."""
    stream: bool = False
    """Whether the answer is asked for in pieces."""
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = field(default=None, validator=validators.optional(validators.ge(1)))
    system: str | None = None
    """Text of a system message before all others."""
    system_file: Path | None = None
    """A file that holds it."""
    extra_body: Mapping[str, object] = field(factory=dict[str, object])
    """More of the request's body: tools, a response format. It beats all else."""
    ca_file: Path | None = None
    """A certificate (PEM) to trust beside those that are trusted anyway."""
    max_file_size: int = field(default=20_000_000, metadata={"unit": "size"})
    """Of one attachment."""

    def __attrs_post_init__(self) -> None:
        if self.system is not None and self.system_file is not None:
            raise ValueError("system and system_file: they exclude each other; use one")


def body_of(
    request: Request, settings: Settings, model: str, system: str | None
) -> dict[str, object]:
    """Write a request as the body of a chat completion.

    Args:
        request: What is asked. Its connector beats ``model``.
        settings: Of the transport.
        model: The agent's own.
        system: Text of a system message, for conversations that have none of their own.

    Raises:
        AgentError: A file cannot be read any more, since the cases were loaded.
    """
    messages = [message_to_send(message, request.files) for message in request.messages]
    if system and not any(message.role in ("system", "developer") for message in request.messages):
        messages.insert(0, {"role": "system", "content": system})
    body: dict[str, object] = {"model": request.connector or model, "messages": messages}
    for key in ("temperature", "seed", "max_tokens"):
        value: object = getattr(settings, key)
        if value is not None:
            body[key] = value
    if settings.stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    return {**body, **settings.extra_body}
