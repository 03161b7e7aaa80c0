"""What a route is handed, and what it may do."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from yao_server.refusals import Reply

if TYPE_CHECKING:
    from yao_server.accounts import Account
    from yao_server.record import Seen
    from yao_server.wire.answer import Answer
    from yao_server.wire.request import HttpRequest
    from yao_server.world import World


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One request at a route."""

    world: World
    request: HttpRequest
    answer: Answer
    seen: Seen
    path: Mapping[str, str]
    """The named parts of the path."""

    def guard(self, scope: str) -> Account:
        """Find out who asks, and whether they may.

        Raises:
            Refused: They may not.
        """
        account = self.world.accounts.guard(self.request, scope)
        self.world.log.change(self.seen, account=account)
        return account

    async def reply(self, body: object, status: int = 200) -> None:
        """Answer with JSON."""
        await self.send(Reply(status=status, body=body))

    async def send(self, reply: Reply) -> None:
        """Answer as a whole."""
        await self.answer.whole(reply.status, reply.data(), reply.all_headers())


Handler: TypeAlias = Callable[[Call], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path below the base path, and who answers."""

    method: str
    path: str
    """With ``:name`` for a part that can be anything but empty."""
    handler: Handler

    def pattern(self, base: str) -> re.Pattern[str]:
        """Give the expression of the whole path."""
        parts = re.sub(r":(\w+)", r"(?P<\1>[^/]+)", self.path)
        return re.compile(re.escape(base) + parts)
