"""A transport whose requests and answers are recorded."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, cast

from assay import AgentError, Environment, Identifying, Recalling, TimedOut
from assay_plugins.wraps._content import content_of
from assay_plugins.wraps._entries import Entry, failure_of
from assay_plugins.wraps._recorder import Recorder
from assay_plugins.wraps._settings import record_settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from assay import AgentInfo, AgentRef, Request, Response, Transport, WrapContext
    from assay_plugins.wraps._entries import Failure


def recording(
    transport: Transport, agent: AgentRef, settings: Mapping[str, Any], context: WrapContext
) -> Recording:
    """Put a recording around a transport. All of one run that name one file share it.

    Raises:
        ConfigError: A setting is wrong.
    """
    file = record_settings(settings, context)
    key = f"record {file.path}"
    if key not in context.shared:
        context.shared[key] = Recorder(file, context)
    return Recording(transport, agent, cast("Recorder", context.shared[key]), context)


class Recording:
    """Asks the transport within, and records what came of it."""

    def __init__(
        self, inner: Transport, agent: AgentRef, recorder: Recorder, context: WrapContext
    ) -> None:
        self._inner = inner
        self._agent = agent
        self._context = context
        self.recorder = recorder
        """What others may record to for this agent."""

    async def __aenter__(self) -> Self:
        """Open the transport within.

        Raises:
            RunError: The file cannot be written.
        """
        self.recorder.enter()
        try:
            await self._inner.__aenter__()
        except BaseException:
            # Also when cancelled: whoever leaves last closes the file.
            self.recorder.leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        try:
            await self._inner.__aexit__(kind, error, trace)
        finally:
            self.recorder.leave()

    async def info(self) -> AgentInfo | None:
        """Look at the agent, and record what is known of it."""
        info = await self._inner.info()
        self.recorder.agent(self._agent.name, info, self.identify(Environment()))
        return info

    def identify(self, environment: Environment) -> Environment:
        """Say as whom is asked, as the transport within says it."""
        inner = self._inner
        return inner.identify(environment) if isinstance(inner, Identifying) else environment

    def recalls(self, request: Request) -> bool:
        """Whether the transport within answers from a record itself."""
        return isinstance(self._inner, Recalling) and self._inner.recalls(request)

    async def send(self, request: Request) -> Response:
        """Ask, and record the answer, the error, or that the time was up."""
        ticket = self.recorder.ticket()
        now = asyncio.get_running_loop().time
        started = now()

        def add(outcome: Response | Failure) -> None:
            if _is_cancelled():
                if self._context.is_stopped():
                    return
                # The time was up, whatever the transport made of that.
                outcome = failure_of(TimedOut(0))
            entry = Entry(
                agent=self._agent.name,
                origin=request.origin,
                request=content_of(request, self._context.redact),
                outcome=outcome,
                duration_ms=round(1000 * (now() - started)),
                chat_id=request.chat_id,
            )
            self.recorder.add(entry, ticket)

        try:
            response = await self._inner.send(request)
        except AgentError as error:
            add(failure_of(error))
            raise
        except Exception as error:
            # In the words in which the attempt will tell it.
            what = f"transport {self._agent.transport!r} failed: {type(error).__name__}: {error}"
            add(failure_of(AgentError(what)))
            raise
        except asyncio.CancelledError:
            add(failure_of(TimedOut(0)))
            raise
        add(response)
        return response


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
