"""What an agent has come to in a turn: the response object that no chat route gives (§2.7)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from yao_server.gojson import Object

if TYPE_CHECKING:
    from yao_server.acts import Call
    from yao_server.traces import Trace


@dataclass
class Round:
    """One answer of the model, after which it may be asked again."""

    node: str
    content: str = ""
    reasoning: str = ""
    refusal: str = ""
    tool_calls: list[Object] = field(default_factory=list[Object])

    def completion(self, model: str, usage: Object) -> Object:
        """Give it as the server keeps it, without what is empty."""
        kept: Object = {
            "content": self.content,
            "reasoning_content": self.reasoning,
            "refusal": self.refusal,
            "tool_calls": self.tool_calls,
        }
        return {
            "id": "chatcmpl-1",
            "model": model,
            "role": "assistant",
            **{name: value for name, value in kept.items() if value},
            "finish_reason": "tool_calls" if self.tool_calls else "stop",
            "usage": usage,
        }


@dataclass
class Outcome:
    """Rounds, tool results and Next data of one agent, written to the trace as they come.

    Args:
        trace: Of the turn.
        node: The agent's.
        model: That the connector stands for.
    """

    trace: Trace
    node: str
    model: str
    tools: list[Object] = field(default_factory=list[Object])
    next: Object = field(default_factory=dict[str, object])
    """``{"next": data}`` when the hook gave any."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    last: Round | None = None

    def answering(self) -> Round:
        """Give the round that text belongs to; after tool calls it is a new one."""
        if self.last is None or self.last.tool_calls:
            self._close()
            self.last = Round(self.trace.start("llm", self.model, None, self.node))
        return self.last

    def calling(self) -> Round:
        """Give the round that a tool call belongs to."""
        return self.last or self.answering()

    def ran(self, call: Call, call_id: str) -> None:
        """Remember what a tool gave."""
        server, _, tool = call.name.rpartition("__")
        used = parsed(call.arguments)
        given: Object = {"tool_call_id": call_id, "server": server, "tool": tool}
        node = self.trace.start("mcp_tool", call.name, {**given, "arguments": used}, self.node)
        if call.error:
            self.trace.fail(node, call.error)
        else:
            self.trace.complete(node, call.result)
        self.tools.append(
            {"toolcall_id": call_id, "server": server, "tool": tool, "arguments": used}
            | ({"error": call.error} if call.error else {"result": call.result})
        )

    def usage(self) -> Object:
        """Give the tokens used; empty when the script said nothing of them."""
        if not self.prompt_tokens and not self.completion_tokens:
            return {}
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
        }

    def response(self, ids: Object) -> Object:
        """Give the response object."""
        self._close()
        response = {**ids, **self.next}
        if self.last is not None:
            response["completion"] = self.last.completion(self.model, self.usage())
        if self.tools:
            response["tools"] = self.tools
        return response

    def _close(self) -> None:
        if self.last is not None:
            self.trace.complete(self.last.node, self.last.completion(self.model, self.usage()))


def written(arguments: object) -> str:
    """Give arguments as the model writes them; text is taken as it is."""
    if isinstance(arguments, str):
        return arguments
    return json.dumps(arguments, ensure_ascii=False)


def parsed(arguments: object) -> object:
    """Give arguments as the server understands them."""
    if not isinstance(arguments, str):
        return arguments
    try:
        value: object = json.loads(arguments)
    except ValueError:
        return arguments
    return value
