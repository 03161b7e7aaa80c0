"""The credentials that the ``yao`` program keeps, as a last resort.

They come from ``yao login`` or ``yao token make --save`` and lie in ``~/.yao/credentials`` as
base64 of JSON (Yao ``cmd/credential.go``). Their tokens are made for gRPC: the stock rules of a
server refuse them over HTTP (Yao ``cmd/token``, ``openapi/oauth/acl``).
"""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from assay import Secret
from assay.jsonvalue import JsonError, is_object, loads

PLACE: Final = "~/.yao/credentials"

_MEND: Final = "; set ASSAY_YAO_TOKEN to a token of the dashboard, or to an API key"


@frozen
class FoundToken:
    """A token, and what a user should know of it."""

    token: Secret
    note: str | None = None


def read_credentials(server: str) -> FoundToken | None:
    """Look for a token for a server; None when there is none.

    Args:
        server: The server in use: credentials for another one are not sent to it.
    """
    try:
        written = (Path.home() / ".yao" / "credentials").read_bytes()
        value = loads(base64.b64decode(written, validate=False).decode("utf-8"))
    except (OSError, RuntimeError, binascii.Error, UnicodeError, JsonError):
        return None
    if not is_object(value):
        return None
    token, own_server = value.get("access_token"), value.get("server")
    if not isinstance(token, str) or not token or not isinstance(own_server, str):
        return None
    if _origin(own_server) != _origin(server):
        return None
    scopes = str(value.get("scope") or "").split()
    is_grpc = bool(scopes) and all(scope.startswith("grpc:") for scope in scopes)
    warning = "servers refuse it over HTTP" if is_grpc else "servers may refuse it over HTTP"
    why = "it is for gRPC alone, and " if is_grpc else "tokens of `yao login` are for gRPC, and "
    note = f"the token is the one of {PLACE}: {why}{warning}{_MEND}"
    return FoundToken(Secret(token, PLACE), note)


def _origin(address: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(address)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname, port
