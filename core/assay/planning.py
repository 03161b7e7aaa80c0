"""From what a user asks for to a plan: everything that can be wrong is found here."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from attrs import define, evolve, field, frozen

from assay.agents import found_agent
from assay.assembly import Assembly
from assay.cases.attachments import Attachments
from assay.cases.plan import Plan, PlannedSuite, check_worth
from assay.cases.scan import Faults, scan
from assay.cases.select import Selection
from assay.cases.shorthand import assertion_of
from assay.cases.sources import find_suites
from assay.equipment import Equipment, SettingsHome
from assay.errors import ConfigError
from assay.model.case import AgentRef
from assay.roots import application_root
from assay.settings.faults import config_error
from assay.settings.files import SettingsFiles
from assay.settings.layers import run_settings, suite_settings, unknown_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.cases.spool import Spool
    from assay.discovery.manager import Plugins
    from assay.model.case import AgentClue, Case, Suite
    from assay.recovery.resumed import Resumed
    from assay.settings.layers import RunSettings, SuiteSettings
    from assay.settings.sections import SettingsFile


@frozen(kw_only=True)
class Invocation:
    """What a user asks for, from the command line or from Python."""

    plugins: Plugins
    given: Mapping[str, object]
    """Settings by the names of the table in ``assay.settings``."""
    cases: Sequence[Iterable[Mapping[str, object]]] = ()
    """Cases handed over from Python, beside what ``inputs`` name."""
    function: Callable[..., object] | None = None
    """An agent handed over from Python."""
    cwd: Path
    environ: Mapping[str, str]
    stdin: Callable[[], IO[bytes]]


@frozen(kw_only=True)
class Prepared:
    """A plan, and what was found on the way to it."""

    plan: Plan
    settings: RunSettings
    equipment: Equipment
    assembly: Assembly
    warnings: tuple[str, ...]
    resumed: Resumed | None = None
    """What holds of an earlier run that goes on."""


def settings_of(invocation: Invocation) -> RunSettings:
    """Give what holds for the whole run, before any case is looked at.

    Raises:
        ConfigError: With every value that is wrong.
    """
    return _settings(invocation, SettingsFiles(invocation.cwd).above(invocation.cwd))


def prepare(invocation: Invocation, spool: Spool) -> Prepared:
    """Find all suites, agents and faults. No agent is asked.

    Raises:
        ConfigError: With every fault of every case file, or the first other fault.
        RunError: A plugin failed that would change what is tested.
    """
    files = SettingsFiles(invocation.cwd)
    above = files.above(invocation.cwd)
    settings = _settings(invocation, above)
    home = SettingsHome(
        sets=settings.sets, environ=invocation.environ, files=files, cwd=invocation.cwd
    )
    equipment = Equipment(invocation.plugins, home)
    return _Planner(invocation, spool, settings, equipment, Assembly(equipment)).prepare()


def _settings(invocation: Invocation, above: Sequence[SettingsFile]) -> RunSettings:
    """Read the settings of the run; what is wrong with those of suites is told with theirs."""
    given, environ = invocation.given, invocation.environ
    try:
        settings = run_settings(given, environ, above)
    except ConfigError as error:
        told = [line for line in (error.message, *error.details) if line]
        try:
            suite_settings(given, environ, above)
        except ConfigError as other:
            told += [line for line in (other.message, *other.details) if line]
        raise config_error(tuple(dict.fromkeys(told))) from error
    return settings


@define(eq=False)
class _Planner:
    invocation: Invocation
    spool: Spool
    run: RunSettings
    equipment: Equipment
    assembly: Assembly
    resumed: Resumed | None = field(default=None, init=False)
    faults: Faults = field(factory=Faults, init=False)
    _described: dict[Path, Sequence[tuple[str, AgentClue]]] = field(
        factory=dict["Path", "Sequence[tuple[str, AgentClue]]"], init=False
    )

    def prepare(self) -> Prepared:
        planned: list[PlannedSuite] = []
        first = 0
        self.resumed = self._resumed()
        for suite in self._suites():
            found = self._plan(suite, len(planned), first)
            planned.append(found)
            first += found.scan.matching
        if self.faults.faults:
            warnings = [f"warning: {warning}" for warning in self.faults.warnings()]
            raise ConfigError(self.faults.heading(), [*self.faults.lines(), *warnings])
        plan = Plan(suites=tuple(planned))
        check_worth(plan, planned[0].selection)
        if self.resumed is not None:
            self.resumed.check([each.suite.key for each in planned], self.invocation.cwd)
        return Prepared(
            plan=plan,
            settings=self.run,
            equipment=self.equipment,
            assembly=self.assembly,
            warnings=(*self.faults.warnings(), *unknown_variables(self.invocation.environ)),
            resumed=self.resumed,
        )

    def _resumed(self) -> Resumed | None:
        """Read the earlier run that goes on, if one does."""
        run = self.run
        if run.resume is None and run.retry_errors is None:
            return None
        if run.resume is not None and run.retry_errors is not None:
            raise ConfigError("--resume and --retry-errors exclude each other; use one")
        from assay.recovery.previous import read_previous
        from assay.recovery.resumed import Resumed

        flag = "--resume" if run.resume is not None else "--retry-errors"
        name = run.resume or run.retry_errors or ""
        label = f"{run.origins[flag[2:].replace('-', '_')]} {name}"
        previous = read_previous(self.invocation.cwd / name, name, label)
        if previous is None:
            return None
        return Resumed(previous, label, errors_only=run.retry_errors is not None)

    def _suites(self) -> list[Suite]:
        call = self.invocation
        plugins = call.plugins
        words = plugins.words("assertion")
        suites = find_suites(
            [*self.run.inputs, *call.cases],
            loaders=[loader() for loader in plugins.loaders()],
            cwd=call.cwd,
            stdin=lambda: self.spool.stdin(call.stdin),
            spool=self.spool,
            assertions=[
                assertion_of(text, words=words, assertion=plugins.assertion)
                for text in self.run.asserts
            ],
        )
        if not suites:
            raise ConfigError(
                "there is no input; write -i with a case file, a folder, - or a message"
            )
        return suites

    def _plan(self, suite: Suite, number: int, first: int) -> PlannedSuite:
        call = self.invocation
        folder = suite.folder or call.cwd
        above = self.equipment.home.files.above(folder)
        settings = suite_settings(call.given, call.environ, above)
        agent = self._agent(suite, folder, settings)
        needs = self.assembly.needs(folder, agent, settings)
        attachments = Attachments(lambda: self.assembly.files(folder, agent, settings))
        reader = self.assembly.reader(settings)
        selection = self._selection(folder)
        resumed = self.resumed
        found = None
        if resumed is not None:
            gate = settings.min_pass_rate
            found = resumed.suite(suite, agent, settings.runs, gate, first)
        return PlannedSuite(
            number=number,
            first=first,
            suite=suite,
            agent=agent,
            settings=settings,
            scan=scan(suite, reader, needs, attachments, selection, self.faults, found),
            needs=needs,
            reader=reader,
            selection=selection,
        )

    def _agent(self, suite: Suite, folder: Path, settings: SuiteSettings) -> AgentRef:
        function = self.invocation.function
        if function is not None:
            name = getattr(function, "__name__", type(function).__name__)
            return AgentRef(transport="python", target="", name=name, function=function)
        found = found_agent(
            folder,
            describe=self._describe,
            default_transport=settings.transport_override or settings.transport,
            transport=settings.transport_override,
        )
        if settings.agent is not None:
            named = self.assembly.named(settings.agent, settings)
            if found is not None and found.name == settings.agent == named.target:
                # The folder of the agent that is named: it tells what the report's head shows.
                return evolve(
                    named,
                    title=found.title,
                    description=found.description,
                    path=found.path,
                    root=found.root,
                    connector=found.connector,
                )
            return evolve(named, root=application_root(folder))
        if found is None:
            raise ConfigError(
                f"{suite.key}: no agent: no folder from {folder} upwards holds package.yao, or an"
                " assay.toml with [agent]; name the agent with -n"
            )
        return found

    def _describe(self, folder: Path) -> Sequence[tuple[str, AgentClue]]:
        """Ask what a folder is, once per folder."""
        if folder not in self._described:
            self._described[folder] = self.invocation.plugins.describe_folder(folder)
        return self._described[folder]

    def _selection(self, folder: Path) -> Selection:
        plugins = self.invocation.plugins

        def chain(cases: Iterator[Case]) -> Iterator[Case]:
            return plugins.select(cases, lambda word: self.equipment.plain("select", word, folder))

        return Selection(
            run=self.run.run_pattern,
            tags=self.run.tags,
            shard=self.run.shard,
            chain=chain if plugins.words("select") else None,
        )
