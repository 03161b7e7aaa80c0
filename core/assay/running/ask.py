"""Asking an agent: deadline, tries and pauses stand here, before the wraps and the transport."""

from __future__ import annotations

import asyncio
import random
from math import isnan
from typing import TYPE_CHECKING

from attrs import define, evolve, field

from assay.contracts import Identifying, Recalling
from assay.duration import format_seconds
from assay.errors import AgentError, RateLimited, TimedOut, TransportError
from assay.model.exchange import Exchange, Try
from assay.running.limits import growing

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.contracts import Transport
    from assay.model.case import Environment
    from assay.model.exchange import Request
    from assay.running.deadline import Deadline
    from assay.running.limits import Limits

    Identify = Callable[[Environment], Environment]

FIRST_PAUSE = 0.5
"""Seconds before the second try; each further pause is twice as long, with jitter."""
LONGEST_PAUSE = 30.0
"""Seconds; pauses stop growing here, unless the agent asks for more."""

_YEAR = 365 * 24 * 3600.0
"""Seconds; what is longer is told as this long."""


class NotAnswered(Exception):  # noqa: N818 - an outcome of asking, handled by the attempt
    """The agent was asked and did not answer.

    Args:
        error: The last error.
        tries: Every try, the last one included.
    """

    def __init__(self, error: AgentError, tries: tuple[Try, ...]) -> None:
        super().__init__(str(error))
        self.error = error
        self.tries = tries

    @property
    def unreached(self) -> bool:
        """Whether the way to the agent failed, rather than the agent."""
        return isinstance(self.error, TransportError)


@define(eq=False)
class Asker:
    """Asks one agent."""

    transport: Transport
    label: str
    """The transport's word, for messages."""
    limits: Limits
    retries: int = 2
    """How often a retryable error is tried again."""
    max_wait: float = 600.0
    """Seconds; an agent that asks for a longer pause is given up."""
    _random: random.Random = field(factory=random.Random, init=False)
    _identify: Identify | None = field(init=False)
    _recalls: Callable[[Request], bool] | None = field(init=False)

    def __attrs_post_init__(self) -> None:
        # Looked for once: asking whether an object keeps a protocol takes its time.
        able = self.transport
        self._identify = able.identify if isinstance(able, Identifying) else None
        self._recalls = able.recalls if isinstance(able, Recalling) else None

    async def ask(
        self, request: Request, deadline: Deadline, tries: list[Try] | None = None
    ) -> Exchange:
        """Ask until there is an answer, or trying again is of no use.

        Args:
            request: What is asked.
            deadline: Surrounds this, and stands still while this waits.
            tries: Each try that gave no answer is added here as it ends, so that whoever asks
                knows of them when the time is up.

        Raises:
            NotAnswered: With the last error and every try.
            TimeoutError: By the deadline, around this.
        """
        tries = [] if tries is None else tries
        if self._recalls is not None and self._recalls(request):
            return await self._recall(request, deadline, tries)
        now = asyncio.get_running_loop().time
        entered = await self.limits.enter(deadline.paused)
        while True:
            started = now()
            pause = 0.0
            try:
                if self._identify is not None:
                    request = _identified(request, self._identify)
                response = await self.transport.send(request)
            except Exception as error:  # noqa: BLE001 - a broken plugin is a result, too
                failure = self._failure(error)
                # Before the turn is given back: whoever takes it must see the pause.
                pause = self._pause(failure, entered, len(tries))
            else:
                self.limits.answered(entered)
                deadline.count(response.replayed_ms)
                return Exchange(request=request, response=response, tries=tuple(tries))
            finally:
                self.limits.leave()
            deadline.check()
            self._count(failure, deadline)
            took = round(1000 * (now() - started))
            is_last = len(tries) >= self.retries or not _is_retryable(failure)
            if not is_last and pause > self.max_wait:
                failure = self._too_long(failure, pause)
                is_last = True
            if is_last:
                tries.append(Try(error=str(failure), duration_ms=took))
                raise NotAnswered(failure, tuple(tries)) from failure
            waiting_since = now()
            with deadline.paused():
                if not isinstance(failure, RateLimited):
                    await asyncio.sleep(pause)
                entered = await self.limits.enter()
            waited = round(1000 * (now() - waiting_since))
            tries.append(Try(error=str(failure), waited_ms=waited, duration_ms=took))

    async def _recall(self, request: Request, deadline: Deadline, tries: list[Try]) -> Exchange:
        """Ask what answers from a record: no agent is asked, so nothing waits for its turn."""
        while True:
            try:
                if self._identify is not None:
                    request = _identified(request, self._identify)
                response = await self.transport.send(request)
            except Exception as error:  # noqa: BLE001 - a broken plugin is a result, too
                failure = self._failure(error)
            else:
                deadline.count(response.replayed_ms)
                return Exchange(request=request, response=response, tries=tuple(tries))
            deadline.check()
            self._count(failure, deadline)
            is_last = len(tries) >= self.retries or not _is_retryable(failure)
            pause = failure.retry_after if isinstance(failure, RateLimited) else None
            if not is_last and pause is not None and pause > self.max_wait:
                failure = self._too_long(failure, pause)
                is_last = True
            tries.append(Try(error=str(failure), duration_ms=failure.replayed_ms or 0))
            if is_last:
                raise NotAnswered(failure, tuple(tries)) from failure

    def _count(self, failure: AgentError, deadline: Deadline) -> None:
        deadline.count(failure.replayed_ms)
        if isinstance(failure, TimedOut):
            deadline.run_out()

    def _failure(self, error: Exception) -> AgentError:
        if isinstance(error, AgentError):
            return error
        failure = AgentError(f"transport {self.label!r} failed: {type(error).__name__}: {error}")
        failure.__cause__ = error
        return failure

    def _pause(self, failure: AgentError, entered: float, tried: int) -> float:
        """Give the seconds to wait before the next try; all requests wait for a rate limit."""
        if isinstance(failure, RateLimited):
            asked = failure.retry_after
            if asked is not None and isnan(asked):
                asked = None
            if asked is not None and asked > self.max_wait:
                return asked
            return self.limits.pause(entered, asked)
        return growing(FIRST_PAUSE, tried, LONGEST_PAUSE) * self._random.uniform(0.5, 1.0)

    def _too_long(self, failure: AgentError, pause: float) -> TransportError:
        wanted, longest = (format_seconds(min(each, _YEAR)) for each in (pause, self.max_wait))
        given_up = TransportError(
            f"{failure}: it asks for a pause of {wanted}; --max-wait allows {longest}"
        )
        given_up.replayed_ms = failure.replayed_ms
        return given_up


def _identified(request: Request, identify: Identify) -> Request:
    """Put into a request as whom it is really asked."""
    environment = identify(request.environment)
    return (
        request if environment is request.environment else evolve(request, environment=environment)
    )


def _is_retryable(failure: AgentError) -> bool:
    return isinstance(failure, TransportError) and failure.retryable
