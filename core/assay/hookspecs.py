"""All that a plugin can do.

Each spec says when it is asked, what becomes of several answers, and what an error does.

A plugin is a module (or an object) that an entry point of the group ``assay`` names; its
functions marked with ``assay.hookimpl`` answer the hooks below. Its entry point bears the name
``kind.word``, and only hooks of that kind are asked of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import click

    from assay.contracts import (
        AssertionType,
        Executor,
        Loader,
        PageReporter,
        ScriptEngine,
        StreamReporter,
        Transport,
        TransportType,
        WrapContext,
    )
    from assay.model.case import AgentClue, AgentRef, Case

PROJECT = "assay"
"""The name of the project for pluggy, and of the entry-point group."""

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def assay_loaders() -> Sequence[type[Loader]]:
    """Offer loaders (kind ``loader``).

    Asked once per run, when the inputs are read. All answers count; a source goes to the first
    loader, in the order of their names, that accepts it. An error takes the plugin out.

    Returns:
        Classes, made without arguments.
    """
    return ()


@hookspec
def assay_transports() -> Sequence[TransportType]:
    """Offer transports (kind ``transport``).

    Asked of a plugin when an agent names its word. An error takes the plugin out, and the run
    stops, since it needs it.

    Returns:
        Classes; ``-n WORD:TARGET`` and ``--transport WORD`` pick one by its ``name``.
    """
    return ()


@hookspec
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer assertion types (kind ``assertion``).

    Asked of a plugin when a case first names its word. An error takes the plugin out: a fault
    of each case that names it.

    Returns:
        Frozen attrs classes; ``"type"`` in a case picks one by its ``name``.
    """
    return ()


@hookspec
def assay_reporters() -> Sequence[type[PageReporter] | type[StreamReporter]]:
    """Offer reporters (kind ``reporter``).

    Asked once per run of all plugins of the kind, since each may want to be on by itself and
    lists the suffixes that it writes. An error takes the plugin out.

    Returns:
        Classes; a class with ``write`` writes a page after the run, one with ``result`` shows
        the run as it happens.
    """
    return ()


@hookspec
def assay_script_engines() -> Sequence[type[ScriptEngine]]:
    """Offer script engines (kind ``script``).

    Asked once per run that has a script to find. All answers count, in the order of names.
    An error takes the plugin out.

    Returns:
        Classes, one per language.
    """
    return ()


@hookspec
def assay_executors() -> Sequence[type[Executor]]:
    """Offer executors (kind ``executor``).

    Asked of a plugin when ``--executor`` names its word. An error takes the plugin out, and the
    run stops, since it needs it.

    Returns:
        Classes.
    """
    return ()


@hookspec
def assay_describe_folder(folder: Path) -> AgentClue | None:
    """Say what a folder is, if an agent lives in it (kind ``agent``).

    Core walks upwards from a case file, and asks of each folder once. In the nearest folder that
    anyone describes, the answers are merged, field by field; the first to give a field wins, in
    the order of the plugins' names. An error ends the run before any agent is asked, since it
    would change what is tested.

    Returns:
        What the plugin knows, or None when the folder says nothing to it.
    """
    return None


@hookspec
def assay_select_cases(cases: Iterator[Case], settings: Mapping[str, Any]) -> Iterator[Case]:
    """Leave cases out, or change their order (kind ``select``).

    Asked twice per suite, as cases are read twice, and must answer alike. Core hands one
    implementation's result to the next, in the order of names; ``--run`` and ``--tag`` come
    first. An error ends the run before any agent is asked.

    Args:
        cases: The cases of one suite, lazily.
        settings: What ``--set select.WORD.KEY=VALUE`` and ``[select.WORD]`` say.

    Returns:
        The cases to run, lazily.
    """
    return cases


@hookspec
def assay_wrap_transport(
    transport: Transport, agent: AgentRef, settings: Mapping[str, Any], context: WrapContext
) -> Transport:
    """Stand around a transport (kind ``wrap``): to record, to replay, to trace.

    Asked once per run and agent, with the transport unopened: the wrap opens it, or does not.
    Core hands one implementation's result to the next, in the order of names; deadlines, retries
    and pauses stand before the wraps. An error ends the run before any agent is asked.

    Args:
        transport: What would be used without this plugin.
        agent: The agent that it reaches.
        settings: What ``--set wrap.WORD.KEY=VALUE`` and ``[wrap.WORD]`` say.
        context: What a wrap may need of the run. Implementations may leave it out, as all
            arguments.

    Returns:
        A transport: the one handed in, to stand aside.
    """
    return transport


@hookspec
def assay_commands() -> Sequence[click.Command]:
    """Offer commands (kind ``command``).

    Asked of a plugin when its word is called, and of all for ``assay --help``. An error takes
    the plugin out.

    Returns:
        Click commands; the one whose ``name`` is the plugin's word is used.
    """
    return ()
