"""The ``yao`` transport: a turn with an agent of a Yao server."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import attrs

from assay import (
    AgentInfo,
    AgentRef,
    ConfigError,
    Environment,
    Response,
    RunError,
    hookimpl,
)
from assay_plugins.transports.yao.identity import NO_TOKEN, Identities
from assay_plugins.transports.yao.settings import YaoSettings, checked_token

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from assay import Request, TransportType
    from assay_plugins.transports.yao.client import YaoClient


class Yao:
    """Asks an agent by its id, as front ends of Yao do.

    A request is one turn: it streams, and what it said is read to its end, which alone tells
    whether it went well.
    """

    name: ClassVar[str] = "yao"
    Settings: ClassVar[type[YaoSettings]] = YaoSettings

    def __init__(self, agent: AgentRef, settings: YaoSettings | None = None) -> None:
        if not agent.target:
            raise ConfigError(
                "yao: no agent is named; write its id, such as workers.system.keyword"
            )
        file = agent.target.partition(":")[0]
        if file.endswith(".py") and agent.base is not None and (agent.base / file).is_file():
            # Whoever begins writes this for the Python agent, and has no server whose token to set.
            raise ConfigError(
                f"-n {agent.target}: {file} is a file, and no transport is named; write"
                f" python:{agent.target if ':' in agent.target else f'{file}:FUNCTION'}"
            )
        self._agent = agent.target
        self._settings = settings or YaoSettings()
        chosen = self._settings.chosen
        self._identities = Identities(
            table={key: checked_token(item) for key, item in self._settings.identities.items()},
            token=None if chosen is None else chosen.token,
        )
        self._client: YaoClient | None = None

    async def __aenter__(self) -> Self:
        """Find the API of the server.

        Raises:
            ConfigError: There is no token, or a file of certificates cannot be used.
            AgentError: The server cannot be reached.
        """
        from assay_plugins.transports.yao.client import YaoClient

        if not self._identities.secrets:
            raise ConfigError(f"{self._settings.server}: no token; {NO_TOKEN}")
        client = YaoClient(self._agent, self._settings, self._identities)
        await client.open()
        self._client = client
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def identify(self, environment: Environment) -> Environment:
        """Say as whom, and as what kind of client, the server sees a request."""
        return attrs.evolve(
            environment,
            identity=self._identities.decided_by(environment),
            accept=self._settings.accept,
            # The server derives both, and knows no other words for a program like this one.
            client_type="web",
            referer="api",
        )

    async def info(self) -> AgentInfo:
        """Look whether the server has the agent.

        Raises:
            ConfigError: It has not, or the token or the address is wrong.
            AgentError: It cannot be reached.
        """
        return await self._opened().look()

    async def send(self, request: Request) -> Response:
        """Ask the agent.

        Raises:
            AgentError: The agent failed.
            TransportError: It was not reached, or the stream broke off.
            RateLimited: The server asks for a pause.
        """
        return await self._opened().turn(request)

    def _opened(self) -> YaoClient:
        if self._client is None:
            raise RunError("the yao transport was asked before it was opened")
        return self._client


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``yao``."""
    return [Yao]
