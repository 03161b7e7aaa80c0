"""The first lines of a run on a terminal: what is tested with what."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from assay_plugins.reporters._facts import agent_phrase, amount, replay_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay import RunInfo, SuiteInfo
    from assay_plugins.reporters.terminal.text import Look

_SUITES: Final = 10
"""Suites that are named."""


def heading(info: RunInfo, look: Look) -> list[str]:
    """Say what will run."""
    suites = info.suites
    first = f"assay {info.version}".rstrip()
    if len(suites) == 1:
        agent = suites[0].agent
        first += f" {look.marks.dot} {agent_phrase(agent.name, info.connector)}"
        if agent.title and agent.title != agent.name:
            first += f" {look.marks.dot} {agent.title}"
    name = look.line(first, look.width)
    lines = [look.paint(name, "bold"), look.clip(_scope(info, look), look.width)]
    if len(suites) > 1:
        lines += [look.line(_suite(suite), look.width) for suite in suites[:_SUITES]]
    if len(suites) > _SUITES:
        lines.append(f"  {look.marks.more} and {amount(len(suites) - _SUITES, 'other suite')}")
    replayed = replay_phrase(info)
    notes = [] if replayed is None else [f"answers are {replayed}"]
    notes += _notes(suites)
    lines += [look.paint(look.line(note, look.width), "yellow") for note in notes]
    return lines


def _scope(info: RunInfo, look: Look) -> str:
    words = amount(info.total_cases, "case")
    runs = info.runs_per_case
    if runs is None:
        words += ", some of them several times"
    elif runs > 1:
        words += f" {look.marks.times} {runs} runs"
    if len(info.suites) > 1:
        words += f" in {len(info.suites)} suites"
    if info.parallel > 1:
        words += f", {info.parallel} at a time"
    if info.shard is not None:
        words += f", part {look.line(info.shard, look.width)}"
    if info.deselected:
        words += f", {info.deselected} left out by filters"
    if len(info.suites) == 1:
        source = info.suites[0].file or info.suites[0].source
        if source:
            words += f" {look.marks.dot} {look.line(source, look.width)}"
    return words


def _suite(suite: SuiteInfo) -> str:
    agent = agent_phrase(suite.agent.name, suite.agent.connector)
    return f"  {suite.file or suite.source}: {amount(suite.total_cases, 'case')}, {agent}"


def _notes(suites: tuple[SuiteInfo, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for suite in suites:
        for note in suite.info.notes if suite.info is not None else ():
            if note not in seen:
                seen.add(note)
                yield f"note: {note}"
