"""Checks of the keyword agent that need more than a line of JSON."""

from __future__ import annotations

import json
import re
from typing import Any, cast


def from_the_input(output: object, input: object, expected: object) -> dict[str, object]:
    """Pass when every keyword is a word of the input: the agent invents nothing."""
    keywords = answer(output)["keywords"]
    text = json.dumps(input, ensure_ascii=False).casefold()
    invented = [word for word in keywords if word not in text]
    found = len(keywords) - len(invented)
    return {
        "pass": not invented,
        "message": f"invented: {', '.join(invented)}" if invented else f"{found} words found",
        "score": found / len(keywords) if keywords else 1.0,
    }


def at_most(output: object, input: object, expected: object) -> bool:
    """Pass when there are no more keywords than ``value`` says."""
    return isinstance(expected, int) and len(answer(output)["keywords"]) <= expected


def answer(output: object) -> dict[str, Any]:
    """Give the agent's JSON, which is the output itself or stands in its fence."""
    if isinstance(output, str):
        fence = re.search(r"```json\n(.*?)\n```", output, re.DOTALL)
        output = json.loads(fence[1]) if fence else None
    if not isinstance(output, dict):
        raise TypeError("the output holds no JSON object")
    return cast("dict[str, Any]", output)
