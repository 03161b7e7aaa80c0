"""What both formats of a stream have in common: what a turn told, and who reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from attrs import field, frozen

from assay import ToolCall, Usage
from assay.jsonvalue import JsonError, is_object, loads
from assay_plugins.transports.yao.ending import Ending


@frozen(kw_only=True)
class Told:
    """What the stream of a turn told, as far as it came."""

    text: str = ""
    """The answer: what stands after the last tool call, or all where nothing does."""
    full_text: str = ""
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    ids: Mapping[str, str] = field(factory=dict[str, str])
    is_refusal: bool = False
    unknown: frozenset[str] = frozenset()
    """Parts that the format does not carry; see ``assay.Response``."""


class TurnReader(Protocol):
    """Reads the events of a turn, whatever their format."""

    ending: Ending

    def event(self, data: str) -> None:
        """Take the data of one event in. What is wrong with it is noted in ``ending``."""
        ...

    def told(self) -> Told:
        """Give what was told so far."""
        ...

    def errors(self) -> tuple[str, ...]:
        """Give what the agent sent as errors so far, in order."""
        ...

    @property
    def context_id(self) -> str | None:
        """What the turn is interrupted by, once it is known."""
        ...


def parse_event(data: str, ending: Ending) -> Mapping[str, object] | None:
    """Read the data of an event, which is one JSON object."""
    try:
        value = loads(data)
    except JsonError as error:
        ending.is_broken_by(f"an event that is not JSON ({error})", data)
        return None
    if is_object(value):
        return value
    ending.is_broken_by("an event that is no JSON object", data)
    return None


def usage_of(value: object) -> Usage | None:
    """Read token counts; None when there are none."""
    if not is_object(value):
        return None
    usage = Usage(
        prompt_tokens=_count(value.get("prompt_tokens")),
        completion_tokens=_count(value.get("completion_tokens")),
        total_tokens=_count(value.get("total_tokens")),
    )
    return None if usage == Usage() else usage


def arguments_of(written: object) -> object:
    """Read the arguments of a tool call: JSON, or the text itself where it is none."""
    if not isinstance(written, str):
        return written
    if not written.strip():
        # This is how some models call a tool without arguments.
        return {}
    try:
        return loads(written)
    except JsonError:
        return written


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
