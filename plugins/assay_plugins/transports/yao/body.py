"""From a request to what is posted: address, query and body.

Only what a server really takes is sent (Yao ``agent/context/openapi.go``,
``agent/context/types.go``): it ignores unknown fields without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from attrs import frozen

from assay import Request
from assay.jsonvalue import is_object
from assay_plugins.transports._attachments import message_to_send
from assay_plugins.transports.yao.settings import YaoSettings

_STEERING: Final = (
    ("disable_global_prompts", True, "__disable_global_prompts"),
    ("search", False, "__disable_search"),
)
"""Options that have no field of their own, each with the value that matters and the key of
``metadata`` by which the server obeys it (Yao ``agent/assistant/build.go``, ``search.go``)."""


@frozen(kw_only=True)
class Posted:
    """A turn as it is posted."""

    path: str
    """Below the base path, with the query."""
    body: dict[str, object]
    notes: tuple[str, ...] = ()
    """What was asked for and cannot be done."""


def posted(
    agent: str, request: Request, settings: YaoSettings, extra: Mapping[str, object]
) -> Posted:
    """Write a request down.

    Args:
        agent: The agent's id.
        request: What is asked.
        settings: How.
        extra: What is added to the metadata.

    Raises:
        AgentError: An attached file cannot be read.
    """
    skip, notes = _skip(request.options.get("skip"))
    body: dict[str, object] = {
        "messages": [message_to_send(message, request.files) for message in request.messages],
        "skip": skip,
    }
    metadata = {**request.metadata, **extra, **_steering(request.options)}
    if metadata:
        body["metadata"] = metadata
    if request.connector is not None:
        # The server takes a connector for the model, unless it names an agent.
        body["model"] = request.connector
    return Posted(path=_path(agent, request, settings), body=body, notes=notes)


def _path(agent: str, request: Request, settings: YaoSettings) -> str:
    query = {
        "accept": settings.accept,
        # Its own for each attempt, so that no conversation leaks into another.
        "chat_id": request.chat_id,
        "locale": request.environment.locale,
        "mode": request.options.get("mode"),
    }
    path = "/chat/completions"
    if settings.route == "experts":
        path = f"/experts/{quote(agent, safe='')}{path}"
    else:
        query = {"assistant_id": agent, **query}
    given = [
        f"{key}={quote(value, safe='')}"
        for key, value in query.items()
        if isinstance(value, str) and value
    ]
    return f"{path}?{'&'.join(given)}"


def _skip(given: object) -> tuple[dict[str, object], tuple[str, ...]]:
    """Choose what the server leaves out; the conversation is in the messages, so no history."""
    flags = dict(given) if is_object(given) else {}
    notes: list[str] = []
    if flags.pop("output", False):
        # The server would then answer with nothing at all, and nothing could be checked.
        notes.append("skip.output is ignored: the agent would answer nothing at all")
    if flags.pop("history", True) is False:
        notes.append("skip.history is ignored: every attempt is a conversation of its own")
    return {**flags, "history": True}, tuple(notes)


def _steering(options: Mapping[str, object]) -> dict[str, object]:
    return {key: True for name, value, key in _STEERING if options.get(name) is value}
