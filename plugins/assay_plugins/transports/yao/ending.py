"""How a turn ended. Status 200 proves nothing: what decides stands in the stream.

The server's handler streams first and fails later: it then appends a bare JSON error to what was
sent, without ``data:`` and without a line end, and leaves out the end mark (Yao
``openapi/chat/completions.go``, ``agent/assistant/agent.go``). The events are sent by a thread
of their own, so the error may also stand between them (Yao ``agent/output/safe_writer.go``).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from attrs import define

from assay import AgentError, TransportError
from assay.jsonvalue import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SHOWN: Final = 300
"""Characters of what an agent or a server said that a message repeats."""


@define
class Ending:
    """What was seen of the end of a turn."""

    is_complete: bool = False
    """Whether the end mark of a success was seen."""
    failure: str | None = None
    """What the end mark of a failure says."""
    bare_error: str | None = None
    """What a JSON error says that stands in the stream without being an event."""
    broken: str | None = None
    """Why what was read is no stream of this server."""
    cut: str | None = None
    """How the connection ended, when it ended before the stream did."""
    stray: str | None = None
    """The first line that is neither an event nor an error."""

    @property
    def is_marked(self) -> bool:
        """Whether an end mark was seen: what follows it counts no more, but for a bare error."""
        return self.is_complete or self.failure is not None

    def is_broken_by(self, what: str, data: str) -> None:
        """Note something that cannot be read; the first such thing stays."""
        if self.broken is None and not self.is_marked:
            self.broken = f"{what}: {shown(data)}"

    def line(self, line: str) -> str | None:
        """Take in a line of the stream that is no field of an event.

        Returns:
            What follows a bare error in the same line, since that ends without a line end: the
            next line of the stream, to be read as such.
        """
        text = line.strip()
        if not text.startswith("{"):
            self._is_stray(text)
            return None
        found = first_object(text)
        if found is None:
            if text.startswith(_ERROR_STARTS):
                # The end of the stream cut it off.
                self.bare_error = self.bare_error or shown(text)
            else:
                self._is_stray(text)
            return None
        value, end = found
        said = error_text(value)
        if said is None:
            self._is_stray(text)
        else:
            self.bare_error = self.bare_error or said
        return text[end:].lstrip() or None

    def judge(
        self, partial: str, errors: Sequence[str] = (), *, where: str = "the server"
    ) -> tuple[str, ...]:
        """Decide how the turn ended.

        Args:
            partial: The text that had come, which an error keeps.
            errors: What the agent sent as errors, in order: a hook may send one and recover.
            where: The address, for messages.

        Returns:
            Notes on a success: the errors that the agent sent before it.

        Raises:
            AgentError: The agent, or the server that runs it, says that it failed.
            TransportError: The stream broke off or is none.
        """
        kept = partial or None
        if self.failure is not None or self.bare_error is not None:
            sent = errors[-1] if errors else "it does not say why"
            said = self.failure or self.bare_error or sent
            raise AgentError(f"the agent failed: {said}", partial=kept)
        if self.broken is not None and self.cut is None:
            raise TransportError(f"{where}: the stream holds {self.broken}", partial=kept)
        if self.is_complete:
            return tuple(f"the agent sent an error and went on: {said}" for said in errors)
        if errors:
            raise AgentError(f"the agent failed: {errors[-1]}", partial=kept)
        if self.cut is not None:
            raise TransportError(self.cut, partial=kept)
        behind = f" behind {self.stray!r}" if self.stray else ""
        raise TransportError(
            f"{where}: the stream ended{behind} without its end mark", partial=kept
        )

    def _is_stray(self, text: str) -> None:
        if self.stray is None and text:
            self.stray = shown(text)


def first_object(text: str) -> tuple[dict[str, object], int] | None:
    """Read the JSON object that a text begins with, and tell where it ends."""
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return (value, end) if is_object(value) else None


def error_text(value: Mapping[str, object]) -> str | None:
    """Give what a server's JSON error says; None when it is none.

    Before the stream and within it an error is ``{"error": code, "error_description": text}``
    (Yao ``openapi/response/response.go``); OpenAI's form has an object as ``error``.
    """
    error = value.get("error")
    if is_object(error):
        said = error.get("message") or error.get("code") or error.get("type")
    else:
        said = value.get("error_description") or error
    return shown(str(said)) if said else None


def shown(text: str) -> str:
    """Shorten what is repeated in a message."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


_ERROR_STARTS: Final = ('{"error"', '{"error_description"')
_DECODER: Final = json.JSONDecoder()
