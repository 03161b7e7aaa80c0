"""assay from Python: the command line itself uses this."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

from attrs import frozen

from assay.cases.spool import Spool
from assay.discovery.manager import make_plugins
from assay.engine import Run
from assay.errors import ConfigError
from assay.planning import Invocation, prepare
from assay.reporting import file_names
from assay.reports.log import as_log
from assay.running.stop import Stop, signals
from assay.running.watch import Watch
from assay.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence

    from assay.discovery.manager import Plugins
    from assay.model.report import Report

Cases: TypeAlias = "Iterable[Mapping[str, object]]"

GRACE_SECONDS = 2.0
"""How long what ignores its cancellation may hold up the end of a run."""
LOAD_SECONDS = 86_400.0
"""How long the first reading of all cases may take: standard input may be written by hand."""


@frozen(kw_only=True)
class SuiteCheck:
    """A suite whose cases are without fault."""

    source: str
    agent_id: str
    transport: str
    cases: int
    """Selected cases, those that say ``skip`` included."""
    skipped: int
    unasserted: int


@frozen(kw_only=True)
class Checked:
    """What ``check`` found."""

    suites: tuple[SuiteCheck, ...]
    warnings: tuple[str, ...] = ()


def run(
    *inputs: str | Path | Cases,
    agent: str | Callable[..., object] | None = None,
    output: str | Path | Sequence[str | Path] = (),
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **settings: object,
) -> Report:
    """Run cases against an agent and wait for the report.

    Nothing is shown and no file is written without ``output``; standard output is not touched,
    unless ``json`` or a ``reporter`` without ``output`` asks for it.

    Args:
        inputs: Case files, folders, globs, a message; or cases as mappings, which may be a
            generator.
        agent: An id, ``TRANSPORT:TARGET``, or a function that takes a ``Request``; by default the
            nearest agent above the case file.
        output: Files to write, each in the format of its suffix.
        plugins: The plugins to use; by default all that are installed.
        cwd: What relative paths are relative to; by default the working directory.
        environ: The variables; by default those of the process.
        settings: The settings of ``assay test`` by name: ``runs``, ``parallel``, ``timeout`` (a
            duration like ``"30s"``, or seconds), ``fail_fast``, ``tags``, ``user``, ``sets`` …

    Returns:
        The report; its results are read from the run's journal each time they are iterated.

    Raises:
        ConfigError: Something that is asked for is wrong, or an event loop is running here; no
            agent was asked.
        RunError: The run could not be carried out, or a report could not be written.
    """
    if _is_in_loop():
        raise ConfigError(
            "assay.run waits for its run, and an event loop is running here: write"
            " await assay.run_async(…)"
        )
    invocation = _invocation(inputs, agent, output, plugins, cwd, environ, settings)
    stop = Stop()
    return drive(start(invocation, quiet_surroundings(invocation), stop), stop)


async def run_async(
    *inputs: str | Path | Cases,
    agent: str | Callable[..., object] | None = None,
    output: str | Path | Sequence[str | Path] = (),
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **settings: object,
) -> Report:
    """Run cases in the event loop that is running; otherwise like ``run``."""
    invocation = _invocation(inputs, agent, output, plugins, cwd, environ, settings)
    return await start(invocation, quiet_surroundings(invocation), Stop())


def check(
    *inputs: str | Path | Cases,
    agent: str | Callable[..., object] | None = None,
    plugins: Plugins | None = None,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    **settings: object,
) -> Checked:
    """Look for every fault of cases, without asking an agent.

    Args:
        inputs: As for ``run``.
        agent: As for ``run``.
        plugins: As for ``run``.
        cwd: As for ``run``.
        environ: As for ``run``.
        settings: As for ``run``.

    Raises:
        ConfigError: With every fault.
    """
    invocation = _invocation(inputs, agent, (), plugins, cwd, environ, settings)
    spool = Spool()
    try:
        prepared = prepare(invocation, spool)
    finally:
        spool.close()
    return Checked(
        suites=tuple(
            SuiteCheck(
                source=planned.suite.key,
                agent_id=planned.agent.name,
                transport=planned.agent.transport,
                cases=planned.scan.selected,
                skipped=planned.scan.skipped,
                unasserted=planned.scan.unasserted,
            )
            for planned in prepared.plan.suites
        ),
        warnings=prepared.warnings,
    )


def schema(plugins: Plugins | None = None) -> dict[str, object]:
    """Give the JSON Schema (2020-12) of a case line, with the installed assertion types.

    Args:
        plugins: Those to use; by default all that are installed.
    """
    from assay.codec.schema import case_schema

    plugins = plugins or make_plugins()
    found: dict[str, type] = {}
    for word in plugins.words("assertion"):
        try:
            found[word] = plugins.assertion(word)
        except ConfigError:
            # It is among the problems of the plugins; the others have a schema all the same.
            continue
    return case_schema(found)


async def start(invocation: Invocation, around: Surroundings, stop: Stop) -> Report:
    """Prepare a run and carry it out."""
    spool = Spool()
    try:
        with stop.at_once(), around.watch.stage("reading the cases", LOAD_SECONDS, blocks=True):
            prepared = prepare(invocation, spool)
        if prepared.settings.dry_run:
            raise ConfigError("dry_run: a run cannot be dry here; check() says what would run")
        return await Run(prepared, around, stop).carry_out()
    finally:
        spool.close()


def drive(
    main: Coroutine[object, object, Report], stop: Stop, watch: Watch | None = None
) -> Report:
    """Run a coroutine in a loop of its own, with signals that stop the run.

    Unlike ``asyncio.run`` it does not wait for ever for what ignores its cancellation.
    """
    loop = asyncio.new_event_loop()
    try:
        with signals(stop, loop, at_once=lambda: None):
            return loop.run_until_complete(main)
    finally:
        with (watch or Watch()).stage("ending what is left of the run", 2 * GRACE_SECONDS):
            _let_go(loop)


def quiet_surroundings(invocation: Invocation) -> Surroundings:
    """Surroundings in which nothing is shown and no default file is written."""
    return Surroundings(
        cwd=invocation.cwd,
        environ=invocation.environ,
        stdout=as_log(sys.stdout, invocation.environ),
        stderr=sys.stderr,
        is_shown=False,
        has_default_file=False,
        tell=lambda message: None,
    )


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _let_go(loop: asyncio.AbstractEventLoop) -> None:
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        _, ignoring = loop.run_until_complete(asyncio.wait(left, timeout=GRACE_SECONDS))
        if ignoring:
            # asyncio would complain of each on stderr; results say that it timed out.
            loop.set_exception_handler(lambda loop, context: None)
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


def _invocation(
    inputs: Sequence[object],
    agent: str | Callable[..., object] | None,
    output: str | Path | Sequence[str | Path],
    plugins: Plugins | None,
    cwd: Path | None,
    environ: Mapping[str, str] | None,
    settings: Mapping[str, object],
) -> Invocation:
    named = [str(given) for given in inputs if isinstance(given, (str, Path))]
    handed = [given for given in inputs if not isinstance(given, (str, Path))]
    given: dict[str, object] = dict(settings)
    given["inputs"] = named or None
    given["outputs"] = file_names(output) or None
    given["agent"] = agent if isinstance(agent, str) else None
    return Invocation(
        plugins=plugins or make_plugins(),
        given=given,
        cases=cast("list[Cases]", handed),
        function=None if isinstance(agent, str) else agent,
        cwd=cwd or Path.cwd(),
        environ=os.environ if environ is None else environ,
        stdin=_standard_input,
    )


def _standard_input() -> IO[bytes]:
    return sys.stdin.buffer
