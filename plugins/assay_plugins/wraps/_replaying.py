"""A transport whose answers come from a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

from attrs import evolve

from assay import AgentError, AgentInfo, ConfigError, Environment, Identifying, Response
from assay.suggest import hint
from assay_plugins.wraps._content import content_of
from assay_plugins.wraps._entries import Entry, error_of
from assay_plugins.wraps._late import Late
from assay_plugins.wraps._nearest import why_missing
from assay_plugins.wraps._recording import Recording
from assay_plugins.wraps._settings import replay_settings
from assay_plugins.wraps._tape import Tape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from assay import AgentRef, Request, Transport, WrapContext
    from assay_plugins.wraps._tape import Found


def replaying(
    transport: Transport, agent: AgentRef, settings: Mapping[str, Any], context: WrapContext
) -> Replaying:
    """Put a replay around a transport. All of one run that name one file share it.

    Raises:
        ConfigError: A setting is wrong, the record cannot be read, or the agent is not in it.
    """
    wanted = replay_settings(settings, context)
    key = f"replay {wanted.file.path}"
    if key not in context.shared:
        context.shared[key] = Tape(wanted.file, context.tell)
    tape = cast("Tape", context.shared[key])
    if agent.name not in tape.agents and not wanted.asks:
        raise ConfigError(
            f"--replay {tape.shown}: it holds nothing of the agent {agent.name!r};"
            f" {hint(agent.name, tape.agents)}"
        )
    return Replaying(transport, agent, tape, context, asks=wanted.asks)


class Replaying:
    """Answers as was recorded; the transport within is opened only to ask what was not."""

    def __init__(
        self,
        inner: Transport,
        agent: AgentRef,
        tape: Tape,
        context: WrapContext,
        *,
        asks: bool,
    ) -> None:
        self._inner = inner
        self._agent = agent.name
        self._tape = tape
        self._context = context
        self._asks = asks
        self._late = Late(inner)
        # What is replayed is recorded too: the new record then holds the whole run.
        self._recorder = inner.recorder if isinstance(inner, Recording) else None

    async def __aenter__(self) -> Self:
        """Open the record.

        Raises:
            ConfigError: It is gone.
            RunError: The file that is recorded to cannot be written.
        """
        self._tape.enter()
        try:
            if self._recorder is not None:
                self._recorder.enter()
        except BaseException:
            # Nobody leaves what was not entered whole.
            self._tape.leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the record, and the transport if it was opened."""
        try:
            await self._late.close()
        finally:
            self._tape.leave()
            if self._recorder is not None:
                self._recorder.leave()

    async def info(self) -> AgentInfo | None:
        """Give what was recorded of the agent, marked; look at one that is not in the record."""
        if self._agent not in self._tape.agents:
            return await self._late.open()
        known = self._tape.agents[self._agent]
        if self._recorder is not None:
            self._recorder.agent(self._agent, known, self.identify(Environment()))
        return evolve(known or AgentInfo(), replayed=self._tape.shown)

    def identify(self, environment: Environment) -> Environment:
        """Say in which environment the agent was really asked when it was recorded."""
        if self._agent in self._tape.agents:
            return self._tape.identify(self._agent, environment)
        inner = self._inner
        return inner.identify(environment) if isinstance(inner, Identifying) else environment

    def recalls(self, request: Request) -> bool:
        """Whether the agent is left alone: also where there is only an error to tell."""
        return not self._asks or self._found(request, self._content(request)) is not None

    async def send(self, request: Request) -> Response:
        """Answer as was recorded.

        Raises:
            AgentError: As was recorded; or the record does not hold the request.
        """
        content = self._content(request)
        found = self._found(request, content)
        if found is None:
            return await self._ask(request, content)
        try:
            entry = self._tape.take(found, self._agent, request.origin)
        except ValueError as error:
            raise AgentError(f"{self._tape.shown} was changed during the run: {error}") from error
        self._record(entry, request, content)
        if request.origin.purpose == "reporter":
            self._context.tell(
                f"the report of {self._agent} is replayed, too: it was written for the run that"
                " was recorded"
            )
        outcome = entry.outcome
        if not isinstance(outcome, Response):
            raise error_of(outcome, entry.duration_ms)
        notes = outcome.notes if found.note is None else (*outcome.notes, found.note)
        return evolve(outcome, replayed_ms=entry.duration_ms, notes=notes)

    async def _ask(self, request: Request, content: Mapping[str, object]) -> Response:
        if not self._asks:
            raise AgentError(why_missing(self._tape, self._agent, request.origin, content))
        transport = await self._late.reach()
        if isinstance(transport, Identifying):
            # It was identified as the record says, and is now asked for itself.
            request = evolve(request, environment=transport.identify(request.environment))
        return await transport.send(request)

    def _record(self, entry: Entry, request: Request, content: Mapping[str, object]) -> None:
        if self._recorder is None:
            return
        again = evolve(entry, origin=request.origin, request=content, chat_id=request.chat_id)
        self._recorder.add(again, self._recorder.ticket())

    def _content(self, request: Request) -> Mapping[str, object]:
        return content_of(request, self._context.redact)

    def _found(self, request: Request, content: Mapping[str, object]) -> Found | None:
        return self._tape.find(self._agent, request.origin, content)
