"""Errors before the stream, as the server words them (§1.7)."""

from __future__ import annotations

from dataclasses import dataclass, field

from yao_server import gojson
from yao_server.gojson import Object

JSON_TYPE = "application/json; charset=utf-8"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """An answer as a whole: an error row, or whatever else a script wants sent."""

    status: int = 200
    body: object = b""
    """Bytes and text as they are, anything else as JSON."""
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def data(self) -> bytes:
        """Give the bytes of the body."""
        if isinstance(self.body, bytes):
            return self.body
        if isinstance(self.body, str):
            return self.body.encode()
        return gojson.dump(self.body)

    def all_headers(self) -> dict[str, str]:
        """Give the headers, with a content type that suits the body."""
        if isinstance(self.body, (bytes, str)):
            return {"Content-Type": "text/plain", **self.headers}
        return {"Content-Type": JSON_TYPE, **self.headers}


class Refused(Exception):  # noqa: N818 - what becomes of a request
    """The server answers a request with an error.

    Args:
        reply: The answer.
    """

    def __init__(self, reply: Reply) -> None:
        super().__init__(f"{reply.status}: {reply.body!r}")
        self.reply = reply


NOT_FOUND = Reply(status=404, body="404 page not found")
"""What every unknown path gets: plain text, so that it cannot be taken for an answer of a route."""


def error(status: int, code: str, description: str, **more: object) -> Reply:
    """Word an error."""
    body: Object = {"error": code, "error_description": description, **more}
    return Reply(status=status, body=body)


def bad_request(description: str) -> Reply:
    """Word a 400."""
    return error(400, "invalid_request", description)


def not_parsed(description: str) -> Reply:
    """Word a 400 of the chat route."""
    return bad_request(f"Failed to parse request: {description}")


def server_error(description: str) -> Reply:
    """Word a 500."""
    return error(500, "server_error", description)


def unauthorized(code: str, description: str) -> Reply:
    """Word a 401, which says its error in a header, too."""
    challenge = f'Bearer realm="OAuth", error="{code}", error_description="{description}"'
    return Reply(
        status=401,
        body={"error": code, "error_description": description},
        headers={"WWW-Authenticate": challenge},
    )


def insufficient_scope(required: tuple[str, ...], missing: tuple[str, ...]) -> Reply:
    """Word the 403 of the access control list."""
    return error(
        403,
        "insufficient_scope",
        "The token does not have the scopes that this route requires",
        reason="missing required scopes",
        required_scopes=list(required),
        missing_scopes=list(missing),
    )


def forbidden(description: str) -> Reply:
    """Word the 403 of something that belongs to somebody else."""
    return error(403, "forbidden", description)


def rate_limited(retry_after: str | None = "1") -> Reply:
    """Word a 429."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    reply = error(429, "rate_limit_exceeded", "Too many requests, try again later")
    return Reply(status=429, body=reply.body, headers=headers)


def quota_exceeded() -> Reply:
    """Word the 429 of a quota."""
    return error(429, "quota_exceeded", "The quota is used up")
