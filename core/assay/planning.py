"""From what a user asks for to a plan: everything that can be wrong is found here."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from assay.agents import application_root, found_agent, named_agent
from assay.cases.needs import Needs
from assay.cases.plan import Plan, PlannedSuite, check_worth
from assay.cases.scan import Faults, scan
from assay.cases.select import Selection
from assay.cases.shorthand import assertion_of
from assay.cases.sources import find_suites
from assay.cases.spool import Spool
from assay.codec.cases import CaseReader
from assay.codec.checks import make_check_reader
from assay.codec.converter import make_structurer
from assay.equipment import Equipment, SettingsHome
from assay.errors import ConfigError
from assay.model.case import AgentRef
from assay.scripts.find import find as find_script
from assay.settings.files import SettingsFiles
from assay.settings.layers import run_settings, suite_settings, unknown_variables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.cases.scan import Scan
    from assay.codec.checks import CheckReader
    from assay.contracts import ScriptEngine
    from assay.discovery.manager import Plugins
    from assay.model.case import Case, Suite
    from assay.scripts.find import Found
    from assay.settings.layers import RunSettings, SuiteSettings


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
    engines: Sequence[ScriptEngine]
    warnings: tuple[str, ...]


def prepare(invocation: Invocation, spool: Spool) -> Prepared:
    """Find all suites, agents and faults. No agent is asked.

    Raises:
        ConfigError: With every fault of every case file, or the first other fault.
        RunError: A plugin failed that would change what is tested.
    """
    return _Planner(invocation, spool).prepare()


@define
class _Planner:
    invocation: Invocation
    spool: Spool
    files: SettingsFiles = field(init=False)
    run: RunSettings = field(init=False)
    equipment: Equipment = field(init=False)
    engines: Sequence[ScriptEngine] = field(init=False)
    checks: CheckReader = field(init=False)

    def prepare(self) -> Prepared:
        call = self.invocation
        plugins = call.plugins
        self.files = SettingsFiles(call.cwd)
        self.run = run_settings(call.given, call.environ, self.files.above(call.cwd))
        home = SettingsHome(
            sets=self.run.sets, environ=call.environ, files=self.files, cwd=call.cwd
        )
        self.equipment = Equipment(plugins, home)
        self.engines = []
        self.checks = make_check_reader(
            make_structurer(), lambda: plugins.words("assertion"), plugins.assertion
        )
        suites = self._suites()
        faults = Faults()
        planned: list[PlannedSuite] = []
        first = 0
        for suite in suites:
            found = self._plan(suite, len(planned), first, faults)
            planned.append(found)
            first += found.scan.selected
        if faults.faults:
            raise ConfigError("", faults.lines())
        plan = Plan(suites=tuple(planned))
        check_worth(plan, planned[0].selection)
        return Prepared(
            plan=plan,
            settings=self.run,
            equipment=self.equipment,
            engines=self.engines,
            warnings=(*faults.warnings(), *unknown_variables(call.environ)),
        )

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

    def _plan(self, suite: Suite, number: int, first: int, faults: Faults) -> PlannedSuite:
        folder = suite.folder or self.invocation.cwd
        settings = suite_settings(
            self.invocation.given, self.invocation.environ, self.files.above(folder)
        )
        agent = self._agent(suite, folder, settings)
        needs = Needs(
            folder=folder,
            find_script=lambda reference: self._script(reference, folder, agent),
            find_agent=lambda reference: self._named(reference, settings),
        )
        reader = CaseReader(self.checks, settings.strict)
        selection = self._selection(folder)
        found: Scan = scan(suite, reader, needs, selection, faults)
        return PlannedSuite(
            number=number,
            first=first,
            suite=suite,
            agent=agent,
            settings=settings,
            scan=found,
            needs=needs,
            reader=reader,
            selection=selection,
        )

    def _agent(self, suite: Suite, folder: Path, settings: SuiteSettings) -> AgentRef:
        function = self.invocation.function
        if function is not None:
            name = getattr(function, "__name__", type(function).__name__)
            return AgentRef(transport="python", target="", name=name, function=function)
        default = settings.transport_override or settings.transport
        describe = self.invocation.plugins.describe_folder
        found = found_agent(
            folder,
            describe=describe,
            default_transport=default,
            transport=settings.transport_override,
        )
        if settings.agent is not None:
            named = self._named(settings.agent, settings)
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

    def _named(self, name: str, settings: SuiteSettings) -> AgentRef:
        return named_agent(
            name,
            transports=self.invocation.plugins.words("transport"),
            default_transport=settings.transport_override or settings.transport,
            cwd=self.invocation.cwd,
        )

    def _script(self, reference: str, folder: Path, agent: AgentRef) -> Found:
        if not self.engines:
            self.engines = [
                self._engine(engine) for engine in self.invocation.plugins.engines()
            ]
        return find_script(
            reference,
            case_folder=folder,
            agent_folder=agent.path,
            root=agent.root or application_root(folder),
            cwd=self.invocation.cwd,
            engines=self.engines,
        )

    def _engine(self, cls: Any) -> ScriptEngine:
        engine: ScriptEngine = cls(self.equipment.settings("script", cls.name, cls))
        return engine

    def _selection(self, folder: Path) -> Selection:
        plugins = self.invocation.plugins

        def chain(cases: Iterator[Case]) -> Iterator[Case]:
            return plugins.select(
                cases, lambda word: self.equipment.plain("select", word, folder)
            )

        return Selection(
            run=self.run.run_pattern,
            tags=self.run.tags,
            chain=chain if plugins.words("select") else None,
        )
