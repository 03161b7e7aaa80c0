"""A Yao server: where its API is, and whether it has the agent."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import httpx
from attrs import define, field

from assay import ABSENT, AgentError, AgentInfo, ConfigError, RateLimited, Secret, TransportError
from assay.jsonvalue import JsonError, is_object, loads
from assay_plugins.transports._failures import error_text, refused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from assay_plugins.transports._http import HttpClient

DEFAULT_BASE: Final = "/v1"
"""The base path where a server does not tell it (Yao ``openapi/config.go``)."""

_BASE: Final = re.compile(r"/(?!/)[A-Za-z0-9._~/-]*")
_PAUSES: Final = (0.5, 1.5)
"""Seconds between tries at a server that cannot answer yet."""
_LONGEST_PAUSE: Final = 15.0
"""Seconds; a server that asks for more before the run is given up."""
_NOT_YET: Final = (429, 500, 502, 503, 504)


@define
class YaoServer:
    """Asks one server.

    Args:
        http: Open.
        address: Without the base path.
        secrets: What no message may repeat.
    """

    http: HttpClient
    address: str
    secrets: tuple[Secret, ...] = ()
    base: str = field(default=DEFAULT_BASE, init=False)

    async def discover(self) -> None:
        """Find the base path of the API, which servers may tell (Yao ``openapi/well-known.go``).

        It is a path only: what a server says never leads to another host, which would be sent
        the token.

        Raises:
            AgentError: The server cannot be reached.
        """
        url = f"{self.address.rstrip('/')}/.well-known/yao"
        response = await self._patiently("GET", url, {})
        told = _object(response.content) if response.status_code == 200 else None
        path = told.get("openapi") if told is not None else None
        if isinstance(path, str) and _BASE.fullmatch(path) and "/../" not in f"{path}/":
            self.base = path.rstrip("/")

    def url(self, path: str) -> str:
        """Give the address of something below the base path."""
        return f"{self.address.rstrip('/')}{self.base}{path}"

    def stream(
        self, path: str, token: Secret, body: object
    ) -> AbstractAsyncContextManager[httpx.Response]:
        """Post something whose answer is read as it comes."""
        return self.http.stream(
            "POST", httpx.URL(self.url(path)), json=body, headers=_headers(token)
        )

    async def ask(
        self, method: str, path: str, token: Secret, body: object = ABSENT
    ) -> httpx.Response:
        """Ask something small, once."""
        address = httpx.URL(self.url(path))
        return await self.http.request(method, address, json=body, headers=_headers(token))

    async def look_at(self, agent: str, token: Secret) -> AgentInfo:
        """Look whether there is an agent (Yao ``openapi/agent/assistant.go``).

        Raises:
            ConfigError: There is none, or the token or the address is wrong.
            AgentError: The server cannot be reached, or cannot tell.
        """
        url = self.url(f"/agent/assistants/{quote(agent, safe='')}/info")
        response = await self._patiently("GET", url, _headers(token))
        status, told = response.status_code, _object(response.content)
        said = self.scrub(error_text(response, response.content))
        if status == 200 and told is not None:
            return AgentInfo(
                name=_text(told.get("name")),
                description=_text(told.get("description")),
                connector=_text(told.get("connector")),
            )
        if status == 401:
            raise ConfigError(
                f"{url}: the server refuses the token of {token.source or 'the settings'}"
                f" ({said}): it is unknown or has expired; get a new one"
            )
        if status == 403:
            return AgentInfo(
                notes=(f"the token may not look at the agent before the run ({said})",)
            )
        if status == 404 and told is not None:
            raise ConfigError(
                f"{self.address}: there is no agent {agent!r} ({said}); mend the name, which is"
                " the path of its folder below assistants, with dots"
            )
        if status in (200, 404, 405):
            raise ConfigError(
                f"{url}: no Yao server answers there (HTTP {status}); mend the server's address"
                f" {self.address}, which goes without the base path"
            )
        raise self.scrubbed(refused(response, response.content))

    def scrub(self, text: str) -> str:
        """Take the tokens out of what a server says: messages go to people and into logs."""
        for secret in self.secrets:
            text = text.replace(secret.reveal(), "***")
        return text

    def scrubbed(self, error: AgentError) -> AgentError:
        """Take the tokens out of an error."""
        error.args = (self.scrub(str(error)),)
        return error

    async def _patiently(self, method: str, url: str, headers: Mapping[str, str]) -> httpx.Response:
        """Ask a server that may have to start first, several times."""
        for pause in (*_PAUSES, None):
            try:
                response = await self.http.request(method, httpx.URL(url), headers=headers)
                if response.status_code not in _NOT_YET:
                    return response
                raise refused(response, response.content)
            except AgentError as error:
                asked = error.retry_after if isinstance(error, RateLimited) else None
                is_final = isinstance(error, TransportError) and not error.retryable
                wait = max(pause or 0.0, asked or 0.0)
                if pause is None or is_final or wait > _LONGEST_PAUSE:
                    raise self.scrubbed(error) from None
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")


def _headers(token: Secret) -> dict[str, str]:
    return {"Authorization": f"Bearer {token.reveal()}"}


def _object(body: bytes) -> dict[str, object] | None:
    try:
        value = loads(body.decode("utf-8-sig"))
    except (UnicodeError, JsonError):
        return None
    return value if is_object(value) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
