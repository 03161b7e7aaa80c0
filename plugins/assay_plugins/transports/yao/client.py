"""Asks one agent of one server: looks at it, carries turns out, closes what is open."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import attrs
from attrs import define, field

from assay import ABSENT, AgentError, AgentInfo, Request, Response, TransportError
from assay_plugins.transports._failures import refused
from assay_plugins.transports._http import HttpClient, read
from assay_plugins.transports.yao.afterwards import Interrupts, Traces
from assay_plugins.transports.yao.body import posted
from assay_plugins.transports.yao.cui import CuiReader
from assay_plugins.transports.yao.identity import SERVER_DECIDES
from assay_plugins.transports.yao.listen import listen, read_after_error
from assay_plugins.transports.yao.server import YaoServer
from assay_plugins.transports.yao.standard import StandardReader

if TYPE_CHECKING:
    import httpx

    from assay_plugins.transports.yao.identity import Identities
    from assay_plugins.transports.yao.settings import YaoSettings
    from assay_plugins.transports.yao.turn import Told, TurnReader


@define
class YaoClient:
    """A server and an agent of it.

    Args:
        agent: The agent's id.
        settings: Of the transport.
        identities: Whose tokens there are; at least one.
    """

    agent: str
    settings: YaoSettings
    identities: Identities
    _http: HttpClient = field(init=False)
    _server: YaoServer = field(init=False)
    _traces: Traces = field(init=False)
    _interrupts: Interrupts = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._http = HttpClient(ca_file=self.settings.ca_file)
        self._server = YaoServer(self._http, self.settings.server, self.identities.secrets)
        self._traces = Traces(self._server)
        self._interrupts = Interrupts(self._server)

    async def open(self) -> None:
        """Find the API of the server.

        Raises:
            ConfigError: A file of certificates cannot be used.
            AgentError: The server cannot be reached.
        """
        await self._http.__aenter__()
        try:
            await self._server.discover()
        except BaseException:
            # A cancellation, too, must leave no connection open.
            await self._http.__aexit__(None, None, None)
            raise

    async def close(self) -> None:
        """Wait for what is still on its way to the server, and close all connections."""
        await self._interrupts.finish()
        await self._http.__aexit__(None, None, None)

    async def look(self) -> AgentInfo:
        """Look whether the server has the agent; see ``YaoServer.look_at``."""
        info = await self._server.look_at(self.agent, self.identities.secrets[0])
        notes = [*info.notes]
        chosen = self.settings.chosen
        if chosen is not None and chosen.note is not None:
            notes.append(chosen.note)
        if self.settings.route == "chat" and self.identities.has_api_key:
            # Their scopes cover that route and not the other (Yao ``openapi/oauth/apikey.go``).
            notes.append('API keys are for the route of experts: set route = "experts"')
        return attrs.evolve(info, notes=tuple(notes))

    async def turn(self, request: Request) -> Response:
        """Carry a turn out.

        Raises:
            AgentError: The agent failed.
            TransportError: It was not reached, or the stream broke off.
            RateLimited: The server asks for a pause.
        """
        identity = self.identities.of(request.environment)
        post = posted(self.agent, request, self.settings, identity.metadata)
        reader: TurnReader = StandardReader() if self.settings.accept == "standard" else CuiReader()
        async with self._server.stream(post.path, identity.token, post.body) as answer:
            if answer.status_code != 200:
                raise await self._refused(answer, reader)
            try:
                await listen(answer, reader)
            except asyncio.CancelledError:
                if reader.context_id is not None and not reader.ending.is_marked:
                    await self._interrupts.carry_out(reader.context_id, identity.token)
                raise
        told = reader.told()
        where = self._server.url(post.path).partition("?")[0]
        notes = reader.ending.judge(told.text, reader.errors(), where=where)
        advice = (SERVER_DECIDES,) if identity.metadata else ()
        response = _response(told, (*post.notes, *advice, *notes), request.chat_id)
        if self.settings.trace == "off":
            return response
        return await self._traces.complete(response, identity.token)

    async def _refused(self, answer: httpx.Response, reader: TurnReader) -> AgentError:
        """Make the error of an answer with another status than 200."""
        try:
            body = await read(answer)
        except TransportError:
            # The status says enough.
            body = b""
        said = read_after_error(body, reader)
        error = self._server.scrubbed(refused(answer, said))
        error.partial = reader.told().text or None
        return error


def _response(told: Told, notes: tuple[str, ...], chat_id: str) -> Response:
    if told.is_refusal and not told.text:
        notes = (*notes, "the model refused; its words are sent nowhere but into traces")
    return Response(
        text=told.text,
        data=ABSENT,
        tool_calls=told.tool_calls,
        reasoning=told.reasoning,
        refusal=told.is_refusal,
        usage=told.usage,
        ids={"chat": chat_id, **told.ids} if chat_id else told.ids,
        unknown=told.unknown,
        notes=notes,
        full_text=told.full_text if told.full_text != told.text else None,
    )
