"""Discovery, assistants and models (§1.1, §2.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yao_server.accounts import ASSISTANTS, MODELS
from yao_server.refusals import Refused, bad_request, error
from yao_server.routes.route import Call, Route

if TYPE_CHECKING:
    from yao_server.agents import Agent

MOST = 100
"""Assistants on a page."""


async def well_known(call: Call) -> None:
    """Tell how the server is reached: ``GET /.well-known/yao``."""
    host = call.request.header("host")
    await call.reply(
        {
            "name": "Stand-in",
            "version": "1.0.0",
            "description": "A stand-in for tests",
            "openapi": call.world.options.base,
            "issuer_url": f"http://{host}",
            "server_url": f"http://{host}",
            "dashboard": "/dashboard",
            "grpc": "",
            "grpc_tls": False,
        }
    )


async def assistants(call: Call) -> None:
    """List the agents: ``GET /agent/assistants``."""
    call.guard(ASSISTANTS)
    page, size = _whole(call, "page", 1), min(_whole(call, "pagesize", 20), MOST)
    words = call.request.param("keywords").lower()
    kind = call.request.param("type") or "assistant"
    found = [
        agent
        for agent in call.world.agents.values()
        if agent.type == kind and words in f"{agent.title} {agent.description}".lower()
    ]
    pages = -(-len(found) // size)
    await call.reply(
        {
            "data": [agent.record() for agent in found[(page - 1) * size : page * size]],
            "total": len(found),
            "page": page,
            "pagesize": size,
            "pagecount": pages,
            "next": page + 1 if page < pages else 0,
            "prev": page - 1,
        }
    )


async def assistant(call: Call) -> None:
    """Give the whole record of one: ``GET /agent/assistants/:id``."""
    call.guard(ASSISTANTS)
    await call.reply(_find(call).record())


async def info(call: Call) -> None:
    """Give what a front end shows of one: ``GET /agent/assistants/:id/info``."""
    call.guard(ASSISTANTS)
    await call.reply(_find(call).info())


async def models(call: Call) -> None:
    """List the agents as models: ``GET /models``."""
    call.guard(MODELS)
    data = [agent.model() for agent in call.world.agents.values()]
    await call.reply({"object": "list", "data": data})


async def model(call: Call) -> None:
    """Give one of them: ``GET /models/:model_name``."""
    call.guard(MODELS)
    name = call.path["model_name"]
    found = [agent.model() for agent in call.world.agents.values()]
    for row in found:
        if row["id"] == name:
            await call.reply(row)
            return
    raise Refused(error(404, "invalid_request", f"Model not found: {name}"))


ROUTES = (
    Route("GET", "/agent/assistants", assistants),
    Route("GET", "/agent/assistants/:id", assistant),
    Route("GET", "/agent/assistants/:id/info", info),
    Route("GET", "/models", models),
    Route("GET", "/models/:model_name", model),
)


def _find(call: Call) -> Agent:
    agent = call.world.agents.get(call.path["id"])
    if agent is None:
        raise Refused(error(404, "invalid_request", f"Assistant not found: {call.path['id']}"))
    return agent


def _whole(call: Call, name: str, default: int) -> int:
    said = call.request.param(name)
    if not said:
        return default
    if not (said.isascii() and said.isdigit() and int(said) > 0):
        raise Refused(bad_request(f"invalid {name}"))
    return int(said)
