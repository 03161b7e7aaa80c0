"""What an outcome offers to assertions: scripts, agents and files that they have named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

from assay.errors import CannotCheck
from assay.model.exchange import Origin, Request, Response
from assay.running.ask import NotAnswered
from assay.running.checks import evaluate
from assay.running.request import new_chat_id

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from assay.cases.needs import Needs
    from assay.model.case import AgentRef, Check, Environment
    from assay.model.files import FileAccess
    from assay.model.message import Message
    from assay.model.outcome import CheckResult, Outcome
    from assay.running.ask import Asker
    from assay.running.deadline import Deadline
    from assay.scripts.pool import Pool


@frozen(kw_only=True)
class AttemptServices:
    """Services within one attempt: they share its deadline."""

    needs: Needs
    scripts: Pool
    asker: Callable[[AgentRef], Awaitable[Asker]]
    deadline: Deadline
    environment: Environment
    origin: Origin
    files: FileAccess

    async def call(self, reference: str, arguments: Sequence[object]) -> object:
        """Call a script's function; see ``assay.Services``."""
        found = self.needs.scripts.get(reference)
        if found is None:
            raise CannotCheck(f"script {reference!r} was not named by needs()")
        return await self.scripts.call(found, arguments, waiting=self.deadline.paused)

    async def ask(self, reference: str, messages: Sequence[Message]) -> Response:
        """Ask an agent, in a conversation of its own; see ``assay.Services``."""
        agent = self.needs.agents.get(reference)
        if agent is None:
            raise CannotCheck(f"agent {reference!r} was not named by needs()")
        request = Request(
            messages=tuple(messages),
            environment=self.environment,
            chat_id=new_chat_id(),
            origin=Origin(
                suite=self.origin.suite,
                case=self.origin.case,
                attempt=self.origin.attempt,
                purpose="judge",
                index=self.origin.index,
            ),
            files=self.files,
        )
        try:
            asker = await self.asker(agent)
            exchange = await asker.ask(request, self.deadline)
        except NotAnswered as error:
            raise CannotCheck(f"agent {reference!r} did not answer: {error.error}") from error
        return exchange.response

    def read(self, reference: str) -> bytes:
        """Read a file; see ``assay.Services``."""
        path = self.needs.files.get(reference)
        if path is None:
            raise CannotCheck(f"file {reference!r} was not named by needs()")
        try:
            return path.read_bytes()
        except OSError as error:
            raise CannotCheck(f"file {reference!r} cannot be read: {error.strerror}") from error

    async def evaluate(self, check: Check, outcome: Outcome) -> CheckResult:
        """Carry a check out; see ``assay.Services``."""
        return await evaluate(check, outcome)
