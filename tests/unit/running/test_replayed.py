"""Answers that come from a record: no turn, no pause, and the durations of the record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from types import TracebackType
from typing import Any, Self

import pytest
from attrs import define, field

from assay.errors import AgentError, RateLimited, TimedOut, TransportError
from assay.model.exchange import AgentInfo, Exchange, Request, Response
from assay.model.message import Message
from assay.running.ask import Asker, NotAnswered
from assay.running.deadline import Deadline
from assay.running.limits import Limits
from jumping_clock import now, run

REQUEST = Request(messages=(Message(content="hello"),))


@define
class Recorded:
    """A transport that gives what was recorded, and counts what it was asked."""

    steps: Iterable[Response | BaseException]
    is_known: bool = True
    asked: list[float] = field(factory=list[float])

    def __attrs_post_init__(self) -> None:
        self.steps = iter(self.steps)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    async def info(self) -> AgentInfo | None:
        return None

    def recalls(self, request: Request) -> bool:
        return self.is_known

    async def send(self, request: Request) -> Response:
        self.asked.append(now())
        step = next(iter(self.steps))
        if isinstance(step, BaseException):
            raise step
        return step


def replayed(error: AgentError, took: int) -> AgentError:
    error.replayed_ms = took
    return error


def within(
    agent: Recorded,
    ask: Callable[[Asker, Deadline], Coroutine[Any, Any, object]],
    *,
    retries: int = 2,
    interval: float | None = None,
) -> tuple[object, Deadline]:
    """Ask within a deadline of ten seconds; gives what came of it."""

    async def main() -> tuple[object, Deadline]:
        limits = Limits(parallel=1, interval=interval)
        asker = Asker(transport=agent, label="x", limits=limits, retries=retries)
        deadline = Deadline(10)
        try:
            async with deadline:
                return await ask(asker, deadline), deadline
        except (NotAnswered, TimeoutError) as error:
            return error, deadline

    return run(main())


def once(asker: Asker, deadline: Deadline) -> Coroutine[Any, Any, Exchange]:
    return asker.ask(REQUEST, deadline)


def test_the_duration_is_the_recorded_one() -> None:
    answer = Response(text="ok", replayed_ms=86_400_000)
    exchange, deadline = within(Recorded([answer]), once)
    assert isinstance(exchange, Exchange)
    assert exchange.response is answer
    assert deadline.duration_ms == 86_400_000
    assert deadline.is_replayed
    assert not deadline.expired


def test_tries_are_made_again_without_a_pause() -> None:
    steps: list[Response | BaseException] = [
        replayed(RateLimited("slower", retry_after=60), 5),
        replayed(TransportError("down", retryable=True), 7),
        Response(text="ok", replayed_ms=30),
    ]
    agent = Recorded(steps)
    exchange, deadline = within(agent, once)
    assert isinstance(exchange, Exchange)
    told = [(each.error, each.waited_ms, each.duration_ms) for each in exchange.tries]
    assert told == [("slower", 0, 5), ("down", 0, 7)]
    assert agent.asked == [0, 0, 0]
    assert deadline.duration_ms == 42


def test_retries_end_as_they_do_when_an_agent_is_asked() -> None:
    steps = [replayed(TransportError("down", retryable=True), 1) for _ in range(9)]
    agent = Recorded(steps)
    error, _ = within(agent, once, retries=3)
    assert isinstance(error, NotAnswered)
    assert error.unreached
    assert len(error.tries) == len(agent.asked) == 4


def test_a_pause_that_is_too_long_ends_it_as_before() -> None:
    agent = Recorded([replayed(RateLimited("slower", retry_after=3600), 9)])
    error, deadline = within(agent, once)
    assert isinstance(error, NotAnswered)
    assert str(error) == "slower: it asks for a pause of 1h; --max-wait allows 10m"
    assert error.tries[0].duration_ms == 9
    assert deadline.duration_ms == 9


def test_a_rate_holds_nothing_up() -> None:
    async def thrice(asker: Asker, deadline: Deadline) -> float:
        for _ in range(3):
            await asker.ask(REQUEST, deadline)
        return now()

    steps = [Response(text="ok", replayed_ms=1)] * 3
    assert within(Recorded(steps), thrice, interval=3600)[0] == 0


def test_what_had_run_out_of_time_does_so_at_once() -> None:
    agent = Recorded([TimedOut(9_998)])
    error, deadline = within(agent, once)
    assert isinstance(error, TimeoutError)
    assert deadline.expired
    assert deadline.duration_ms == 9_998


@pytest.mark.parametrize("is_known", [True, False])
def test_the_mark_counts_also_where_a_wrap_hides_that_it_recalls(is_known: bool) -> None:
    agent = Recorded([Response(text="ok", replayed_ms=700)], is_known=is_known)
    _, deadline = within(agent, once)
    assert deadline.is_replayed
    assert deadline.duration_ms == 700


def test_a_refusal_of_what_is_unknown_is_no_replay() -> None:
    error, deadline = within(Recorded([AgentError("the record does not hold it")]), once)
    assert isinstance(error, NotAnswered)
    assert not error.unreached
    assert not deadline.is_replayed


def test_what_is_replayed_and_what_is_asked_are_added() -> None:
    async def both(asker: Asker, deadline: Deadline) -> None:
        await asker.ask(REQUEST, deadline)
        await asyncio.sleep(2)
        await asker.ask(REQUEST, deadline)

    agent = Recorded([Response(text="ok", replayed_ms=500), Response(text="ok")])
    _, deadline = within(agent, both)
    assert deadline.duration_ms == 2500


def test_time_for_checks_is_left_out_where_all_is_replayed() -> None:
    async def checked(asker: Asker, deadline: Deadline) -> None:
        await asker.ask(REQUEST, deadline)
        await asyncio.sleep(2)

    _, deadline = within(Recorded([Response(text="ok", replayed_ms=500)]), checked)
    assert deadline.duration_ms == 500
