"""Asking an agent: tries, pauses and the deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

import pytest
from attrs import define, field

from assay.errors import AgentError, RateLimited, TransportError
from assay.model.exchange import AgentInfo, Exchange, Request, Response, Try
from assay.model.message import Message
from assay.running.ask import FIRST_PAUSE, Asker, NotAnswered
from assay.running.deadline import Deadline
from assay.running.limits import Limits
from jumping_clock import now, run

REQUEST = Request(messages=(Message(content="hello"),))
Step = Response | BaseException


@define
class Agent:
    """A transport that answers by a script: each answer takes a second."""

    steps: Iterable[Step]
    took: float = 1.0
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

    async def send(self, request: Request) -> Response:
        self.asked.append(now())
        await asyncio.sleep(self.took)
        step = next(iter(self.steps))
        if isinstance(step, BaseException):
            raise step
        return step


OK = Response(text="ok")


def busy() -> TransportError:
    return TransportError("busy", retryable=True)


def asker_of(agent: Agent, *, parallel: int = 1, retries: int = 2, max_wait: float = 600) -> Asker:
    limits = Limits(parallel=parallel)
    return Asker(transport=agent, label="x", limits=limits, retries=retries, max_wait=max_wait)


async def asked(asker: Asker, seconds: float = 300, tries: list[Try] | None = None) -> Exchange:
    async with Deadline(seconds) as deadline:
        return await asker.ask(REQUEST, deadline, tries)


def ask(*steps: Step, **how: int) -> tuple[Exchange, list[float]]:
    agent = Agent(steps)
    return run(asked(asker_of(agent, **how))), agent.asked


def refused(*steps: Step, **how: int) -> tuple[NotAnswered, int]:
    agent = Agent(steps)
    with pytest.raises(NotAnswered) as caught:
        run(asked(asker_of(agent, **how)))
    return caught.value, len(agent.asked)


def test_an_answer() -> None:
    exchange, times = ask(OK)
    assert exchange == Exchange(request=REQUEST, response=OK)
    assert times == [0]


def test_trying_again() -> None:
    exchange, times = ask(busy(), busy(), OK)
    assert exchange.response == OK
    first, second = exchange.tries
    for number, tried in enumerate((first, second)):
        assert (tried.error, tried.duration_ms) == ("busy", 1000)
        longest = 1000 * FIRST_PAUSE * 2**number
        assert 0.5 * longest <= tried.waited_ms <= longest
    assert times[1] == pytest.approx(1 + first.waited_ms / 1000, abs=0.001)


def test_tries_end() -> None:
    error, count = refused(busy(), busy(), busy(), OK)
    assert count == 3
    assert [tried.error for tried in error.tries] == ["busy"] * 3
    assert error.tries[-1].waited_ms == 0
    assert error.unreached
    error, count = refused(busy(), OK, retries=0)
    assert (count, len(error.tries)) == (1, 1)


@pytest.mark.parametrize(
    ("error", "unreached"),
    [
        (AgentError("no"), False),
        (TransportError("broke off", partial="half"), True),
        (ValueError("a bug"), False),
        (TimeoutError(), False),
    ],
)
def test_what_is_not_tried_again(error: Exception, unreached: bool) -> None:
    failure, count = refused(error, OK)
    assert count == 1
    assert failure.unreached == unreached
    assert failure.error.partial == getattr(error, "partial", None)


def test_a_broken_transport_is_named() -> None:
    failure, _ = refused(ValueError("a bug"))
    assert str(failure) == "transport 'x' failed: ValueError: a bug"
    assert isinstance(failure.error.__cause__, ValueError)


def test_a_rate_limit_waits_as_long_as_it_says() -> None:
    exchange, times = ask(RateLimited("slow", retry_after=60), OK)
    assert times == [0, 61]
    assert exchange.tries == (Try(error="slow", waited_ms=60_000, duration_ms=1000),)


def test_rate_limits_use_tries() -> None:
    error, count = refused(*[RateLimited(retry_after=1)] * 3, OK)
    assert (count, error.unreached) == (3, True)


@pytest.mark.parametrize("asked_for", [601.0, float("inf")])
def test_a_pause_that_is_too_long(asked_for: float) -> None:
    error, count = refused(RateLimited("slow", retry_after=asked_for), OK)
    assert count == 1
    assert "slow: it asks for a pause of" in str(error)
    assert "--max-wait allows 10m" in str(error)
    assert error.tries == (Try(error=str(error), duration_ms=1000),)


@pytest.mark.parametrize("asked_for", [-5.0, 0.0])
def test_a_pause_of_nothing(asked_for: float) -> None:
    assert ask(RateLimited(retry_after=asked_for), OK)[1] == [0, 1]


def test_a_pause_that_is_no_number_is_as_if_it_did_not_say() -> None:
    _, (first, second) = ask(RateLimited(retry_after=float("nan")), OK)
    assert 1 < second - first < 3


def test_all_requests_wait_for_a_rate_limit() -> None:
    agent = Agent([RateLimited(retry_after=100), *[OK] * 9])

    async def go() -> list[Exchange]:
        asker = asker_of(agent, parallel=3)
        return await asyncio.gather(*(asked(asker) for _ in range(9)))

    exchanges = run(go())
    assert agent.asked[:3] == [0, 0, 0]
    assert min(agent.asked[3:]) == 101
    assert [len(exchange.tries) for exchange in exchanges].count(1) == 1


def test_waiting_counts_in_no_timeout() -> None:
    agent = Agent([RateLimited(retry_after=500), busy(), OK])

    async def go() -> tuple[Exchange, int]:
        asker = asker_of(agent)
        async with Deadline(4) as deadline:
            exchange = await asker.ask(REQUEST, deadline)
        return exchange, deadline.worked_ms

    exchange, worked = run(go())
    assert exchange.response == OK
    assert worked == 3000


def test_waiting_for_a_turn_counts_in_no_timeout() -> None:
    agent = Agent([OK] * 5, took=3)

    async def go() -> list[Exchange]:
        asker = asker_of(agent)
        return await asyncio.gather(*(asked(asker, 4) for _ in range(5)))

    assert len(run(go())) == 5
    assert agent.asked == [0, 3, 6, 9, 12]


def test_tries_count_in_the_timeout_and_are_told_when_it_is_up() -> None:
    agent = Agent([busy(), busy(), OK], took=3)
    tries = list[Try]()
    with pytest.raises(TimeoutError):
        run(asked(asker_of(agent), 7, tries))
    assert [tried.error for tried in tries] == ["busy", "busy"]
    assert len(agent.asked) == 3


@pytest.mark.parametrize(
    "step", [OK, AgentError("no"), ValueError("bug"), asyncio.CancelledError(), None]
)
def test_a_turn_is_given_back_however_it_ends(step: Step | None) -> None:
    async def go() -> None:
        asker = asker_of(Agent([OK] if step is None else [step], took=1 if step else 10))
        with suppress(NotAnswered, asyncio.CancelledError, TimeoutError):
            await asked(asker, 5)
        async with asyncio.timeout(1):
            await asker.limits.enter()

    run(go())


def test_a_rate_limit_that_ends_the_tries_still_holds_the_others() -> None:
    agent = Agent([RateLimited(retry_after=50), OK])

    async def go() -> None:
        asker = asker_of(agent, retries=0)
        with pytest.raises(NotAnswered):
            await asked(asker)
        await asked(asker)

    run(go())
    assert agent.asked == [0, 51]


def test_whoever_waits_sees_the_pause_of_who_made_room() -> None:
    agent = Agent([RateLimited(retry_after=50), *[OK] * 5])

    async def go() -> None:
        asker = asker_of(agent, parallel=1)
        await asyncio.gather(*(asked(asker) for _ in range(4)))

    run(go())
    assert agent.asked[0] == 0
    assert min(agent.asked[1:]) == 51


def test_thousands_of_tries() -> None:
    agent = Agent([*[busy() for _ in range(1500)], OK])
    exchange = run(asked(asker_of(agent, retries=2000), 10**6))
    assert len(exchange.tries) == 1500
