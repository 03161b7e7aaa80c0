"""Reads a turn in the format of OpenAI's chunks (``accept=standard``).

It carries less than the other one: neither the names nor the arguments of tools, no status, no
tokens, and a text that is replaced comes twice (Yao ``agent/output/adapters/openai``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from attrs import define, field

from assay.jsonvalue import is_array, is_object
from assay_plugins.transports.yao.ending import Ending, error_text
from assay_plugins.transports.yao.turn import Told, parse_event

_LINK: Final = re.compile(r"(?:🚀|🔍) .+ - \[.+\]\(\S*/trace/([0-9]{20})/view\)\n")
_LINK_END: Final = "/view)\n"
_LONGEST_LINK: Final = 500
"""Characters: longer texts are no link, and a regular expression would take its time."""


@define
class StandardReader:
    """Reads the events of a turn."""

    ending: Ending = field(factory=Ending)
    _last: list[str] = field(factory=list[str], init=False)
    """Texts after the last tool call."""
    _whole: list[str] = field(factory=list[str], init=False)
    _thoughts: list[str] = field(factory=list[str], init=False)
    _errors: list[str] = field(factory=list[str], init=False)
    _trace: str | None = field(default=None, init=False)
    _called: bool = field(default=False, init=False)

    @property
    def context_id(self) -> str | None:
        """The format does not carry it."""
        return None

    def event(self, data: str) -> None:
        """Take one event in."""
        if self.ending.is_marked:
            return
        if data.strip() == "[DONE]":
            self.ending.is_complete = True
            return
        chunk = parse_event(data, self.ending)
        if chunk is None:
            return
        if chunk.get("error"):
            self._errors.append(error_text(chunk) or "an error without a text")
        choices = chunk.get("choices")
        for choice in choices if is_array(choices) else ():
            delta = choice.get("delta") if is_object(choice) else None
            if is_object(delta) and not self._is_link(chunk, delta):
                self._take(delta)

    def told(self) -> Told:
        """Give what was told so far."""
        full_text = "".join(self._whole)
        unknown = {"data", "tool_results", "usage"}
        if self._called:
            unknown.add("tool_calls")
        return Told(
            text="".join(self._last) or full_text,
            full_text=full_text,
            reasoning="".join(self._thoughts) or None,
            ids={} if self._trace is None else {"trace": self._trace},
            unknown=frozenset(unknown),
        )

    def errors(self) -> tuple[str, ...]:
        """Give what was sent as errors so far."""
        return tuple(self._errors)

    def _take(self, delta: Mapping[str, object]) -> None:
        if "tool_calls" in delta:
            self._called = True
            self._last.clear()
        content, thought = delta.get("content"), delta.get("reasoning_content")
        if isinstance(content, str):
            self._last.append(content)
            self._whole.append(content)
        if isinstance(thought, str):
            self._thoughts.append(thought)

    def _is_link(self, chunk: Mapping[str, object], delta: Mapping[str, object]) -> bool:
        """Whether a chunk is the link to the trace, which the agent did not write.

        It is known by its shape, never by its words: they follow the locale, and no other chunk
        has an empty id (Yao ``agent/output/adapters/openai``).
        """
        if chunk.get("id") != "":
            return False
        for key in ("content", "reasoning_content"):
            text = delta.get(key)
            if not isinstance(text, str) or len(text) > _LONGEST_LINK:
                continue
            found = _LINK.fullmatch(text) if text.endswith(_LINK_END) else None
            if found:
                self._trace = self._trace or found[1]
                return True
        return False
