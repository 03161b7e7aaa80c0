"""Asking an agent: deadline, tries and pauses stand here, before the wraps and the transport."""

from __future__ import annotations

import asyncio
import random
import time
from typing import TYPE_CHECKING

from attrs import define, field

from assay.duration import format_seconds
from assay.errors import AgentError, RateLimited, TransportError
from assay.model.exchange import Exchange, Try

if TYPE_CHECKING:
    from assay.contracts import Transport
    from assay.model.exchange import Request
    from assay.run.deadline import Deadline

FIRST_PAUSE = 0.5
"""Seconds before the second try; each further pause is twice as long, with jitter."""
LONGEST_PAUSE = 30.0
"""Seconds; pauses stop growing here, unless the agent asks for more."""


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


@define
class Asker:
    """Asks one agent."""

    transport: Transport
    label: str
    """The transport's word, for messages."""
    retries: int = 2
    """How often a retryable error is tried again."""
    max_wait: float = 600.0
    """Seconds; an agent that asks for a longer pause is given up."""
    _random: random.Random = field(factory=random.Random, init=False)

    async def ask(self, request: Request, deadline: Deadline) -> Exchange:
        """Ask until there is an answer, or trying again is of no use.

        Raises:
            NotAnswered: With the last error and every try.
            TimeoutError: By the deadline, around this.
        """
        tries: list[Try] = []
        while True:
            started = time.monotonic()
            try:
                response = await self.transport.send(request)
            except TransportError as error:
                failure: AgentError = error
            except AgentError as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - a broken plugin is a result, too
                failure = AgentError(
                    f"transport {self.label!r} failed: {type(error).__name__}: {error}"
                )
                failure.__cause__ = error
            else:
                return Exchange(request=request, response=response, tries=tuple(tries))
            took = round(1000 * (time.monotonic() - started))
            pause = self._pause(failure, len(tries))
            if pause is None:
                tries.append(Try(error=str(failure), duration_ms=took))
                raise NotAnswered(failure, tuple(tries)) from failure
            if pause > self.max_wait:
                wanted = format_seconds(pause)
                longest = format_seconds(self.max_wait)
                failure = TransportError(
                    f"{failure}: it asks for a pause of {wanted}; --max-wait allows {longest}"
                )
                tries.append(Try(error=str(failure), duration_ms=took))
                raise NotAnswered(failure, tuple(tries))
            tries.append(Try(error=str(failure), waited_ms=round(1000 * pause), duration_ms=took))
            with deadline.paused():
                await asyncio.sleep(pause)

    def _pause(self, failure: AgentError, tried: int) -> float | None:
        """Give the seconds to wait before the next try; None: no further try."""
        if not isinstance(failure, TransportError) or not failure.retryable:
            return None
        if tried >= self.retries:
            return None
        if isinstance(failure, RateLimited) and failure.retry_after is not None:
            return max(0.0, failure.retry_after)
        longest: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2**tried)
        return longest * self._random.uniform(0.5, 1.0)
