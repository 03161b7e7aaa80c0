"""Which agent a suite tests: what ``-n`` says, or the nearest folder upwards that is an agent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from assay.errors import ConfigError
from assay.model.case import AgentClue, AgentRef
from assay.roots import application_root
from assay.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_WORD = re.compile(r"([A-Za-z][A-Za-z0-9_-]+):(.*)", re.DOTALL)
"""``WORD:TARGET``; words have two letters or more, so that ``C:\\agent.py`` is none."""


def _unknown(_: str) -> None:
    """Know of no transport."""


def named_agent(
    name: str,
    *,
    transports: Sequence[str],
    default_transport: str,
    cwd: Path,
    why_missing: Callable[[str], str | None] = _unknown,
) -> AgentRef:
    """Read an agent in the form of ``-n``.

    Args:
        name: An id for the default transport, ``TRANSPORT:TARGET``, or a URL.
        transports: The words of the installed transports.
        default_transport: What an id is for.
        cwd: What a relative target is relative to.
        why_missing: Why a transport that is installed cannot be used; None when none has that
            name.

    Raises:
        ConfigError: It is empty, or names a transport that cannot be used, or a mistyped one.
    """
    if not name:
        raise ConfigError("-n: the agent's name is empty; write an id or TRANSPORT:TARGET")
    if name.startswith(("http://", "https://")):
        return AgentRef(transport="http", target=name, name=name, base=cwd)
    match = _WORD.fullmatch(name)
    if match:
        word, target = match.groups()
        if word in transports:
            return AgentRef(transport=word, target=target, name=name.rstrip(":"), base=cwd)
        why = why_missing(word)
        if why is not None:
            raise ConfigError(f"-n {name}: no transport {word!r}: {why}")
        close = did_you_mean(word, transports)
        if close is not None:
            raise ConfigError(f"-n {name}: no transport {word!r}; did you mean {close!r}?")
    return AgentRef(transport=default_transport, target=name, name=name, base=cwd)


def found_agent(
    start: Path,
    *,
    describe: Callable[[Path], Sequence[tuple[str, AgentClue]]],
    default_transport: str,
    transport: str | None = None,
) -> AgentRef | None:
    """Look for the nearest folder, from ``start`` upwards, that is an agent.

    Args:
        start: The folder to begin with.
        describe: Gives what the resolvers say of a folder, each with its plugin's word.
        default_transport: For an agent that names none.
        transport: Replaces what the folder says; its target is then the agent's id.

    Returns:
        The agent, or None when no folder is one.
    """
    for folder in (start, *start.parents):
        clues = [clue for _, clue in describe(folder)]
        if clues:
            return _agent_of(folder, merged(clues), default_transport, transport)
    return None


def merged(clues: Sequence[AgentClue]) -> AgentClue:
    """Put clues together, field by field; the first to give a field wins."""
    result = clues[0]
    for clue in clues[1:]:
        missing = {
            field.name: getattr(clue, field.name)
            for field in attrs.fields(AgentClue)
            if getattr(result, field.name) is None
        }
        result = attrs.evolve(result, **missing)
    return result


def _agent_of(
    folder: Path, clue: AgentClue, default_transport: str, transport: str | None
) -> AgentRef:
    agent_id = clue.id or folder.name
    swapped = transport is not None and transport != clue.transport
    # An empty target is one that was written: a transport may need none.
    target = agent_id if swapped or clue.target is None else clue.target
    return AgentRef(
        transport=transport or clue.transport or default_transport,
        target=target,
        name=agent_id,
        title=clue.name,
        description=clue.description,
        path=folder,
        root=clue.root or application_root(folder),
        base=folder,
        connector=clue.connector,
    )
