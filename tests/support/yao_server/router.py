"""Finds who answers a request, and keeps the record of how it went."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yao_server.agents import Raw
from yao_server.record import Seen
from yao_server.refusals import NOT_FOUND, Refused
from yao_server.routes import chat, information, tracing
from yao_server.routes.canned import send_canned
from yao_server.routes.route import Call, Route
from yao_server.wire.answer import Dropped

if TYPE_CHECKING:
    import re

    from yao_server.routes.route import Handler
    from yao_server.wire.answer import Answer
    from yao_server.wire.request import HttpRequest
    from yao_server.world import World


class Router:
    """Answers the requests of one server.

    Args:
        world: What the server knows.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._table = _table(world)

    async def handle(self, request: HttpRequest, answer: Answer) -> None:
        """Answer a request. Whatever happens is put down in the log."""
        log = self._world.log
        seen = log.add(lambda number: _seen(number, request))
        ending = "answered"
        try:
            await self._answer(request, answer, seen)
        except Refused as refused:
            ending = "refused"
            reply = refused.reply
            await answer.whole(reply.status, reply.data(), reply.all_headers())
        except Dropped:
            ending = "dropped"
        except asyncio.CancelledError:
            ending = "left"
            raise
        finally:
            if seen.ending != "open" and ending == "answered":
                ending = seen.ending
            log.change(seen, ending=ending, status=answer.status, wire_bytes=answer.wire_bytes)

    async def _answer(self, request: HttpRequest, answer: Answer, seen: Seen) -> None:
        planned = self._world.planned(request)
        handler, path = self._find(request)
        call = Call(world=self._world, request=request, answer=answer, seen=seen, path=path)
        if planned is None:
            await handler(call)
            return
        await send_canned(call, planned)
        if not isinstance(planned, Raw) and planned.status >= 400:
            self._world.log.change(seen, ending="refused")

    def _find(self, request: HttpRequest) -> tuple[Handler, dict[str, str]]:
        for method, pattern, handler in self._table:
            found = pattern.fullmatch(request.path) if method == request.method else None
            if found:
                return handler, found.groupdict()
        return _not_found, {}


async def _not_found(call: Call) -> None:
    raise Refused(NOT_FOUND)


def _table(world: World) -> list[tuple[str, re.Pattern[str], Handler]]:
    options = world.options
    routes = [*chat.ROUTES, *information.ROUTES, *tracing.ROUTES]
    if options.experts:
        routes += chat.EXPERT_ROUTES
    table = [(route.method, route.pattern(options.base), route.handler) for route in routes]
    if options.well_known:
        known = Route("GET", "/.well-known/yao", information.well_known)
        table.append((known.method, known.pattern(""), known.handler))
    return table


def _seen(number: int, request: HttpRequest) -> Seen:
    return Seen(
        number=number,
        method=request.method,
        target=request.target,
        path=request.path,
        query=request.query,
        headers=request.headers,
        body=request.body,
    )
