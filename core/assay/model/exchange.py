"""One question to an agent and its answer."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from assay.absent import ABSENT
from assay.model.case import Environment
from assay.model.files import FileAccess
from assay.model.message import Message, ToolCall


@frozen(kw_only=True)
class Origin:
    """Which part of a run asks. Never sent to the agent."""

    suite: str = ""
    case: str = ""
    attempt: int = 1
    turn: int = 1
    purpose: str = "test"
    """``test``, ``judge`` or ``reporter``."""
    index: int = field(default=0, eq=False)
    """Place of the case in the run, from 0: only for putting what was asked in order."""


@frozen(kw_only=True)
class Request:
    """What a transport is asked to send."""

    messages: tuple[Message, ...]
    environment: Environment = Environment()
    chat_id: str = ""
    """Unique per attempt."""
    connector: str | None = None
    """Override of the agent's own connector."""
    metadata: Mapping[str, object] = field(factory=dict[str, object])
    """The case's ``metadata`` with ``options.metadata`` over it."""
    options: Mapping[str, object] = field(factory=dict[str, object])
    """The case's ``options`` as written, for transports that know them."""
    origin: Origin = Origin()
    files: FileAccess = field(default=FileAccess(), eq=False, repr=False)
    """Reads the files that content parts name. Never sent, nor written into reports."""

    @property
    def text(self) -> str:
        """The text of the last user message; empty when there is none."""
        for message in reversed(self.messages):
            if message.role == "user":
                return message.text
        return ""


@frozen(kw_only=True)
class Usage:
    """Tokens used, as the agent's side counts them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    total_tokens: int | None = None


@frozen(kw_only=True)
class Response:
    """What an agent answered."""

    text: str = ""
    data: object = ABSENT
    """A structured result beside the text; ABSENT when there is none. ``None`` is null."""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str | None = None
    refusal: bool = False
    """Whether ``text`` is the text of a refusal."""
    usage: Usage | None = None
    model: str | None = None
    finish_reason: str | None = None
    ids: Mapping[str, str] = field(factory=dict[str, str])
    """Ids that help to find the turn again: ``trace``, ``chat``, ``context``."""
    unknown: frozenset[str] = frozenset()
    """Parts that the transport cannot see, which is not the same as empty: of ``data``,
    ``tool_calls``, ``tool_results``, ``usage``, ``reasoning``."""
    notes: tuple[str, ...] = ()
    """What a reader of the report should know of this answer."""
    full_text: str | None = None
    """All that the agent wrote in this turn, where ``text`` is only the part that is the answer."""
    replayed_ms: int | None = None
    """How long the agent took when this was recorded; None: it was asked in this run."""

    @property
    def output(self) -> object:
        """``data`` if it is known and not empty, else ``text``."""
        if self.data is ABSENT:
            return self.text
        if self.text and self.data in ("", {}, []):
            return self.text
        return self.data

    @property
    def is_empty(self) -> bool:
        """Whether the agent answered nothing: no text, no data, no tool call, no refusal."""
        if self.text or self.tool_calls or self.refusal:
            return False
        return self.data is ABSENT or self.data == ""


@frozen(kw_only=True)
class AgentInfo:
    """What a preflight tells of an agent; None where it is not known."""

    name: str | None = None
    description: str | None = None
    connector: str | None = None
    notes: tuple[str, ...] = ()
    replayed: str | None = None
    """The record from which the agent's answers are replayed, as a user would name it."""


@frozen(kw_only=True)
class Try:
    """One try at asking, of those that did not give the answer."""

    error: str
    waited_ms: int = 0
    """How long it then waited before the next one."""
    duration_ms: int = 0


@frozen(kw_only=True)
class Exchange:
    """A request, its response, and the tries before it."""

    request: Request
    response: Response
    tries: tuple[Try, ...] = ()
