"""The workers that take part in a run: who was lost, who has come, what they tell."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final, TypeAlias

from attrs import define, field, frozen

from assay import AssayError, RunError
from assay.duration import format_seconds
from assay_dask.cluster import Cluster, WorkerLost
from assay_dask.member import Member
from assay_dask.messages import Reply
from assay_dask.turns import Turns

LONGEST_POLL: Final = 10.0
"""Seconds that a worker may take to answer when it has nothing to tell."""
_LOOKING: Final = 1.0
"""Seconds between two looks for workers that have come."""
_DISMISSING: Final = 20.0


@frozen
class Told:
    """A worker has something to tell. ``handled`` is set when the run has taken it in."""

    member: Member
    reply: Reply
    handled: asyncio.Event


@frozen
class Lost:
    """A worker is gone, and with it what it had under way."""

    member: Member
    reason: str


Event: TypeAlias = Told | Lost | AssayError | None
"""What happens to a crew; None: a worker has come."""


@define(eq=False)
class Crew:
    """The workers of a cluster that take part in a run.

    Args:
        cluster: Where they are.
        run: The id of the run.
        blueprint: What they are told of the run, as JSON.
        poll: Seconds that a worker takes to answer when it has nothing to tell.
    """

    cluster: Cluster
    run: str
    blueprint: str
    poll: float
    members: dict[str, Member] = field(factory=dict[str, Member], init=False)
    events: asyncio.Queue[Event] = field(factory=asyncio.Queue[Event], init=False)
    _turns: Turns = field(factory=Turns, init=False)
    _refused: dict[str, AssayError] = field(factory=dict[str, AssayError], init=False)
    """Workers that came during the run and cannot take part."""
    _joining: set[str] = field(factory=set[str], init=False)
    _calls: set[asyncio.Task[object]] = field(factory=set["asyncio.Task[object]"], init=False)

    async def gather(self, wanted: int, wait: float) -> None:
        """Wait for workers, and make all that are there take part.

        Args:
            wanted: How many there should be.
            wait: Seconds to wait for them.

        Raises:
            ConfigError: One of them lacks something.
            RunError: Too few come, or one cannot reach an agent.
        """
        until = monotonic() + wait
        while len(found := await self.cluster.workers()) < wanted:
            if monotonic() > until:
                there = f"{len(found)} of {wanted} workers are" if found else "there is no worker"
                raise RunError(
                    f"{there} at {self.cluster.address} after {format_seconds(wait)};"
                    f" start them: dask worker {self.cluster.address}"
                )
            await asyncio.sleep(0.05)
        joining = [asyncio.ensure_future(self._join(address)) for address in found]
        try:
            await asyncio.gather(*joining)
        finally:
            for each in joining:
                each.cancel()
        self._call(self._recruit())

    async def dismiss(self) -> None:
        """Let all of them go: what they have under way is cancelled, what is open is closed."""
        for call in self._calls:
            call.cancel()
        members = [] if self.cluster.is_gone else [*self.members]
        leaving = [asyncio.ensure_future(self._leave(address)) for address in members]
        if leaving:
            _, late = await asyncio.wait(leaving, timeout=_DISMISSING)
            for each in late:
                each.cancel()
        if self._calls:
            await asyncio.wait(self._calls, timeout=_DISMISSING)

    async def next(self, wait: float) -> Event:
        """Wait for something to happen.

        Args:
            wait: Seconds to wait for a worker, if there is none.

        Raises:
            RunError: There is no worker.
        """
        if self.members:
            return await self.events.get()
        try:
            async with asyncio.timeout(wait):
                return await self.events.get()
        except TimeoutError:
            why = "".join(f"; {error}" for error in [*self._refused.values()][:1])
            raise RunError(
                f"no worker is left at {self.cluster.address}, and none has come for"
                f" {format_seconds(wait)}{why}"
            ) from None

    def freest(self) -> Member | None:
        """Give the member with the fewest attempts; None when there is none."""
        return min(self.members.values(), key=lambda member: len(member.out), default=None)

    def tell(self, members: Sequence[Member]) -> None:
        """Let those know of their orders who would not ask soon."""
        for member in members:
            if member.is_asked and member.has_order:
                self._call(self._exchange(member, 0.0))

    def _call(self, calling: Coroutine[Any, Any, object]) -> None:
        call = asyncio.create_task(calling)
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _join(self, address: str) -> None:
        joining = asyncio.ensure_future(self.cluster.join(address, self.run, self.blueprint))
        try:
            while not (await asyncio.wait([joining], timeout=_LOOKING))[0]:
                # The scheduler sees at once that a worker is gone; a call tries for half a minute.
                if address not in await self.cluster.workers():
                    return
            await joining
        except WorkerLost:
            return
        finally:
            joining.cancel()
        member = self.members[address] = Member(address)
        self._call(self._listen(member))
        self.events.put_nowait(None)

    async def _leave(self, address: str) -> None:
        with suppress(WorkerLost, RunError):
            await self.cluster.leave(address, self.run)

    async def _recruit(self) -> None:
        """Make workers take part that come later."""
        try:
            while True:
                await asyncio.sleep(_LOOKING)
                known = {*self.members, *self._refused, *self._joining}
                for address in await self.cluster.workers():
                    if address not in known:
                        self._joining.add(address)
                        self._call(self._admit(address))
        except AssayError as error:
            self.events.put_nowait(error)

    async def _admit(self, address: str) -> None:
        try:
            await self._join(address)
        except AssayError as error:
            self._refused[address] = error
        finally:
            self._joining.discard(address)

    async def _listen(self, member: Member) -> None:
        """Ask a worker again and again for what it has done."""
        while await self._exchange(member, self.poll):
            pass

    async def _exchange(self, member: Member, seconds: float) -> bool:
        """Ask a worker once; gives whether it can be asked again."""
        order = member.order()
        is_listening = seconds > 0
        member.is_asked = member.is_asked or is_listening
        try:
            reply = await self.cluster.exchange(member.address, self.run, order, seconds)
        except WorkerLost as lost:
            if self.members.get(member.address) is member:
                del self.members[member.address]
                self.events.put_nowait(Lost(member, str(lost)))
            return False
        except AssayError as error:
            self.events.put_nowait(error)
            return False
        member.is_asked = member.is_asked and not is_listening
        if self.members.get(member.address) is not member:
            return False
        self._keep_pace(member, reply)
        if reply.done:
            handled = asyncio.Event()
            self.events.put_nowait(Told(member, reply, handled))
            await handled.wait()
        return True

    def _keep_pace(self, member: Member, reply: Reply) -> None:
        for number, agent, interval in reply.turns:
            member.grant(number, self._turns.take(agent, interval, monotonic()))
        for agent, seconds in reply.pauses:
            for other in self.members.values():
                if other is not member:
                    other.pause(agent, seconds)
        if reply.turns or reply.pauses:
            self.tell([*self.members.values()])
