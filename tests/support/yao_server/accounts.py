"""Who asks: tokens, identities and scopes (§1.3, §1.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from yao_server.refusals import Refused, forbidden, insufficient_scope, unauthorized

if TYPE_CHECKING:
    from yao_server.wire.request import HttpRequest

USER_SCOPES = (
    "chat:completions:*",
    "chat:models:read:all",
    "agent:assistants:read:all",
    "trace:traces:read:own",
    "experts:all",
)
"""Of somebody who has logged in, under an app that lets users chat."""
KEY_SCOPES = ("experts:all", "file:all", "chat:models:read:all", "tasks:all", "llm:all")
"""Of every API key."""
CLI_SCOPES = ("grpc:run", "grpc:stream", "grpc:shell", "grpc:mcp", "grpc:llm", "grpc:agent")
"""Of tokens that ``yao token make`` and ``yao login`` give: none for HTTP."""

CHAT = "chat:completions:write:all"
CHAT_READ = "chat:completions:read:all"
EXPERTS = "experts:all"
ASSISTANTS = "agent:assistants:read:all"
MODELS = "chat:models:read:all"
TRACES = "trace:traces:read:own"


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """A token and whose it is."""

    token: str
    user_id: str = ""
    team_id: str = ""
    scopes: tuple[str, ...] = USER_SCOPES
    is_expired: bool = False

    @property
    def kind(self) -> Literal["jwt", "key", "opaque"]:
        """How the guard takes the token, by its look."""
        if "." in self.token:
            return "jwt"
        return "key" if self.token.startswith("yao-") else "opaque"


class Accounts:
    """The tokens that a server knows.

    Args:
        accounts: With different tokens.
        secure_cookie: Whether the cookie's name has the prefix of secure ones.
    """

    def __init__(self, accounts: Iterable[Account], *, secure_cookie: bool = True) -> None:
        self._by_token = {account.token: account for account in accounts}
        self._cookie = "__Host-access_token" if secure_cookie else "access_token"

    def add(self, account: Account) -> None:
        """Know one more."""
        self._by_token[account.token] = account

    def guard(self, request: HttpRequest, scope: str) -> Account:
        """Find out who asks, and whether they may.

        Raises:
            Refused: With 401 or 403.
        """
        account = self._authenticate(request)
        if not any(_covers(granted, scope) for granted in account.scopes):
            raise Refused(insufficient_scope((scope,), (scope,)))
        return account

    def _authenticate(self, request: HttpRequest) -> Account:
        token = request.header("authorization").removeprefix("Bearer ").strip()
        token = token or request.cookies().get(self._cookie, "")
        if not token:
            raise Refused(unauthorized("token_missing", "Missing access token"))
        account = self._by_token.get(token)
        if account is None:
            raise Refused(unauthorized("invalid_token", "Invalid token"))
        if account.is_expired and account.kind == "jwt":
            # The guard tries an expired JWT as a refresh token, hence the name of the error.
            raise Refused(unauthorized("invalid_refresh_token", "Invalid refresh token"))
        if account.is_expired:
            raise Refused(unauthorized("invalid_token", "Invalid token"))
        return account


def own(account: Account, user_id: str, team_id: str) -> None:
    """Let nobody but the owner pass.

    Raises:
        Refused: With 403.
    """
    if (account.user_id, account.team_id) != (user_id, team_id):
        raise Refused(forbidden("No permission to access this trace"))


def _covers(granted: str, wanted: str) -> bool:
    start, star, _ = granted.partition("*")
    return wanted.startswith(start) if star else granted == wanted
