"""Transports are opened and closed once each, by the task that owns them."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any, Self

import pytest
from attrs import define, field

from assay.errors import ConfigError, RunError, TransportError
from assay.model.case import AgentRef
from assay.model.exchange import AgentInfo, Request, Response
from assay.running import transports
from assay.running.transports import Transports
from jumping_clock import now, run


@define
class Line:
    """A transport that notes who opens and closes it."""

    name: str
    log: list[str]
    opens: Any = None
    informs: Any = None
    closes: Any = None
    owner: object = field(default=None, init=False)

    async def __aenter__(self) -> Self:
        self.owner = asyncio.current_task()
        self.log.append(f"open {self.name}")
        await self._do(self.opens)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert asyncio.current_task() is self.owner
        await self._do(self.closes)
        self.log.append(f"close {self.name}")

    async def info(self) -> AgentInfo | None:
        await self._do(self.informs)
        return AgentInfo(name=self.name)

    async def send(self, request: Request) -> Response:
        return Response(text=self.name)

    async def _do(self, what: Any) -> None:
        if isinstance(what, BaseException):
            raise what
        if what is not None:
            await asyncio.sleep(what)


def agent(name: str) -> AgentRef:
    return AgentRef(transport="line", target=name, name=name)


def opened(lines: dict[str, Line], *keys: tuple[str, int]) -> list[str | None]:
    """Open transports for agents, and give what their preflight told."""

    async def main() -> list[str | None]:
        made: list[tuple[str, int]] = []

        def make(ref: AgentRef, settings: int) -> Line:
            made.append((ref.name, settings))
            line = lines[ref.name]
            if isinstance(line, BaseException):
                raise line
            return line

        async with Transports(make) as all_:
            await all_.open([(agent(name), number) for name, number in keys])
            await all_.open([(agent(name), number) for name, number in keys])
            assert made == list(dict.fromkeys(keys))
            infos = [all_.opened(agent(name), number).info for name, number in keys]
        return [None if info is None else info.name for info in infos]

    return run(main())


def test_each_is_opened_and_closed_once() -> None:
    log: list[str] = []
    lines = {name: Line(name, log) for name in "ab"}
    assert opened(lines, ("a", 0), ("b", 0), ("a", 0)) == ["a", "b", "a"]
    assert sorted(log) == ["close a", "close b", "open a", "open b"]


def test_all_are_opened_at_once() -> None:
    log: list[str] = []
    lines = {name: Line(name, log, opens=5) for name in "abc"}

    async def main() -> float:
        async with Transports(lambda ref, _: lines[ref.name]) as all_:
            await all_.open([(agent(name), 0) for name in "abc"])
            return now()

    assert run(main()) == 5


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"opens": ConfigError("no such file")}, ConfigError, "no such file"),
        ({"opens": TransportError("refused")}, RunError, "agent 'bad' over 'line': refused"),
        ({"informs": KeyError("x")}, RunError, "agent 'bad' over 'line': KeyError: 'x'"),
        ({"opens": 3600}, RunError, "agent 'bad' over 'line': not open after 60s; is it there?"),
        ({"informs": 3600}, RunError, "agent 'bad' over 'line': not open after 60s"),
    ],
)
def test_one_that_does_not_open_is_told_and_the_others_are_closed(
    more: dict[str, Any], error: type[Exception], message: str
) -> None:
    log: list[str] = []
    lines = {"good": Line("good", log), "bad": Line("bad", log, **more)}
    with pytest.raises(error) as caught:
        opened(lines, ("good", 0), ("bad", 0))
    assert str(caught.value).startswith(message)
    assert "close good" in log


def test_one_that_cannot_be_made_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[str] = []
    lines: dict[str, Any] = {"good": Line("good", log), "bad": ConfigError("no target")}
    with pytest.raises(ConfigError, match="no target"):
        opened(lines, ("good", 0), ("bad", 0))
    assert log == []


def test_one_that_does_not_close_is_left_behind() -> None:
    log: list[str] = []

    async def main() -> float:
        async with Transports(lambda ref, _: Line("a", log, closes=3600)) as all_:
            await all_.open([(agent("a"), 0)])
        return now()

    assert run(main()) == transports.CLOSE_SECONDS


def test_opening_can_be_cancelled_before_it_has_begun() -> None:
    log: list[str] = []

    async def main() -> None:
        async with Transports(lambda ref, _: Line(ref.name, log)) as all_:
            opening = asyncio.create_task(all_.open([(agent("a"), 0), (agent("b"), 0)]))
            # It has made them, and what opens them has not had its turn.
            await asyncio.sleep(0)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening

    run(main())
    assert log == []


def test_one_that_does_not_close_or_fails_is_told() -> None:
    told: list[str] = []
    lines = {"late": Line("late", [], closes=3600), "bad": Line("bad", [], closes=KeyError("x"))}

    async def main() -> None:
        async with Transports(lambda ref, _: lines[ref.name], told=told.append) as all_:
            await all_.open([(agent(name), 0) for name in lines])

    run(main())
    assert sorted(told) == [
        "agent 'bad' over 'line': closing failed: KeyError: 'x'",
        "agent 'late' over 'line': not closed after 10s; it is left behind",
    ]


def test_opening_can_be_cancelled_at_once() -> None:
    log: list[str] = []

    async def main() -> float:
        async def use() -> None:
            async with Transports(lambda ref, _: Line(ref.name, log, opens=50)) as all_:
                await all_.open([(agent("a"), 0), (agent("b"), 0)])

        task = asyncio.create_task(use())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return now()

    assert run(main()) == 1


def test_one_that_did_not_open_does_not_keep_later_ones_from_opening() -> None:
    log: list[str] = []
    lines = {"bad": Line("bad", log, opens=TransportError("refused")), "good": Line("good", log)}

    async def main() -> None:
        async with Transports(lambda ref, _: lines[ref.name]) as all_:
            with pytest.raises(RunError, match="refused"):
                await all_.open([(agent("bad"), 0)])
            await all_.open([(agent("good"), 0)])

    run(main())
    assert log == ["open bad", "open good", "close good"]
