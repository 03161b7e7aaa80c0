"""What a server that keeps traces says of them (§2.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yao_server import gojson
from yao_server.accounts import TRACES, own
from yao_server.refusals import Refused, error, server_error
from yao_server.routes.route import Call, Route
from yao_server.stream import HEADERS

if TYPE_CHECKING:
    from yao_server.traces import Trace


async def info(call: Call) -> None:
    """Give the record: ``GET /trace/traces/:id/info``."""
    await call.reply(_find(call).info())


async def nodes(call: Call) -> None:
    """List the nodes, without what went in and came out: ``GET …/nodes``."""
    trace = _find(call)
    found = trace.nodes()
    trace.read()
    await call.reply({"trace_id": trace.id, "nodes": found, "count": len(found)})


async def node(call: Call) -> None:
    """Give one node as a whole: ``GET …/nodes/:node``."""
    found = _find(call).node(call.path["node"])
    if found is None:
        raise Refused(error(404, "invalid_request", f"Node not found: {call.path['node']}"))
    await call.reply(found)


async def events(call: Call) -> None:
    """Give what happened: ``GET …/events``; with ``stream=true`` as a stream of events."""
    trace = _find(call)
    found = trace.events()
    trace.read()
    if call.request.param("stream") != "true":
        await call.reply({"trace_id": trace.id, "events": found})
        return
    call.answer.headers |= HEADERS
    for event in found:
        await call.answer.write(b"data: " + gojson.dump(event) + b"\n\n")
    await call.answer.end()


async def logs(call: Call) -> None:
    """Give the log: ``GET …/logs``."""
    await call.reply({"trace_id": _find(call).id, "logs": [], "count": 0})


async def spaces(call: Call) -> None:
    """Give the memory of the agents: ``GET …/spaces``."""
    await call.reply({"trace_id": _find(call).id, "spaces": [], "count": 0})


ROUTES = (
    Route("GET", "/trace/traces/:id/info", info),
    Route("GET", "/trace/traces/:id/nodes", nodes),
    Route("GET", "/trace/traces/:id/nodes/:node", node),
    Route("GET", "/trace/traces/:id/events", events),
    Route("GET", "/trace/traces/:id/logs", logs),
    Route("GET", "/trace/traces/:id/spaces", spaces),
)


def _find(call: Call) -> Trace:
    account = call.guard(TRACES)
    if not call.world.options.traces:
        raise Refused(server_error("trace is disabled (driver=none)"))
    trace = call.world.traces.get(call.path["id"])
    if trace is None:
        raise Refused(error(404, "invalid_request", f"Trace not found: {call.path['id']}"))
    own(account, trace.user_id, trace.team_id)
    return trace
