"""Which attempt comes next: the one place that decides it.

Cases times runs, in the order of the files; ``--fail-fast`` and signals end it early, and every
case of the plan gets a result all the same.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from attrs import define, field

from assay.contracts import Task
from assay.duration import format_seconds
from assay.errors import ExitCode, RunError
from assay.running.collect import Begun, Collector, OpenCase, skipped
from assay.running.watch import Watch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from assay.cases.plan import Plan, PlannedSuite
    from assay.contracts import Done, Executor
    from assay.model.case import Case
    from assay.model.result import Attempt, CaseResult
    from assay.running.patience import Patience
    from assay.running.stop import Stop

ASIDE = "skip is set in the case"
"""The reason of a case that says ``skip`` itself."""


CLOSE_SECONDS = 30.0
"""How long an executor may take to let go of what is under way."""
READ_SECONDS = 300.0
"""How long the next case may take: a filter of a plugin may look at many."""


def from_the_start(_: int, runs: int) -> Begun:
    """Begin a case of which nothing is known."""
    return Begun(numbers=range(1, runs + 1))


@define
class Schedule:
    """Carries a plan out with an executor.

    Args:
        plan: What runs.
        executor: What runs attempts.
        stop: Asked to stop from outside, and by ``fail_fast``.
        fail_fast: Whether the first case that cannot pass any more stops the run.
        on_attempt: Told of each finished attempt of a case with several runs.
        on_result: Told of each case that is done.
        begin: Says how far a case has come in an earlier run, given its index and how often it
            runs; None: it has its result already.
    """

    plan: Plan
    executor: Executor
    stop: Stop
    fail_fast: bool
    on_attempt: Callable[[CaseResult, Attempt], None]
    on_result: Callable[[CaseResult], None]
    begin: Callable[[int, int], Begun | None] = from_the_start
    watch: Watch = field(factory=Watch)
    """Told of what is under way."""
    patience: Patience | None = None
    """How long to wait for a result; None: the executor's own deadlines are enough."""
    _heard_at: float = field(default=0.0, init=False)
    _collector: Collector = field(factory=Collector, init=False)
    _feed: Iterator[tuple[PlannedSuite, int, Case]] = field(init=False)

    async def run(self) -> None:
        """Run until all cases have a result, or the run is stopped: then the rest is skipped.

        Raises:
            ConfigError: A source changed while it was being run.
            RunError: The executor lost attempts, or made some up.
        """
        self._feed = self.plan.cases()
        consuming = asyncio.create_task(self._consume())
        self.stop.watch(consuming)
        waiting = None if self.patience is None else asyncio.create_task(self._wait(self.patience))
        try:
            await consuming
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if self.stop.reason is None or (current is not None and current.cancelling()):
                raise
        finally:
            if waiting is not None:
                waiting.cancel()
        reason = self.stop.reason
        if reason is None:
            self._check_whole()
            return
        for begun in self._collector.rest():
            self.on_result(begun.result(reason))
        for planned, index, case in self._feed:
            self._skip(planned, index, case, reason)

    async def _wait(self, patience: Patience) -> None:
        """Stop the run when its executor gives no result for too long."""
        now = asyncio.get_running_loop().time
        self._heard_at = now()
        # Both change meanwhile: results come, and a case may need more than those before.
        while (left := self._heard_at + patience.seconds - now()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left)
        silent = format_seconds(round(now() - self._heard_at))
        self.stop.ask(
            f"executor {patience.executor!r} has given no result for {silent}; look whether it"
            " still runs, and go on with --resume",
            ExitCode.RUNTIME,
        )

    def _skip(self, planned: PlannedSuite, index: int, case: Case, reason: str) -> None:
        """Give a case its result that will not be begun here."""
        begun = self.begin(index, planned.settings.runs)
        if begun is None:
            return
        if case.skip:
            self.on_result(skipped(planned, index, case, ASIDE))
        else:
            self.on_result(OpenCase(planned, index, case, begun).result(reason))

    def _check_whole(self) -> None:
        """See that no case was lost: an executor of a plugin may end early.

        Raises:
            RunError: One was.
        """
        lost = sum(1 for _ in self._collector.rest()) + sum(1 for _ in self._feed)
        if lost:
            cases = "a case" if lost == 1 else f"{lost} cases"
            raise RunError(f"the executor ended before it had carried out all attempts of {cases}")

    async def _consume(self) -> None:
        finished = self.executor.run(self._tasks())
        try:
            async for done in finished:
                self._take(done)
                if self.stop.reason is not None:
                    break
        finally:
            # An executor may give any iterator; one that can be closed cancels what is under way.
            close: Callable[[], Awaitable[None]] | None = getattr(finished, "aclose", None)
            if close is not None:
                with self.watch.stage("ending the executor", CLOSE_SECONDS):
                    await close()

    async def _tasks(self) -> AsyncIterator[Task]:
        while self.stop.reason is None:
            with self.watch.stage("reading the next case", READ_SECONDS, blocks=True):
                following = next(self._feed, None)
            if following is None:
                return
            planned, index, case = following
            begun = self.begin(index, planned.settings.runs)
            if begun is None:
                continue
            if case.skip:
                self.on_result(skipped(planned, index, case, ASIDE))
                continue
            opened = OpenCase(planned, index, case, begun)
            if opened.is_over:
                self.on_result(opened.result())
                continue
            self._collector.start(opened)
            if self.patience is not None:
                self.patience.see(case, planned.settings)
            for number in begun.numbers:
                yield Task(
                    index=index,
                    suite=planned.number,
                    attempt=number,
                    line=case.raw,
                    file=case.where.file,
                    row=case.where.line,
                    case=case,
                )

    def _take(self, done: Done) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        case = self._collector.add(done.task.index, done.attempt)
        if case.runs > 1:
            self.on_attempt(case.so_far(), done.attempt)
        if case.is_over:
            self.on_result(case.result())
        if self.fail_fast and case.is_lost:
            self.stop.fail_fast(case.case.id)
