"""What an agent of the stand-in does in a turn: a script is a sequence of these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, kw_only=True, slots=True)
class Say:
    """Text of the model."""

    text: str
    pieces: int = 3
    """Deltas that it arrives in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Think:
    """Reasoning of the model."""

    text: str
    pieces: int = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """The model calls a tool, the server runs it and asks the model again."""

    name: str
    """As the model knows it: ``server__tool``."""
    arguments: object = field(default_factory=dict[str, object])
    """A JSON value; text goes out as it is, whether it is JSON or not."""
    result: object = None
    error: str = ""
    pieces: int = 2
    """Deltas that the arguments arrive in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Calls:
    """Several calls in one delta of the model."""

    calls: tuple[Call, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Send:
    """A message that a hook sends, field by field."""

    type: str
    props: Mapping[str, object] = field(default_factory=dict[str, object])
    message_id: str = ""
    """Made when it is empty."""
    delta: bool = False
    delta_path: str = ""
    delta_action: str = ""
    type_change: bool = False
    block_id: str = ""
    thread_id: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refuse:
    """The model refuses; no route carries the text."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Delegate:
    """Another agent answers, in a thread of its own, where message ids start again at M1."""

    agent: str
    acts: tuple[Act, ...]
    thread_id: str = "T1"


@dataclass(frozen=True, kw_only=True, slots=True)
class Together:
    """Several agents answer at the same time: their messages alternate."""

    delegates: tuple[Delegate, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Next:
    """The Next hook gives data, which only a trace shows."""

    data: object


@dataclass(frozen=True, kw_only=True, slots=True)
class Use:
    """What the model used, for the usage of the turn."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Pause:
    """Silence for some seconds."""

    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """Silence until the test opens the gate; without a name for ever."""

    gate: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fail:
    """The turn fails (§2.6)."""

    message: str
    told: bool = True
    """Whether an ``error`` message comes first, as it does when the model fails."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Vanish:
    """The body ends, as HTTP ends it, without any end mark."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Drop:
    """The connection ends in mid-body."""

    reset: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Raw:
    """Bytes in the stream that the server did not write, or wrote wrongly."""

    data: bytes


Act: TypeAlias = (
    Say
    | Think
    | Call
    | Calls
    | Send
    | Refuse
    | Delegate
    | Together
    | Next
    | Use
    | Pause
    | Hold
    | Fail
    | Vanish
    | Drop
    | Raw
)
