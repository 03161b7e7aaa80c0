"""The servers that pages of the documentation speak of: a model, and a home-made agent."""

from __future__ import annotations

from typing import Any

from scripted_server import Asked, Script, event, stream, whole

_ANSWERS = {
    "capital of France": "The capital of France is Paris.",
    "colours": '{"colours": ["red", "green", "blue"]}',
    "long story": "Once upon a time there was",
}


def model(asked: Asked) -> Script:
    """Answer as a model behind chat completions does."""
    body = asked.json
    text = _text(body["messages"][-1]["content"])
    reason = "stop"
    message: dict[str, Any] = {"role": "assistant", "content": "I do not know."}
    for part, answer in _ANSWERS.items():
        if part in text:
            message["content"] = answer
    if "story" in text:
        reason = "length"
    if "weather" in text:
        function = {"name": "get_weather", "arguments": '{"city": "Oslo"}'}
        call = {"index": 0, "id": "call_1", "type": "function", "function": function}
        message |= {"content": None, "tool_calls": [call]}
        reason = "tool_calls"
    usage = {"prompt_tokens": 12, "completion_tokens": 8, "total_tokens": 20}
    head = {"id": "chatcmpl-1", "model": body["model"]}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return [whole({**head, "choices": [choice], "usage": usage})]
    first = {"choices": [{"index": 0, "delta": message, "finish_reason": None}]}
    last: dict[str, Any] = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
        "usage": usage,
    }
    return stream(event({**head, **first}), event({**head, **last}), event("[DONE]"))


def agent(asked: Asked) -> Script:
    """Answer as an agent with an interface of its own does."""
    if asked.headers.get("authorization") != "Bearer token-of-the-shop":
        return [whole({"detail": "no valid token"}, 401, reason="Unauthorized")]
    order = {"id": 7, "state": "shipped"}
    said = f"{asked.json['who']}, your order has been shipped."
    return [whole({"status": "ok", "data": {"reply": said, "order": order}})]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts: list[dict[str, str]] = content
    return " ".join(part.get("text", "") for part in parts)
