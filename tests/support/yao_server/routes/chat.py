"""Running an agent, and interrupting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yao_server import gojson
from yao_server.accounts import CHAT, CHAT_READ, EXPERTS
from yao_server.agents import Agent, Heard, Raw
from yao_server.completion_request import read_messages, read_request
from yao_server.dsl import now_ms
from yao_server.gojson import NotReadable, Object
from yao_server.overrides import read_asked
from yao_server.refusals import Refused, bad_request, not_parsed, server_error
from yao_server.routes.canned import send_canned
from yao_server.routes.route import Call, Route
from yao_server.turn import Turn

if TYPE_CHECKING:
    from yao_server.accounts import Account
    from yao_server.overrides import Asked
    from yao_server.world import World


async def complete(call: Call) -> None:
    """Run an agent: ``POST /chat/completions``."""
    await _run(call, call.guard(CHAT))


async def complete_expert(call: Call) -> None:
    """Run the agent of the path: ``POST /experts/:assistant_id/chat/completions``."""
    await _run(call, call.guard(EXPERTS))


async def placeholder(call: Call) -> None:
    """Answer what no client needs."""
    call.guard(CHAT_READ if call.request.method == "GET" else CHAT)
    await call.reply({"message": "placeholder"})


async def append(call: Call) -> None:
    """Interrupt a turn: ``POST /chat/completions/:context_id/append``."""
    call.guard(CHAT)
    try:
        given = gojson.fields(gojson.load(call.request.body), "AppendMessagesRequest")
        kind = gojson.text(given.get("type"), "AppendMessagesRequest.type")
        messages = [dict(message) for message in read_messages(given.get("messages"))]
        metadata = dict(gojson.fields(given.get("metadata"), "map[string]interface {}"))
    except NotReadable as error:
        raise Refused(bad_request(f"Invalid request body: {error}")) from None
    if kind not in ("force", "graceful"):
        said = "Invalid interrupt type. Must be 'graceful' or 'force'"
        raise Refused(bad_request(said))
    context_id = call.path["context_id"]
    turn = call.world.turns.get(context_id)
    if turn is None:
        said = f"Failed to send interrupt: context {context_id} not found"
        raise Refused(server_error(said))
    interrupt: Object = {"type": kind, "messages": messages, "metadata": metadata}
    (interrupted,) = [seen for seen in call.world.log.turns if seen.context_id == context_id]
    call.world.log.change(interrupted, interrupts=[*interrupted.interrupts, interrupt])
    if kind == "force":
        turn.interrupt()
    await call.reply(
        {
            "message": "Messages appended successfully",
            "context_id": context_id,
            "type": kind,
            "timestamp": now_ms(),
        }
    )


ROUTES = (
    Route("POST", "/chat/completions", complete),
    Route("GET", "/chat/completions", placeholder),
    Route("DELETE", "/chat/completions", placeholder),
    Route("POST", "/chat/completions/:context_id/append", append),
)
EXPERT_ROUTES = (Route("POST", "/experts/:assistant_id/chat/completions", complete_expert),)


async def _run(call: Call, account: Account) -> None:
    world = call.world
    try:
        body = read_request(call.request.body)
        asked = read_asked(call.request, body, world.chats, call.path.get("assistant_id", ""))
    except NotReadable as error:
        raise Refused(not_parsed(str(error))) from None
    world.log.change(call.seen, asked=asked)
    agent = world.agents.get(asked.assistant_id)
    if agent is None:
        said = f"Failed to get assistant: assistant {asked.assistant_id} not found"
        raise Refused(server_error(said))
    number = world.asked_of.get(agent.id, 0)
    world.asked_of[agent.id] = number + 1
    if number < len(agent.first):
        await send_canned(call, agent.first[number])
        if not isinstance(agent.first[number], Raw):
            world.log.change(call.seen, ending="refused")
        return
    await _turn(call, account, agent, asked)


async def _turn(call: Call, account: Account, agent: Agent, asked: Asked) -> None:
    world = call.world
    before = [] if asked.skip.get("history") else world.history.get(asked.chat_id, [])
    heard = Heard(messages=(*before, *asked.messages), asked=asked, account=account)
    turn = Turn(agent, heard, call.answer, _connector(world, agent, asked), world.gates)
    world.turns[turn.context_id] = turn
    world.log.change(
        call.seen,
        context_id=turn.context_id,
        trace_id=turn.trace_id,
        connector=turn.connector,
    )
    if world.options.traces:
        world.traces[turn.trace_id] = turn.trace
    try:
        await turn.run()
    finally:
        del world.turns[turn.context_id]
    if not asked.skip.get("history"):
        world.history.setdefault(asked.chat_id, []).extend(map(dict, asked.messages))
    world.log.change(call.seen, ending="failed" if turn.has_failed else "answered")
    if "Content-Length" not in call.answer.headers:
        await call.answer.end()


def _connector(world: World, agent: Agent, asked: Asked) -> str:
    known = asked.connector in world.options.connectors
    return asked.connector if known else agent.connector
