"""Cases and what belongs to them: checks, suites, the agent, the environment, needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import field, frozen

from assay.absent import ABSENT
from assay.jsonvalue import canonical
from assay.model.message import Message

if TYPE_CHECKING:
    from assay.contracts import AssertionType


@frozen
class Where:
    """A place in a file that a user wrote."""

    file: str
    """As the user would name it: relative to the working directory where possible."""
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


@frozen
class Script:
    """A need: a function in a script, as a case names it."""

    reference: str


@frozen
class Agent:
    """A need: an agent, in the form of ``-n`` (an id, or ``TRANSPORT:TARGET``)."""

    reference: str


@frozen
class File:
    """A need: a file, relative to the folder of the case file."""

    reference: str


Need: TypeAlias = Script | Agent | File


@frozen(kw_only=True)
class Check:
    """One entry of ``assert``: an assertion, and what core handles for all types."""

    type: str
    assertion: AssertionType
    message: str | None = None
    """Replaces the message of a verdict that did not pass."""
    negate: bool = False


@frozen(kw_only=True)
class Case:
    """One test case."""

    id: str
    messages: tuple[Message, ...]
    """``input`` in its normal form."""
    expected: object = ABSENT
    checks: tuple[Check, ...] = ()
    """Empty in a case that was read back from a report: its verdicts say what was checked."""
    user: str | None = None
    team: str | None = None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(factory=dict[str, object])
    options: Mapping[str, object] = field(factory=dict[str, object])
    skip: bool = False
    timeout: float | None = None
    """Seconds; None: what the suite says."""
    where: Where = Where("")
    raw: Mapping[str, object] = field(factory=dict[str, object])
    """The case as written."""

    @property
    def input(self) -> object:
        """The input as written: text, a message object, or a list of messages."""
        return self.raw.get("input")

    @cached_property
    def digest(self) -> int:
        """A hash of the case as written: 64 bits, the same for any order of its keys."""
        try:
            text = json.dumps(self.raw, sort_keys=True)
        except (ValueError, RecursionError):
            # Integers of thousands of digits, or deep nesting: rare, and slower.
            text = canonical(self.raw)
        data = text.encode("utf-8", "surrogatepass")
        return int.from_bytes(blake2b(data, digest_size=8).digest())

    @property
    def has_checks(self) -> bool:
        """Whether anything must hold of the answer, beside there being one."""
        return "assert" in self.raw or "expected" in self.raw


@frozen(kw_only=True)
class AgentRef:
    """An agent and how to reach it."""

    transport: str
    target: str
    """What the transport needs: an id, a URL, ``module:function``."""
    name: str
    """The id that reports show."""
    title: str | None = None
    """Its name for people."""
    description: str | None = None
    path: Path | None = None
    """The agent's folder, if it has one."""
    root: Path | None = None
    """The application root, if there is one."""
    base: Path | None = None
    """What relative parts of ``target`` are relative to; None: the working directory."""
    connector: str | None = None
    function: Callable[..., object] | None = field(default=None, eq=id)
    """The agent itself, where Python code handed it over."""


@frozen(kw_only=True)
class Environment:
    """Who asks, and from where."""

    user_id: str = "test-user"
    team_id: str = "test-team"
    locale: str = "en-us"
    client_type: str = "test"
    client_ip: str = "127.0.0.1"
    referer: str = "test"
    accept: str = "standard"
    identity: str | None = None
    """Who decided user and team, where a transport cannot simply send them."""


@frozen(kw_only=True)
class Entry:
    """One case as a loader found it: a JSON value, or why there is none."""

    where: Where
    value: object = None
    problem: str | None = None
    """What is wrong, with the column where that helps."""
    mend: str | None = None
    """How to mend it."""


@frozen(kw_only=True)
class Suite:
    """A source of cases."""

    key: str
    """Its path from the working directory, with ``/``: what reports call it."""
    entries: Callable[[], Iterator[Entry]]
    """Reads the source anew each time: cases are read twice, and never held."""
    path: Path | None = None
    """The file, if it is one: agents are looked for upwards from it."""
    folder: Path | None = None
    """What relative paths in cases are relative to; None: the working directory."""
    message: str | None = None
    """The text of a direct message: no default report file is written for one."""


@frozen(kw_only=True)
class AgentClue:
    """What a resolver knows of a folder; None where it knows nothing."""

    id: str | None = None
    name: str | None = None
    description: str | None = None
    transport: str | None = None
    target: str | None = None
    connector: str | None = None
    root: Path | None = None
    """The application root."""
    source: str = ""
    """The file it was read from, for messages."""


JsonObject: TypeAlias = Mapping[str, Any]
