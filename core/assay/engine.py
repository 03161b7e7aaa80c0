"""A whole run: open, ask, check, journal, report."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, closing, contextmanager
from datetime import datetime
from typing import IO, TYPE_CHECKING

from attrs import define, evolve, field, frozen

from assay.account import Account, run_info
from assay.contracts import ExecutorContext, ReportContext
from assay.errors import AssayError, ConfigError, RunError
from assay.journal.file import Place
from assay.journal.write import WRITING, Journal
from assay.process import allow_open_files
from assay.reports.choose import Chooser
from assay.reports.feed import Feed, wanted
from assay.reports.installed import installed_reporters
from assay.reports.notes import Notes
from assay.reports.pages import write_pages
from assay.running.local import Local
from assay.running.request import environment_of
from assay.running.schedule import Schedule, from_the_start
from assay.running.watch import Watch
from assay.running.work import SuiteSpec, Workshop
from assay.scripts.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from pathlib import Path

    from assay.cases.plan import PlannedSuite
    from assay.contracts import Executor, Transport
    from assay.equipment import Equipment
    from assay.model.case import AgentRef
    from assay.model.report import Report, RunInfo
    from assay.model.result import Attempt, CaseResult
    from assay.planning import Prepared
    from assay.reports.agent import Author, Authored
    from assay.reports.choose import Choice
    from assay.reports.installed import InstalledReporter
    from assay.running.patience import Patience
    from assay.running.stop import Stop
    from assay.running.watchdog import Watchdog


CHOOSE_SECONDS = 60.0
"""How long all reporters together may take to say whether they are on."""
WRITE_SECONDS = 60.0
"""How long a line may take: a disk may be slow, and so may who reads standard output."""

_OTHER_FILES = 64
"""Open files beside those of requests: reports, workers of scripts, the terminal."""


@frozen(kw_only=True)
class Surroundings:
    """Where a run takes place."""

    cwd: Path
    environ: Mapping[str, str]
    stdout: IO[str]
    """For results alone."""
    stderr: IO[str]
    animated: bool = False
    color: bool = False
    command: str | None = None
    """The command that repeats the run."""
    is_shown: bool = True
    """Whether reporters that are on by themselves show the run."""
    has_default_file: bool = True
    """Whether results go to a file although no ``-o`` names one."""
    tell: Callable[[str], None]
    """Tells in one sentence what a user should know and the run survives."""
    watch: Watch = field(factory=Watch)
    """Told of what is under way."""
    watchdog: Watchdog | None = None
    """Ends the process when a stage does not end; None: the process is not ours."""


@define(eq=False)
class Run:
    """One run of a plan."""

    prepared: Prepared
    equipment: Equipment
    around: Surroundings
    stop: Stop
    _undone: list[str] = field(factory=list[str], init=False)
    """What wraps could not do although it was asked for."""

    async def carry_out(self) -> Report:
        """Run, write all reports, and give the run.

        Raises:
            ConfigError: An agent does not exist, a setting is wrong, a source changed, or
                ``--parallel`` is more than the system allows.
            RunError: An agent cannot be reached, or something could not be written.
        """
        report = await self._carry_out()
        if self._undone:
            # Not before: some of it comes up only when transports are closed.
            raise RunError(f"the run is over, but for this: {self._undone[0]}")
        return report

    async def _carry_out(self) -> Report:
        # Before any agent is reached: without a plugin that is missing it would be another run.
        self.equipment.check([self._folder(planned) for planned in self.prepared.plan.suites])
        with self.around.watch.stage("asking the reporters", CHOOSE_SECONDS, blocks=True):
            choice, streams = self._choose()
        for page in choice.pages:
            # What is wrong with them is told before any agent is asked, not after the run.
            self.equipment.reporter(page.reporter)
        scripts = Pool(
            self.prepared.assembly.engines_made,
            tell=self.around.tell if self.prepared.settings.verbose else None,
        )
        parallel = self.prepared.settings.parallel
        _check_open_files(parallel)
        author = self._author(choice)
        others = () if author is None else (author.ref,)
        shop = Workshop(
            self._specs(),
            self._transport,
            scripts,
            parallel,
            others,
            watch=self.around.watch,
            told=self.around.tell,
        )
        async with AsyncExitStack() as stack:
            with self.stop.before_any_case():
                workshop = await stack.enter_async_context(shop)
            executor = self._executor(workshop)
            masker = self.equipment.masker()
            self._tell_warnings()
            with Journal(
                choice.journal,
                masker=masker,
                suites=choice.suites,
                live=[self.around.stdout] if choice.is_live else [],
                told=self.around.tell,
            ) as journal:
                info = run_info(self.prepared, workshop, self.around.command)
                started = journal.start(self._continued(info))
                self._go_on(started)
                with closing(self._feed(streams, started)) as feed:
                    account = Account()
                    with self._rescued(choice, journal, feed, account, info):
                        feed.start(started)
                        await self._attempts(executor, journal, feed, account, self._notes(started))
                        summary = account.summary(info, self.stop)
                        feed.finish(journal.finish(summary, account.exit_code(self.stop)))
                        text = await self._authored(author, workshop, journal)
                        return self._write(choice, journal, feed, author, text)

    def _choose(self) -> tuple[Choice, list[InstalledReporter]]:
        settings = self.prepared.settings
        plugins = self.equipment.plugins
        installed = installed_reporters(plugins)
        chooser = Chooser(
            installed=installed,
            cwd=self.around.cwd,
            why_missing=lambda word: plugins.why_missing("reporter", word),
        )
        into = self._into()
        choice = chooser.choose(
            [name for name in settings.outputs if not self._is_at(name, into)],
            settings.reporter,
            suites=[planned.suite for planned in self.prepared.plan.suites],
            now=datetime.now() if self.around.has_default_file else None,
            is_live=settings.json,
            into=into,
        )
        # The answer to a message stands alone; what is wrong with it is told beside it.
        is_shown = self.around.is_shown and not self.prepared.plan.is_message
        on = wanted(installed, self.around.environ, self.around.tell) if is_shown else ()
        return choice, list(dict.fromkeys([*on, *choice.streams]))

    def _into(self) -> Place | None:
        """Give the journal of an earlier run that goes on."""
        settings, resumed = self.prepared.settings, self.prepared.resumed
        name = settings.resume or settings.retry_errors
        if name is None:
            return None
        if resumed is None:
            return Place(self.around.cwd / name)
        return Place(resumed.previous.path, "instead")

    def _is_at(self, name: str, into: Place | None) -> bool:
        """Whether an output is the file that goes on, which is written anyway."""
        cwd, settings = self.around.cwd, self.prepared.settings
        if into is None or os.path.realpath(cwd / name) != os.path.realpath(into.path):
            return False
        if settings.reporter is not None and name == settings.outputs[0]:
            raise ConfigError(
                f"-o {name}: the run goes on in this file, so that -r {settings.reporter} cannot"
                " write it; name another file first"
            )
        return True

    def _continued(self, info: RunInfo) -> RunInfo:
        resumed = self.prepared.resumed
        return (
            info if resumed is None else evolve(info, started_at=resumed.previous.info.started_at)
        )

    def _go_on(self, info: RunInfo) -> None:
        """See that an earlier run that goes on is the same, and tell what holds of it."""
        resumed = self.prepared.resumed
        if resumed is not None:
            from assay.recovery.agree import check_agreement

            if not resumed.previous.is_as_read():
                raise ConfigError(
                    f"{resumed.label}: it was written to since it was read; try again"
                )
            check_agreement(resumed.previous.info, info, resumed.label)
            if not self.prepared.settings.quiet:
                self.around.tell(resumed.standing(info.total_cases))
            for remark in resumed.remarks():
                self.around.tell(remark)

    def _specs(self) -> list[SuiteSpec]:
        return [
            SuiteSpec(
                key=planned.suite.key,
                agent=planned.agent,
                settings=planned.settings,
                sources=self.equipment.home.sources(self._folder(planned)),
                reader=planned.reader,
                needs=planned.needs,
                files=self.prepared.assembly.files(
                    self._folder(planned), planned.agent, planned.settings
                ),
            )
            for planned in self.prepared.plan.suites
        ]

    def _folder(self, planned: PlannedSuite) -> Path:
        return planned.suite.folder or self.around.cwd

    def _transport(self, agent: AgentRef, number: int) -> Transport:
        folder = self._folder(self.prepared.plan.suites[number])
        context = self.equipment.wrap_context(
            tell=self.around.tell,
            fail=self._fail,
            is_stopped=lambda: self.stop.reason is not None,
            is_local=self.prepared.settings.executor == Local.name,
            is_resumed=self.prepared.resumed is not None,
        )
        return self.equipment.transport(agent, folder, context)

    def _fail(self, message: str) -> None:
        self._undone.append(message)
        self.around.tell(message)

    def _executor(self, workshop: Workshop) -> Executor:
        settings = self.prepared.settings
        if settings.executor == Local.name:
            return Local(ExecutorContext(parallel=settings.parallel, worker=workshop, blueprint={}))
        from assay.remote import blueprint_of

        blueprint = blueprint_of(self.prepared.plan, self.equipment, settings.parallel)
        return self.equipment.executor(
            settings.executor,
            ExecutorContext(parallel=settings.parallel, worker=workshop, blueprint=blueprint),
        )

    def _feed(self, streams: Sequence[InstalledReporter], info: RunInfo) -> Feed:
        settings = self.prepared.settings
        context = ReportContext(
            info=info,
            verbose=settings.verbose,
            quiet=settings.quiet,
            environ=self.around.environ,
            stderr=self.around.stderr,
            animated=self.around.animated,
            color=self.around.color,
        )
        reporter, around = self.equipment.reporter, self.around
        return Feed(streams, context, reporter, around.tell, around.watch)

    @contextmanager
    def _rescued(
        self, choice: Choice, journal: Journal, feed: Feed, account: Account, info: RunInfo
    ) -> Generator[None]:
        """Let a watchdog write the reports if the run itself cannot."""
        if self.around.watchdog is None:
            yield
            return
        from assay.rescue import Rescue

        self.around.watchdog.rescue = Rescue(
            choice=choice,
            journal=journal,
            feed=feed,
            account=account,
            info=info,
            stop=self.stop,
            equipment=self.equipment,
            around=self.around,
            shown=self._shown,
        )
        try:
            yield
        finally:
            # All that can be written is.
            self.around.watchdog.rescue = None

    def _notes(self, info: RunInfo) -> Notes:
        is_quiet = self.prepared.settings.quiet
        notes = Notes((lambda note: None) if is_quiet else self.around.tell)
        if self.prepared.plan.is_message:
            # The reporter that heads a run with them is off then.
            notes.start(info)
        return notes

    async def _attempts(
        self, executor: Executor, journal: Journal, feed: Feed, account: Account, notes: Notes
    ) -> None:
        watch = self.around.watch

        def on_attempt(known: CaseResult, attempt: Attempt) -> None:
            with watch.stage(WRITING, WRITE_SECONDS, blocks=True):
                written = journal.attempt(known, attempt)
            feed.attempt(known, written)

        def on_result(result: CaseResult) -> None:
            account.add(result)
            with watch.stage(WRITING, WRITE_SECONDS, blocks=True):
                written = journal.result(result)
            feed.result(written)
            notes.result(written)

        resumed = self.prepared.resumed
        if resumed is not None:
            from assay.recovery.carry_over import carry_over

            await carry_over(resumed, on_attempt, on_result)
            # Until here the file of the earlier run stands as it was.
            journal.take_place()
            is_lost = resumed.lost is not None and not resumed.errors_only
            if self.prepared.settings.fail_fast and is_lost:
                # It stopped there, or was about to.
                self.stop.ask(f"stopped by --fail-fast after {resumed.lost}")
        schedule = Schedule(
            plan=self.prepared.plan,
            executor=executor,
            stop=self.stop,
            fail_fast=self.prepared.settings.fail_fast,
            on_attempt=on_attempt,
            on_result=on_result,
            begin=from_the_start if resumed is None else resumed.begin,
            watch=watch,
            patience=self._patience(),
        )
        await schedule.run()

    def _patience(self) -> Patience | None:
        settings = self.prepared.settings
        if settings.executor == Local.name:
            return None
        from assay.running.patience import Patience

        return Patience(settings.executor, settings.parallel)

    def _author(self, choice: Choice) -> Author | None:
        """Find the agent that is to write a report, before any case runs."""
        if choice.agent is None:
            return None
        from assay.reports.agent import Author

        planned = self.prepared.plan.suites[0]
        return Author(
            page=choice.agent,
            ref=self.prepared.assembly.named(choice.agent.agent, planned.settings),
            json_reporter=self.equipment.plugins.reporter("json"),
            seconds=planned.settings.timeout,
            environment=environment_of(planned.settings),
            verbose=self.prepared.settings.verbose,
        )

    async def _authored(
        self, author: Author | None, workshop: Workshop, journal: Journal
    ) -> Authored:
        """Let an agent write a report; gives its text, or why there is none."""
        if author is None:
            return ""
        if self.stop.exit_code is not None:
            agent = author.page.agent
            return RunError(f"reporter agent {agent!r} was not asked: {self.stop.reason}")
        try:
            asker = await workshop.asker(author.ref)
            limit = author.seconds + self.prepared.plan.suites[0].settings.max_wait
            with self.around.watch.stage(f"reporter agent {author.page.agent!r}", limit):
                return await author.write(asker, journal.report())
        except AssayError as error:
            return error

    def _write(
        self, choice: Choice, journal: Journal, feed: Feed, author: Author | None, text: Authored
    ) -> Report:
        report = journal.report()
        masker = self.equipment.masker()
        redact = masker.text if masker is not None else str
        written = write_pages(
            choice.pages,
            report,
            settings=self.equipment.reporter,
            redact=redact,
            stdout=self.around.stdout,
            watch=self.around.watch,
        )
        paths, problems = list(written.paths), list(written.problems)
        if author is not None:
            try:
                author.put(text, redact=redact, stdout=self.around.stdout)
                paths += [author.page.name] if author.page.path is not None else []
            except AssayError as error:
                paths.append(self._shown(author.keep_lines(journal.path)))
                problems.append(f"{error}; {paths[-1]} holds the results")
        for problem in problems:
            self.around.tell(problem)
        feed.written([*(self._shown(path) for path in journal.paths), *paths])
        if not problems:
            return report
        journal.close(keep=bool(written.problems))
        if written.problems:
            raise RunError(f"not all reports could be written; {journal.path} holds the results")
        raise RunError("the report of the reporter agent could not be written")

    def _shown(self, path: Path) -> str:
        cwd = self.around.cwd
        return str(path.relative_to(cwd)) if path.is_relative_to(cwd) else str(path)

    def _tell_warnings(self) -> None:
        for warning in (*self.prepared.warnings, *self.equipment.warnings):
            self.around.tell(f"warning: {warning}")
        plan = self.prepared.plan
        if plan.total == 0:
            shard = self.prepared.settings.shard
            self.around.tell(f"note: --shard {shard}: no case falls into it")


def _check_open_files(parallel: int) -> None:
    """See that there can be as many connections as requests at a time.

    Raises:
        ConfigError: The system does not allow it.
    """
    needed = parallel + _OTHER_FILES
    # More than is needed, for transports and scripts that use several files at a time.
    allowed = allow_open_files(8 * parallel + 4 * _OTHER_FILES)
    if allowed is not None and allowed < needed:
        raise ConfigError(
            f"--parallel {parallel}: it needs {needed} open files at least, and the system allows"
            f" {allowed}; lower it, or raise the limit (ulimit -n)"
        )
