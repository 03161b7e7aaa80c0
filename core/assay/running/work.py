"""Carrying tasks out: transports that are open, workers for scripts, and the suites' settings."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Self

from attrs import define, field, frozen

from assay.contracts import Done, Identifying, Task
from assay.errors import ConfigError
from assay.model.case import Entry, Where
from assay.running.ask import Asker
from assay.running.attempt import SuiteWork
from assay.running.limits import Limits
from assay.running.request import environment_of
from assay.running.transports import CLOSE_SECONDS, Transports
from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from assay.cases.needs import Needs
    from assay.codec.cases import CaseReader
    from assay.contracts import Pace, Transport
    from assay.model.case import AgentRef, Case, Environment
    from assay.model.exchange import AgentInfo
    from assay.model.files import FileAccess
    from assay.model.result import Attempt
    from assay.scripts.pool import Pool
    from assay.settings.gather import Sources
    from assay.settings.layers import SuiteSettings


@frozen(kw_only=True)
class SuiteSpec:
    """What a worker is told of a suite."""

    key: str
    agent: AgentRef
    settings: SuiteSettings
    sources: Sources
    """Where the settings of its plugins come from."""
    reader: CaseReader
    needs: Needs
    files: FileAccess
    """The files that its cases may attach."""

    def shares_transports(self, other: SuiteSpec) -> bool:
        """Whether a transport to the same agent would be made alike for both."""
        return self.settings == other.settings and self.sources == other.sources


def first_alike(specs: Sequence[SuiteSpec]) -> list[int]:
    """Give for each suite the number of the first with the same settings."""
    # Compared with those of the same files alone: with all, a thousand folders take a minute.
    found: dict[tuple[Path, ...], list[int]] = {}
    firsts: list[int] = []
    for number, spec in enumerate(specs):
        near = found.setdefault(tuple(file.path for file in spec.sources.files), [])
        first = next((at for at in near if specs[at].shares_transports(spec)), number)
        if first == number:
            near.append(number)
        firsts.append(first)
    return firsts


@define(eq=False)
class Workshop:
    """A worker, as an async context manager: it opens what attempts need, and closes it.

    Args:
        specs: The suites, in the order of the plan.
        make_transport: Makes an unopened transport for an agent, with the settings of the suite
            of that number.
        scripts: The workers of scripts; closed with the workshop.
        parallel: How many requests to one agent may be under way at most.
    """

    specs: Sequence[SuiteSpec]
    make_transport: Callable[[AgentRef, int], Transport]
    scripts: Pool
    parallel: int
    others: Sequence[AgentRef] = ()
    """Further agents to open, with the settings of the first suite."""
    pace: Pace | None = None
    """Keeps the limits of agents together with other workers; None: there are none."""
    masked: Callable[[Attempt], Attempt] | None = None
    """Replaces the secrets in use, where attempts leave this process."""
    watch: Watch = field(factory=Watch)
    """Told of what is under way."""
    told: Callable[[str], None] | None = None
    """Told in one sentence what went wrong at the end; None: nobody is."""
    _settings_of: list[int] = field(init=False)
    """For each suite the first with the same settings: agents of such suites share a transport."""
    _transports: Transports = field(init=False)
    _askers: dict[tuple[AgentRef, int], Asker] = field(
        factory=dict[tuple["AgentRef", int], Asker], init=False
    )
    _limits: dict[str, Limits] = field(factory=dict[str, Limits], init=False)
    """By the names of agents that all workers share."""
    _opening: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    _suites: list[SuiteWork] = field(factory=list[SuiteWork], init=False)

    async def __aenter__(self) -> Self:
        """Open the transports of all suites and of the agents that their checks name.

        Raises:
            ConfigError: An agent does not exist, or a setting is wrong.
            RunError: An agent cannot be reached.
        """
        self._settings_of = first_alike(self.specs)
        self._transports = Transports(self.make_transport, self.watch, self.told)
        try:
            await self._transports.open(
                [
                    (agent, self._settings_of[number])
                    for number, spec in enumerate(self.specs)
                    for agent in (spec.agent, *spec.needs.agents.values())
                ]
                + [(agent, 0) for agent in self.others]
            )
            for number in range(len(self.specs)):
                self._suites.append(await self._suite(number))
        except BaseException:
            # Nobody closes what was not opened whole, be it by a cancellation.
            await self._transports.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all of it."""
        await self._transports.__aexit__(kind, error, trace)
        with self.watch.stage("ending the workers of scripts", CLOSE_SECONDS):
            await self.scripts.close()

    def info(self, number: int) -> AgentInfo | None:
        """What the preflight told of a suite's agent."""
        agent = self.specs[number].agent
        return self._transports.opened(agent, self._settings_of[number]).info

    def environment(self, number: int) -> Environment:
        """As whom a suite's agent is asked where a case does not say it."""
        spec = self.specs[number]
        asked = environment_of(spec.settings)
        transport = self._transports.opened(spec.agent, self._settings_of[number]).transport
        return transport.identify(asked) if isinstance(transport, Identifying) else asked

    async def asker(self, agent: AgentRef) -> Asker:
        """Give what asks one of ``others``."""
        return await self._asker(agent, 0)

    async def run(self, task: Task) -> Done:
        """Carry a task out; see ``assay.Worker``."""
        case = task.case or self._case_of(task)
        attempt = await self._suites[task.suite].attempt(case, task.attempt, task.index)
        return Done(task=task, attempt=attempt if self.masked is None else self.masked(attempt))

    def pause(self, agent: str, seconds: float) -> None:
        """Let requests to an agent pause; see ``assay.PacedWorker``."""
        # An agent that is not open here has not been asked; it will tell when it is.
        if agent in self._limits:
            self._limits[agent].obey(seconds)

    async def _suite(self, number: int) -> SuiteWork:
        spec = self.specs[number]

        async def other_asker(agent: AgentRef) -> Asker:
            return await self._asker(agent, number)

        return SuiteWork(
            key=spec.key,
            settings=spec.settings,
            environment=environment_of(spec.settings),
            asker=await self._asker(spec.agent, number),
            other_asker=other_asker,
            needs=spec.needs,
            scripts=self.scripts,
            files=spec.files,
            watch=self.watch,
        )

    async def _asker(self, agent: AgentRef, number: int) -> Asker:
        key = (agent, self._settings_of[number])
        async with self._opening:
            if key not in self._askers:
                await self._transports.open([key])
                settings = self.specs[number].settings
                self._askers[key] = Asker(
                    transport=self._transports.opened(*key).transport,
                    label=agent.transport,
                    limits=self._limits_of(*key),
                    retries=settings.retries,
                    max_wait=settings.max_wait,
                )
            return self._askers[key]

    def _limits_of(self, agent: AgentRef, number: int) -> Limits:
        rate = self.specs[number].settings.rate
        interval = None if rate is None else rate.interval
        if self.pace is None:
            return Limits(parallel=self.parallel, interval=interval)
        # All of it: agents that differ in their connector alone have limits of their own, too.
        name = f"{number} {agent}"
        self._limits[name] = Limits(
            parallel=self.parallel,
            interval=interval,
            turn=None if interval is None else partial(self.pace.turn, name, interval),
            told=partial(self.pace.paused, name),
        )
        return self._limits[name]

    def _case_of(self, task: Task) -> Case:
        spec = self.specs[task.suite]
        where = Where(task.file, task.row)
        reading = spec.reader.read(Entry(where=where, value=dict(task.line)))
        faults = [*reading.faults]
        if reading.case is not None:
            faults += spec.needs.look(reading.case)
        if reading.case is None or faults:
            lines = [str(fault) for fault in faults]
            raise ConfigError("a case that was sent here is faulty", lines)
        return reading.case
