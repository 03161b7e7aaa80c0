"""An agent that finds the keywords of a text, with the standard library alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from assay import Request

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
COMMON = """
    a about after all also an and any are as at be been but by can could did do does for from had
    has have how i if in into is it its just like me more most my no not of on one only or our out
    over please so some such than that the their them then there these they this those to too up
    us very was we were what when where which who why will with would you your
"""
STOP_WORDS = frozenset(COMMON.split())


class Answer(TypedDict):
    """What the agent found."""

    keywords: list[str]
    counts: dict[str, int]
    words: int
    share: float
    user: NotRequired[str]
    team: NotRequired[str]


def reply(request: Request) -> str | Answer:
    """Answer a request: text with the JSON in a fence, or the JSON itself if asked for.

    The case's metadata may say ``format`` (``text`` or ``data``), ``limit`` (a number), and
    ``who`` (whether the answer tells who asked).
    """
    said = [message.text for message in request.messages if message.role == "user"]
    answer = find("\n".join(said), limit=limit_of(request))
    if request.metadata.get("who"):
        answer["user"] = request.environment.user_id
        answer["team"] = request.environment.team_id
    if request.metadata.get("format") == "data":
        return answer
    body = json.dumps(answer, ensure_ascii=False, indent=2)
    return f"{sentence(answer['keywords'])}\n\n```json\n{body}\n```\n"


def find(text: str, limit: int) -> Answer:
    """Find the words that a text uses most; those used equally often in their own order."""
    words = [word.casefold() for word in WORD.findall(text)]
    counts = Counter(word for word in words if word not in STOP_WORDS and len(word) > 1)
    best = dict(counts.most_common(limit))
    return Answer(
        keywords=list(best),
        counts=best,
        words=len(words),
        share=round(sum(best.values()) / len(words), 2) if words else 0.0,
    )


def limit_of(request: Request) -> int:
    """Give the most keywords that are wanted."""
    limit = request.metadata.get("limit", 5)
    if not isinstance(limit, int) or limit < 1:
        raise ValueError(f"the limit must be a positive number, not {limit!r}")
    return limit


def sentence(keywords: list[str]) -> str:
    """Say what was found."""
    if not keywords:
        return "I found no keywords."
    return f"This is about {', '.join(keywords)}."
