"""The ``openai`` transport: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar, Final, Self

from assay import AgentInfo, ConfigError, hookimpl
from assay_plugins.transports.openai import body as _body

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    import httpx

    from assay import AgentRef, Request, Response, TransportType
    from assay_plugins.transports._http import HttpClient

_AFTER_DONE: Final = 0.25
"""Seconds in which a stream has to end after ``[DONE]``, so that its connection can be used again;
what comes later does not count."""
_AFTER_REASON: Final = 5.0
"""Seconds in which the usage has to come after a ``finish_reason``."""


class OpenAI:
    """Asks a model, or an agent behind such an API: ``openai:MODEL``."""

    name: ClassVar[str] = "openai"
    Settings: ClassVar[type[_body.Settings]] = _body.Settings

    def __init__(self, agent: AgentRef, settings: _body.Settings | None = None) -> None:
        from assay_plugins.transports._failures import shown
        from assay_plugins.transports._http import HttpClient, address

        self._settings = settings or _body.Settings()
        self._model = agent.target
        if not self._model:
            raise ConfigError("openai: the model is missing; write openai:MODEL")
        key = self._settings.api_key
        base = address(self._settings.base_url, "[transport.openai] base_url")
        if key is None and self._settings.base_url == _body.PUBLIC_URL:
            raise ConfigError(
                "openai: no API key; set OPENAI_API_KEY, or base_url to a server of your own"
            )
        self._url = base.copy_with(path=_path(base.path))
        self._place = shown(self._url)
        self._system: str | None = None
        self._http: HttpClient = HttpClient(
            ca_file=self._settings.ca_file,
            headers={"Authorization": f"Bearer {key.reveal().strip()}"} if key else {},
        )

    async def __aenter__(self) -> Self:
        """Read the system text.

        Raises:
            ConfigError: It cannot be read.
        """
        self._system = self._settings.system
        if self._settings.system_file is not None:
            try:
                self._system = self._settings.system_file.read_text(encoding="utf-8-sig")
            except (OSError, ValueError) as error:
                raise ConfigError(
                    f"[transport.openai] system_file {self._settings.system_file}: cannot be read:"
                    f" {error}"
                ) from error
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._http.__aexit__(kind, error, trace)

    async def info(self) -> AgentInfo | None:
        """Tell the model; nothing is asked, since not every such server can tell its models."""
        return AgentInfo(connector=self._model)

    async def send(self, request: Request) -> Response:
        """Ask for one completion.

        Raises:
            AgentError: The server answers with an error, or with what is no completion.
            TransportError: It cannot be reached, or its answer breaks off.
            RateLimited: It asks for a pause.
        """
        from assay_plugins.transports._http import check, json_of, read
        from assay_plugins.transports.openai.answer import whole_answer

        body = _body.body_of(request, self._settings, self._model, self._system)
        async with self._http.stream("POST", self._url, json=body) as response:
            await check(response)
            kind = response.headers.get("content-type", "")
            wants_stream = self._settings.stream and "json" not in kind
            if wants_stream or kind.startswith("text/event-stream"):
                return await _streamed(response, self._place)
            # Servers that know no streaming answer in one piece, asked for or not.
            value = json_of(await read(response), self._url)
        return whole_answer(value, self._place)


async def _streamed(response: httpx.Response, place: str) -> Response:
    """Read an answer in pieces."""
    from assay_plugins.transports._failures import BrokenOff
    from assay_plugins.transports._http import chunks
    from assay_plugins.transports._sse import SseParser
    from assay_plugins.transports.openai.stream import Stream

    parser = SseParser()
    stream = Stream(place)
    loop = asyncio.get_running_loop()
    limit = asyncio.timeout(None)
    try:
        async with limit:
            async for chunk in chunks(response):
                was_done, was_finished = stream.is_done, stream.is_finished
                stream.take(parser.feed(chunk))
                if stream.is_done and not was_done:
                    limit.reschedule(loop.time() + _AFTER_DONE)
                elif stream.is_finished and not was_finished:
                    limit.reschedule(loop.time() + _AFTER_REASON)
    except TimeoutError:
        if not limit.expired():
            raise
    except BrokenOff as error:
        return stream.broken(error)
    stream.take(parser.close())
    return stream.end()


def _path(base: str) -> str:
    path = base.rstrip("/")
    return path if path.endswith("/chat/completions") else f"{path}/chat/completions"


@hookimpl
def assay_transports() -> Sequence[TransportType]:
    """Offer ``openai``."""
    return [OpenAI]
