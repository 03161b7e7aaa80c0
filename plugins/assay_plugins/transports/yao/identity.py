"""As whom a turn is asked.

User and team come from the token, and from nothing else: no header, query or field of the body
names them (Yao ``openapi/oauth/guard.go``, ``agent/context/openapi.go``). So a table says which
token is whose; where it says nothing, the server decides, and what a user asked for is sent along
as metadata that claims to be no identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from attrs import field, frozen

from assay import Environment, Secret, TransportError

SERVER_DECIDES: Final = (
    "the server decides who asks: user and team are sent as the metadata assay_user and assay_team"
    " only; to ask as somebody, name the variable of their token in [transport.yao] identities"
)
"""Said where user or team were given and the table has no token for them."""

NO_TOKEN: Final = (
    "set ASSAY_YAO_TOKEN to a token of the Yao dashboard or to an API key, or name a file with"
    " token_file in [transport.yao]"
)

_DEFAULT: Final = Environment()


@frozen(kw_only=True)
class Identity:
    """As whom a request is asked."""

    token: Secret
    decided_by: Literal["token", "server"]
    """``token``: the table chose the token of this user; ``server``: it is whose the token is."""
    metadata: Mapping[str, object] = field(factory=dict[str, object])
    """What was asked for and is not what the token says."""


@frozen(kw_only=True)
class Identities:
    """The table, and the token for everybody else."""

    table: Mapping[str, Secret]
    token: Secret | None

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """All tokens; with the first one the agent is looked at before anybody asks it."""
        own = () if self.token is None else (self.token,)
        return (*own, *self.table.values())

    @property
    def has_api_key(self) -> bool:
        """Whether a token is an API key (Yao ``openapi/oauth/guard.go``)."""
        return any(
            secret.reveal().startswith("yao-") and "." not in secret.reveal()
            for secret in self.secrets
        )

    def decided_by(self, environment: Environment) -> Literal["token", "server"]:
        """Say who decides as whom a request is asked."""
        return "server" if self._own(environment) is None else "token"

    def of(self, environment: Environment) -> Identity:
        """Choose the token of a request.

        Raises:
            TransportError: There is none.
        """
        own = self._own(environment)
        if own is not None:
            return Identity(token=own, decided_by="token")
        if self.token is None:
            who = f"user {environment.user_id!r} in team {environment.team_id!r}"
            raise TransportError(f"[transport.yao] identities has no token for {who}; {NO_TOKEN}")
        return Identity(token=self.token, decided_by="server", metadata=_asked_for(environment))

    def _own(self, environment: Environment) -> Secret | None:
        user, team = environment.user_id, environment.team_id
        return self.table.get(f"{user}@{team}") or self.table.get(user)


def _asked_for(environment: Environment) -> dict[str, object]:
    """Give what a user gave; defaults were asked for by nobody."""
    asked: dict[str, object] = {}
    if environment.user_id != _DEFAULT.user_id:
        asked["assay_user"] = environment.user_id
    if environment.team_id != _DEFAULT.team_id:
        asked["assay_team"] = environment.team_id
    return asked
