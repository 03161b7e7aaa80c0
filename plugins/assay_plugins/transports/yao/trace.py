"""What only the trace of a turn knows: the results of tools, and the data of a Next hook.

No chat route gives the whole response; a server that keeps traces does, in the output of the
last node ``agent_completion`` (Yao ``openapi/trace``, ``agent/context/types.go``). A trace never
changes the text of an answer, which must not depend on whether a server keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import define, evolve, frozen

from assay import ABSENT, Response, ToolCall
from assay.jsonvalue import is_array, is_object
from assay_plugins.transports.yao.ending import shown
from assay_plugins.transports.yao.turn import arguments_of, usage_of

_HOOK_KEYS: Final = frozenset({"delegate", "data", "metadata"})


@frozen(kw_only=True)
class Trace:
    """What a trace tells of a turn."""

    response: Mapping[str, object]
    """The whole response, as the server's own programs get it."""
    tools: tuple[ToolCall, ...] = ()
    """Every tool that ran, with what came of it, in order."""


@define
class _Node:
    type: str = ""
    given: object = None
    output: object = ABSENT
    error: str | None = None


def read_trace(answer: object) -> Trace | None:
    """Read the events of a trace; None when the response is not in it (yet).

    Args:
        answer: ``{"events": [{"type", "node_id", "timestamp", "data"}]}``: ``node_start`` tells a
            node, or several that run side by side; ``node_complete`` its output.
    """
    if not is_object(answer):
        return None
    nodes: dict[str, _Node] = {}
    events = answer.get("events")
    for event in events if is_array(events) else ():
        if is_object(event):
            _take(event, nodes)
    responses = [
        node.output
        for node in nodes.values()
        if node.type == "agent_completion" and is_object(node.output)
    ]
    if not responses:
        return None
    response = responses[-1]
    ran = [_tool_of_node(node) for node in nodes.values() if node.type == "mcp_tool"]
    return Trace(response=response, tools=_all_tools(ran, response))


def with_trace(response: Response, trace: Trace) -> Response:
    """Add to a response what its trace knows beside the text."""
    completion = _table(trace.response.get("completion"))
    unknown = response.unknown - {"data", "tool_results"}
    calls = tuple(_with_result(call, trace.tools) for call in response.tool_calls)
    if "tool_calls" in unknown:
        calls = _all_tools(trace.tools, trace.response, is_called=True)
        unknown -= {"tool_calls"}
    usage = response.usage or usage_of(completion.get("usage"))
    if usage is not None:
        unknown -= {"usage"}
    notes = response.notes
    refusal = completion.get("refusal")
    if isinstance(refusal, str) and refusal:
        notes = (*notes, f"the model refused: {shown(refusal)}")
    model = completion.get("model")
    return evolve(
        response,
        data=_data(trace.response.get("next")),
        tool_calls=calls,
        refusal=response.refusal or bool(refusal),
        usage=usage,
        model=model if isinstance(model, str) and model else response.model,
        unknown=unknown,
        notes=notes,
    )


def _take(event: Mapping[str, object], nodes: dict[str, _Node]) -> None:
    data = _table(event.get("data"))
    several = data.get("nodes")
    for told in (data.get("node"), *(several if is_array(several) else ())):
        if is_object(told) and isinstance(told.get("id"), str):
            node = nodes.setdefault(str(told["id"]), _Node())
            node.type = str(told.get("type") or node.type)
            node.given = told.get("input", node.given)
    name = event.get("node_id")
    if isinstance(name, str) and name in nodes:
        node = nodes[name]
        node.output = data.get("output", node.output)
        error = data.get("error")
        if error:
            node.error = shown(error if isinstance(error, str) else str(error))


def _data(given: object) -> object:
    """Give the data of a Next hook; ABSENT when it gave none.

    A hook that returned something without ``data`` stands there whole (Yao
    ``agent/assistant/next.go``): what it says of a delegate or of metadata is no answer.
    """
    if given is None:
        return ABSENT
    if is_object(given) and given and given.keys() <= _HOOK_KEYS:
        inner = given.get("data")
        return ABSENT if inner is None else inner
    return given


def _tool_of_node(node: _Node) -> ToolCall:
    given = _table(node.given)
    return ToolCall(
        name=_name(given.get("server"), given.get("tool")),
        arguments=arguments_of(given.get("arguments", ABSENT)),
        id=_id(given.get("tool_call_id")),
        result=ABSENT if node.error else node.output,
        error=node.error,
    )


def _all_tools(
    ran: Iterable[ToolCall], response: Mapping[str, object], *, is_called: bool = False
) -> tuple[ToolCall, ...]:
    """Put together what ran and what the response tells, which may be its last round alone.

    Args:
        ran: The tools that are known already.
        response: The whole response.
        is_called: Whether what the model called without its running belongs to them.
    """
    tools = list(ran)
    known = {tool.id for tool in tools if tool.id}
    told = response.get("tools")
    for tool in told if is_array(told) else ():
        if is_object(tool) and _id(tool.get("toolcall_id")) not in known:
            tools.append(_tool_of_response(tool))
    known |= {tool.id for tool in tools if tool.id}
    calls = _table(response.get("completion")).get("tool_calls") if is_called else None
    for call in calls if is_array(calls) else ():
        if is_object(call) and _id(call.get("id")) not in known:
            function = _table(call.get("function"))
            tools.append(
                ToolCall(
                    name=str(function.get("name") or ""),
                    arguments=arguments_of(function.get("arguments", "")),
                    id=_id(call.get("id")),
                )
            )
    return tuple(tools)


def _tool_of_response(tool: Mapping[str, object]) -> ToolCall:
    error = tool.get("error")
    result = tool.get("result")
    return ToolCall(
        name=_name(tool.get("server"), tool.get("tool")),
        arguments=arguments_of(tool.get("arguments", ABSENT)),
        id=_id(tool.get("toolcall_id")),
        result=ABSENT if error or result is None else result,
        error=shown(str(error)) if error else None,
    )


def _with_result(call: ToolCall, tools: Iterable[ToolCall]) -> ToolCall:
    for tool in tools:
        if call.id is not None and tool.id == call.id:
            result = call.result if tool.result is ABSENT else tool.result
            return evolve(call, result=result, error=tool.error or call.error)
    return call


def _name(server: object, tool: object) -> str:
    """Name a tool as the model sees it: ``server__tool`` (Yao ``agent/assistant/mcp.go``)."""
    name = str(tool or "")
    if not server or name.startswith(f"{_flat(server)}__"):
        return name
    return f"{_flat(server)}__{name}"


def _flat(server: object) -> str:
    return str(server).replace(".", "_")


def _table(value: object) -> dict[str, object]:
    return value if is_object(value) else {}


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
