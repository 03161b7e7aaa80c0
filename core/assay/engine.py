"""A whole run: open, ask, check, journal, report."""

from __future__ import annotations

from contextlib import AsyncExitStack, closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from assay.account import Account, run_info
from assay.contracts import ExecutorContext, ReportContext
from assay.errors import ConfigError, RunError
from assay.journal.write import WRITING, Journal
from assay.outputs import outputs_of
from assay.publishing import publisher
from assay.reports.feed import Feed
from assay.reports.notes import Notes
from assay.running.local import Local
from assay.running.open_files import check_open_files
from assay.running.schedule import Schedule, from_the_start
from assay.running.work import SuiteSpec, Workshop
from assay.scripts.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from assay.cases.plan import PlannedSuite
    from assay.contracts import Executor, Transport
    from assay.model.case import AgentRef
    from assay.model.report import Report, RunInfo
    from assay.model.result import Attempt, CaseResult
    from assay.outputs import Outputs
    from assay.planning import Prepared
    from assay.reports.choose import Choice
    from assay.reports.installed import InstalledReporter
    from assay.running.patience import Patience
    from assay.running.stop import Stop
    from assay.surroundings import Surroundings


CHOOSE_SECONDS = 60.0
"""How long all reporters together may take to say whether they are on."""
WRITE_SECONDS = 60.0
"""How long a line may take: a disk may be slow, and so may who reads standard output."""


@define(eq=False)
class Run:
    """One run of a plan."""

    prepared: Prepared
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
        self.prepared.equipment.check(
            [self._folder(planned) for planned in self.prepared.plan.suites]
        )
        with self.around.watch.stage("asking the reporters", CHOOSE_SECONDS, blocks=True):
            outputs = outputs_of(self.prepared, self.around)
        choice = outputs.choice
        reports = publisher(self.prepared, self.around, self.stop, choice)
        scripts = Pool(
            self.prepared.assembly.engines_made,
            tell=self.around.tell if self.prepared.settings.verbose else None,
        )
        parallel = self.prepared.settings.parallel
        check_open_files(
            parallel, agents=len({planned.agent for planned in self.prepared.plan.suites})
        )
        shop = Workshop(
            self._specs(),
            partial(self._transport, outputs),
            scripts,
            parallel,
            reports.agents,
            watch=self.around.watch,
            told=self.around.tell,
        )
        async with AsyncExitStack() as stack:
            with self.stop.before_any_case():
                workshop = await stack.enter_async_context(shop)
            executor = self._executor(workshop)
            masker = self.prepared.equipment.masker()
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
                with closing(self._feed(outputs.streams, started)) as feed:
                    account = Account()
                    with self._rescued(choice, journal, feed, account, info):
                        feed.start(started)
                        await self._attempts(executor, journal, feed, account, self._notes(started))
                        summary = account.summary(info, self.stop)
                        feed.finish(journal.finish(summary, account.exit_code(self.stop)))
                        return await reports.publish(workshop, journal, feed)

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
                sources=self.prepared.equipment.home.sources(self._folder(planned)),
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

    def _transport(self, outputs: Outputs, agent: AgentRef, number: int) -> Transport:
        folder = self._folder(self.prepared.plan.suites[number])
        context = self.prepared.equipment.wrap_context(
            tell=self.around.tell,
            fail=self._fail,
            is_stopped=lambda: self.stop.reason is not None,
            use_of=outputs.use_of,
            is_local=self.prepared.settings.executor == Local.name,
            is_resumed=self.prepared.resumed is not None,
        )
        return self.prepared.equipment.transport(agent, folder, context)

    def _fail(self, message: str) -> None:
        self._undone.append(message)
        self.around.tell(message)

    def _executor(self, workshop: Workshop) -> Executor:
        settings = self.prepared.settings
        if settings.executor == Local.name:
            return Local(ExecutorContext(parallel=settings.parallel, worker=workshop, blueprint={}))
        from assay.remote import blueprint_of

        blueprint = blueprint_of(self.prepared.plan, self.prepared.equipment, settings.parallel)
        return self.prepared.equipment.executor(
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
        reporter, around = self.prepared.equipment.reporter, self.around
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
            equipment=self.prepared.equipment,
            around=self.around,
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
            lost = None if resumed.errors_only else resumed.lost
            if self.prepared.settings.fail_fast and lost is not None:
                # It stopped there, or was about to.
                self.stop.fail_fast(lost)
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

    def _tell_warnings(self) -> None:
        for warning in (*self.prepared.warnings, *self.prepared.equipment.warnings):
            self.around.tell(f"warning: {warning}")
        plan = self.prepared.plan
        if plan.total == 0:
            shard = self.prepared.settings.shard
            self.around.tell(f"note: --shard {shard}: no case falls into it")
