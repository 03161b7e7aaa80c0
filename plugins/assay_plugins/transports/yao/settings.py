"""The settings of the Yao transport, with the token that holds where no other is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import attrs
from attrs import field, frozen

from assay import Secret
from assay_plugins.transports.yao.credentials import FoundToken, read_credentials

DEFAULT_SERVER: Final = "http://127.0.0.1:5099"
"""Where a server listens that nothing was set for (Yao ``config/types.go``)."""

MAX_FILE_SIZE: Final = 20_000_000
"""Bytes."""


def _is_server(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    """Refuse what is no address of a server."""
    try:
        parts = urlsplit(value)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_server = False
    else:
        if "@" in parts.netloc:
            raise ValueError("an address must hold no password; put the token into its variable")
        is_server = is_server and not (parts.query or parts.fragment)
    if not is_server:
        raise ValueError(f"{value!r} is no address; write one such as {DEFAULT_SERVER}")


def _is_size(_: object, attribute: attrs.Attribute[int], value: int) -> None:
    if value <= 0:
        raise ValueError("must be more than 0")


def _choose(settings: YaoSettings) -> FoundToken | None:
    for secret in settings.identities.values():
        checked_token(secret)
    if settings.token is not None:
        return FoundToken(checked_token(settings.token))
    if settings.token_file is not None:
        return FoundToken(checked_token(_read(settings.token_file)))
    found = read_credentials(settings.server)
    return None if found is None else attrs.evolve(found, token=checked_token(found.token))


@frozen(kw_only=True)
class YaoSettings:
    """What can be set in ``[transport.yao]``."""

    server: str = field(
        default=DEFAULT_SERVER, validator=_is_server, metadata={"env": "ASSAY_YAO_SERVER"}
    )
    """Address of the server, without its base path."""
    token: Secret | None = field(default=None, metadata={"env": "ASSAY_YAO_TOKEN"})
    token_file: Path | None = None
    """A file that holds the token and nothing else; ``token`` comes first."""
    ca_file: Path | None = None
    """Certificates to trust instead of the system's. There is no way to trust all."""
    accept: Literal["cui-web", "standard"] = "cui-web"
    """The format of the stream; ``standard`` carries less."""
    route: Literal["chat", "experts"] = "chat"
    """``experts`` is the route that API keys are made for; old servers have none."""
    identities: Mapping[str, Secret] = field(
        factory=dict[str, Secret], metadata={"variables": True}
    )
    """Whose token is where: ``"user@team"`` or ``"user"`` to the name of a variable."""
    trace: Literal["auto", "off"] = "auto"
    """Whether the trace of a turn is asked for what the stream does not carry."""
    max_file_size: int = field(default=MAX_FILE_SIZE, validator=_is_size, metadata={"unit": "size"})
    """Bytes of an attached file at most."""
    chosen: FoundToken | None = field(init=False, default=attrs.Factory(_choose, takes_self=True))
    """The token where the table has none: of ``token``, ``token_file``, or, as a last resort, of
    the credentials of the ``yao`` program."""


def checked_token(token: Secret) -> Secret:
    """Give a token as it is sent.

    Raises:
        ValueError: It cannot be sent in a header.
    """
    written = token.reveal().strip()
    bare = written.removeprefix("Bearer ").strip()
    if not bare or not bare.isascii() or not bare.isprintable() or " " in bare:
        raise ValueError(
            f"the token of {token.source or 'token'} is empty or holds characters that no token"
            " has; copy it again"
        )
    return token if bare == token.reveal() else Secret(bare, token.source)


def _read(path: Path) -> Secret:
    try:
        return Secret(path.read_text("utf-8").strip(), str(path))
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ValueError(f"token_file: {path} cannot be read: {reason}") from None
