"""The content of a request: what must agree for a recorded answer to be its answer."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from hashlib import blake2b, sha256
from typing import TYPE_CHECKING, Final, cast

from assay import AgentError, file_urls, to_json
from assay.jsonvalue import canonical

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay import Origin, Request

_ASKED_FOR: Final = ("user_id", "team_id", "locale")
_LONG: Final = 256
"""Characters: a shorter address that holds its data stays as it is."""


def content_of(request: Request, redact: Callable[[object], object]) -> Mapping[str, object]:
    """Give the content of a request, as a record holds it.

    Files are told by name, size and hash; so is data within an address. The chat id is left out:
    it is another one each time. Of a request for a report nothing is kept: it holds the report,
    whose times are others each time.

    Args:
        request: What is asked.
        redact: Replaces secrets.
    """
    if request.origin.purpose == "reporter":
        return {}
    content = to_json(request)
    del content["chat_id"]
    content["messages"] = _without_data(content["messages"])
    files = list(_files(request))
    if files:
        content["files"] = files
    return cast("Mapping[str, object]", redact(content))


def compared(content: Mapping[str, object]) -> Mapping[str, object]:
    """Give the part of a content that is compared.

    Of the environment that is what a user decides: the rest may be the transport's own.
    """
    environment = content.get("environment")
    if not isinstance(environment, Mapping):
        return content
    members = cast("Mapping[str, object]", environment)
    return {**content, "environment": {key: members.get(key) for key in _ASKED_FOR}}


def place_of(origin: Origin) -> tuple[str, str, int, int, str]:
    """Give what names a request within a run."""
    return (origin.suite, origin.case, origin.attempt, origin.turn, origin.purpose)


def digest(*values: object) -> int:
    """Give a hash of JSON values: 64 bits, the same for equal ones."""
    data = canonical(list(values)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=8).digest())


def _files(request: Request) -> list[dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for message in request.messages:
        for part in message.content if isinstance(message.content, tuple) else ():
            for _, url in file_urls(part):
                found.setdefault(url, _file(request, url))
    return list(found.values())


def _file(request: Request, url: str) -> dict[str, object]:
    try:
        data = request.files.read(url)
    except AgentError:
        # The transport is about to say so.
        return {"url": url}
    return {"url": url, "bytes": len(data), "sha256": sha256(data).hexdigest()}


def _without_data(value: object) -> object:
    """Copy messages, with a hash for each long address that holds its data.

    They come from a case file, which is not nested deeper than Python can follow.
    """
    if isinstance(value, str):
        return _told(value) if len(value) > _LONG and value.startswith("data:") else value
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {key: _without_data(member) for key, member in members.items()}
    if isinstance(value, (list, tuple)):
        return [_without_data(item) for item in cast("Sequence[object]", value)]
    return value


def _told(url: str) -> str:
    head, comma, body = url.partition(",")
    if not comma or not head.endswith(";base64"):
        return url
    try:
        data = base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return url
    return f"{head},bytes={len(data)},sha256={sha256(data).hexdigest()}"
