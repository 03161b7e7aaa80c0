"""What a run says of itself: how it was started, how it ended, what its exit code is."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from assay._version import __version__
from assay.errors import ExitCode
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import SuiteSummary
from assay.stats.summary import Tally

if TYPE_CHECKING:
    from assay.cases.plan import PlannedSuite
    from assay.model.result import CaseResult
    from assay.planning import Prepared
    from assay.running.stop import Stop
    from assay.running.work import Workshop


def run_info(prepared: Prepared, workshop: Workshop, command: str | None) -> RunInfo:
    """Say how a run is started.

    Args:
        prepared: What runs.
        workshop: Open: it knows what the preflights told, and as whom agents are asked.
        command: The command that repeats the run.
    """
    plan = prepared.plan
    return RunInfo(
        started_at=utc_now(),
        suites=tuple(_suite_info(planned, workshop) for planned in plan.suites),
        total_cases=plan.total,
        command=command,
        version=__version__,
        deselected=plan.deselected,
        filters=plan.suites[0].selection.describe(),
        shard=None if prepared.settings.shard is None else str(prepared.settings.shard),
        verbose=prepared.settings.verbose,
        parallel=prepared.settings.parallel,
        is_message=plan.is_message,
    )


def utc_now() -> str:
    """The time in UTC as RFC 3339, in whole seconds."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@define(eq=False)
class Account:
    """Counts a run as it goes on."""

    _tally: Tally = field(factory=Tally, init=False)
    _started: float = field(factory=time.monotonic, init=False)
    _attempts: int = field(default=0, init=False)
    _unreached: int = field(default=0, init=False)

    def add(self, result: CaseResult) -> None:
        """Count a case that is done."""
        self._tally.add(result)
        self._attempts += len(result.attempts)
        self._unreached += sum(attempt.unreached for attempt in result.attempts)

    def summary(self, info: RunInfo, stop: Stop) -> Summary:
        """Say how the run ended."""
        by_suite = self._tally.suites()
        return Summary(
            counts=self._tally.counts(),
            duration_ms=round(1000 * (time.monotonic() - self._started)),
            agent_id=info.agent_id,
            connector=info.connector,
            runs_per_case=info.runs_per_case,
            deselected=info.deselected,
            stopped=stop.reason,
            suites=tuple(
                SuiteSummary(
                    source=suite.source,
                    agent_id=suite.agent.name,
                    connector=suite.agent.connector,
                    counts=by_suite.get(suite.source, Tally().counts()),
                )
                for suite in info.suites
            ),
            completed_at=utc_now(),
        )

    def exit_code(self, stop: Stop) -> ExitCode:
        """What the results alone mean for the caller of the process."""
        if stop.exit_code is not None:
            return stop.exit_code
        if self._attempts and self._unreached == self._attempts:
            return ExitCode.RUNTIME
        return ExitCode.FAILED if self._tally.counts().failed else ExitCode.PASSED


def _suite_info(planned: PlannedSuite, workshop: Workshop) -> SuiteInfo:
    agent = planned.agent
    info = workshop.info(planned.number)
    connector = planned.settings.connector or (info and info.connector) or agent.connector
    return SuiteInfo(
        source=planned.suite.key,
        agent=evolve(
            agent,
            title=(info and info.name) or agent.title,
            description=(info and info.description) or agent.description,
            connector=connector,
        ),
        info=info,
        environment=workshop.environment(planned.number),
        total_cases=planned.scan.selected,
        deselected=planned.scan.written - planned.scan.selected,
        runs_per_case=planned.settings.runs,
        min_pass_rate=planned.settings.min_pass_rate,
        file=planned.suite.key if planned.suite.path is not None else None,
    )
