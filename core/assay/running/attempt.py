"""One attempt, from the request to the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from attrs import define, field

from assay.absent import ABSENT
from assay.duration import format_ms, format_seconds
from assay.escape import quoted
from assay.model.exchange import Origin
from assay.model.outcome import Outcome
from assay.model.result import Attempt
from assay.running.ask import NotAnswered
from assay.running.checks import evaluate
from assay.running.deadline import Deadline
from assay.running.request import request_of, with_case
from assay.running.services import AttemptServices

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from assay.cases.needs import Needs
    from assay.model.case import AgentRef, Case, Environment
    from assay.model.exchange import Exchange, Try
    from assay.model.files import FileAccess
    from assay.model.outcome import CheckResult
    from assay.model.result import Status
    from assay.running.ask import Asker
    from assay.running.watch import Stage, Watch
    from assay.scripts.pool import Pool
    from assay.settings.layers import SuiteSettings


ASKING: Final = "asking the agent"
"""What an attempt does until its checks begin."""


@define(kw_only=True)
class SuiteWork:
    """What attempts of one suite need."""

    key: str
    settings: SuiteSettings
    environment: Environment
    asker: Asker
    other_asker: Callable[[AgentRef], Awaitable[Asker]]
    """For agents that assertions name."""
    needs: Needs
    scripts: Pool
    files: FileAccess
    watch: Watch

    async def attempt(self, case: Case, number: int, index: int = 0) -> Attempt:
        """Carry one attempt of a case out. Errors of agents and checks become its status.

        Args:
            case: The case.
            number: Of the attempt.
            index: Place of the case in the run.
        """
        seconds = case.timeout or self.settings.timeout
        deadline = Deadline(seconds)
        stage = self.watch.enter(f"case {quoted(case.id)}, attempt {number}", deadline, ASKING)
        try:
            return await self._attempt(case, number, index, _Progress(deadline, stage))
        finally:
            self.watch.leave(stage)

    async def _attempt(self, case: Case, number: int, index: int, progress: _Progress) -> Attempt:
        try:
            async with progress.deadline:
                origin = Origin(suite=self.key, case=case.id, attempt=number, index=index)
                await self._carry_out(case, origin, progress)
        except NotAnswered as error:
            progress.error = str(error.error)
            return self._finished(
                number, progress, "error", partial=error.error.partial, unreached=error.unreached
            )
        except TimeoutError:
            if not progress.deadline.expired:
                raise
            progress.error = _timeout(progress.deadline)
            return self._finished(number, progress, "timeout")
        return self._finished(number, progress, progress.status())

    async def _carry_out(self, case: Case, origin: Origin, progress: _Progress) -> None:
        environment = with_case(self.environment, self.settings, case)
        request = request_of(case, environment, self.settings.connector, origin, self.files)
        exchange = await self.asker.ask(request, progress.deadline, progress.tries)
        progress.deadline.check()
        progress.exchange = exchange
        response = exchange.response
        if response.is_empty and "data" not in response.unknown:
            reason = response.finish_reason
            odd = f" (finish_reason {reason})" if reason not in (None, "stop") else ""
            progress.error = f"the agent answered nothing{odd}"
            return
        if not case.checks:
            return
        outcome = Outcome(
            case=case,
            exchange=exchange,
            output=response.output,
            services=AttemptServices(
                needs=self.needs,
                scripts=self.scripts,
                asker=self.other_asker,
                deadline=progress.deadline,
                environment=environment,
                origin=origin,
                files=self.files,
            ),
        )
        for check in case.checks:
            progress.stage.doing = f"check {check.type!r}"
            progress.verdicts.append(await evaluate(check, outcome))
            progress.deadline.check()

    def _finished(
        self,
        number: int,
        progress: _Progress,
        status: Status,
        *,
        partial: str | None = None,
        unreached: bool = False,
    ) -> Attempt:
        exchange = progress.exchange
        output: object = ABSENT
        if exchange is not None and not exchange.response.is_empty:
            output = exchange.response.output
        elif partial:
            output = partial
        return Attempt(
            number=number,
            status=status,
            duration_ms=progress.deadline.duration_ms,
            output=output,
            error=progress.error,
            verdicts=tuple(progress.verdicts),
            exchanges=() if exchange is None else (exchange,),
            tries=tuple(progress.tries),
            unreached=unreached,
            replayed=progress.deadline.is_replayed,
        )


@define
class _Progress:
    """How far an attempt has come: kept when it runs out of time."""

    deadline: Deadline
    stage: Stage
    exchange: Exchange | None = None
    verdicts: list[CheckResult] = field(factory=list["CheckResult"])
    error: str | None = None
    tries: list[Try] = field(factory=list["Try"])

    def status(self) -> Status:
        """Judge by the verdicts: a check that said no is a failure, whatever else broke."""
        bad = [verdict for verdict in self.verdicts if not verdict.passed]
        if self.error is not None:
            return "error"
        if not bad:
            return "passed"
        self.error = "; ".join(verdict.message or f"{verdict.type} failed" for verdict in bad)
        return "failed" if any(verdict.error is None for verdict in bad) else "error"


def _timeout(deadline: Deadline) -> str:
    given = format_seconds(deadline.seconds)
    # The clock of an attempt begins a little before that of the request that runs out of time.
    if deadline.is_replayed and deadline.duration_ms < 900 * deadline.seconds - 100:
        had = format_ms(deadline.duration_ms)
        return f"timeout after {had} when it was recorded; record it again to give it {given}"
    return f"timeout after {given}"
