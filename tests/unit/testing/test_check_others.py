from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import pytest
from attrs import frozen

from assay import (
    AgentError,
    AgentInfo,
    Done,
    Entry,
    LoadContext,
    Message,
    Request,
    Response,
    Suite,
    Task,
    Where,
    from_json,
    to_json,
    worker,
)
from assay.running.local import Local
from assay.testing import (
    check_executor,
    check_loader,
    check_script_engine,
    check_transport,
)
from assay_plugins.scripts.python import Python

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from assay import AgentRef, ExecutorContext


def returns(value: object) -> Any:
    """Make a plain method that gives one value."""

    def method(*_: object) -> object:
        return value

    return method


def variant(base: type, **members: Any) -> Any:
    return type(base.__name__, (base,), members)


class Answering:
    """Answers with what it is asked."""

    name: ClassVar[str] = "answering"

    @frozen(kw_only=True)
    class Settings:
        greeting: str = "hi"

    def __init__(self, agent: AgentRef, settings: Any) -> None:
        self.agent = agent
        self.greeting = settings.greeting

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def info(self) -> AgentInfo | None:
        return AgentInfo(name=self.agent.target)

    async def send(self, request: Request) -> Response:
        if request.text == "fail":
            raise AgentError("no")
        if request.text == "slow":
            await asyncio.Event().wait()
        await asyncio.sleep(0)
        return Response(text=f"{self.greeting} {request.text}")


def asked(text: str) -> Request:
    return Request(messages=(Message(content=text),))


def checked(cls: Any) -> None:
    check_transport(cls, "me", failing=[asked("fail")], slow=asked("slow"))


def test_a_good_transport_passes() -> None:
    checked(Answering)


def giving(value: object) -> Any:
    async def method(self: object, *_: object) -> object:
        return value

    return method


async def swallowing(self: Answering, request: Request) -> Response:
    try:
        return await Answering.send(self, request)
    except asyncio.CancelledError:
        return Response(text="never mind")


async def failing_otherwise(self: Answering, request: Request) -> Response:
    if request.text == "fail":
        raise ValueError("no")
    return await Answering.send(self, request)


async def failing_silently(self: Answering, request: Request) -> Response:
    if request.text == "fail":
        raise AgentError("")
    return await Answering.send(self, request)


async def answering_all(self: Answering, request: Request) -> Response:
    return Response(text="yes") if request.text != "slow" else await Answering.send(self, request)


async def answering_fast(self: Answering, request: Request) -> Response:
    return Response(text="yes") if request.text == "slow" else await Answering.send(self, request)


async def answering_once(self: Any, request: Request) -> Response:
    if hasattr(self, "was_asked"):
        raise RuntimeError("again?")
    self.was_asked = True
    return Response(text="once")


async def leaving_a_task(self: Any, *error: object) -> None:
    self.left = asyncio.create_task(asyncio.Event().wait(), name="left")


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"send": None}, "no method 'send'"),
        ({"__aenter__": giving(None)}, "__aenter__ must give itself"),
        ({"__aexit__": giving(True)}, "swallows the error"),
        ({"__aexit__": leaving_a_task}, "leaves the task 'left'"),
        ({"info": giving("me")}, "info() gives str"),
        ({"send": giving("hello")}, "it gives str instead of a Response"),
        ({"send": giving(Response())}, "its answer is empty"),
        ({"send": giving(Response(data={1, 2}))}, "no JSON value"),
        ({"send": answering_once}, "asked, it raises RuntimeError"),
        ({"send": swallowing}, "let CancelledError through"),
        ({"send": failing_otherwise}, "raises ValueError, and not AgentError"),
        ({"send": failing_silently}, "does not say why 'fail' fails"),
        ({"send": answering_all}, "for 'fail', which fails, it gives"),
        ({"send": answering_fast}, "answers the slow request"),
    ],
)
def test_a_transport_that_breaks_a_rule_is_caught(members: dict[str, Any], rule: str) -> None:
    with pytest.raises(AssertionError, match="Answering: ") as raised:
        checked(variant(Answering, **members))
    assert rule in str(raised.value)


def test_a_transport_that_holds_the_process_up_is_caught() -> None:
    end = threading.Event()

    async def leave(self: object, *error: object) -> None:
        threading.Thread(target=end.wait, name="left").start()

    try:
        with pytest.raises(AssertionError, match="thread 'left'"):
            check_transport(variant(Answering, __aexit__=leave), "me")
    finally:
        end.set()


def test_settings_without_defaults_must_be_given() -> None:
    @frozen(kw_only=True)
    class Settings:
        greeting: str

    cls = variant(Answering, Settings=Settings)
    with pytest.raises(AssertionError, match="give settings="):
        check_transport(cls, "me")
    check_transport(cls, "me", settings=Settings(greeting="hello"))


class Lines:
    """Reads a file whose lines are cases."""

    name: ClassVar[str] = "lines"

    def accepts(self, source: str, context: LoadContext) -> bool:
        return source.endswith(".lines")

    def load(self, source: str, context: LoadContext) -> Iterator[Suite]:
        path = context.cwd / source

        def entries() -> Iterator[Entry]:
            for number, line in enumerate(path.read_text().splitlines(), 1):
                yield Entry(where=Where(source, number), value={"id": line, "input": line})

        yield Suite(key=source, entries=entries, path=path)


def once(self: Lines, source: str, context: LoadContext) -> Iterator[Suite]:
    for suite in Lines.load(self, source, context):
        yield Suite(key=suite.key, entries=partial(next, iter([suite.entries()]), iter(())))


def accepts_unless_empty(self: Lines, source: str, context: LoadContext) -> bool:
    return source[0] != "h"


def with_key(key: str, times: int = 1) -> Any:
    def load(self: Lines, source: str, context: LoadContext) -> Iterator[Suite]:
        for suite in Lines.load(self, source, context):
            yield from [Suite(key=key, entries=suite.entries)] * times

    return load


def with_entries(*given: object) -> Any:
    def load(self: Lines, source: str, context: LoadContext) -> Iterator[Suite]:
        yield Suite(key=source, entries=returns(given))

    return load


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({}, ""),
        ({"accepts": returns(False)}, "does not accept"),
        ({"accepts": returns(True)}, "it accepts 'hello'"),
        ({"accepts": accepts_unless_empty}, "it raises IndexError"),
        ({"load": returns(())}, "gives no suite"),
        ({"load": returns([1])}, "int instead of a Suite"),
        ({"load": with_key("")}, "is no key"),
        ({"load": with_key("a\\b")}, "is no key"),
        ({"load": with_key("a", times=2)}, "several suites of one key"),
        ({"load": with_entries()}, "has no case"),
        ({"load": with_entries({"id": "a"})}, "dict instead of an Entry"),
        ({"load": with_entries(Entry(where=Where("")))}, "does not say where"),
        ({"load": once}, "the next time it has 0 entries"),
    ],
)
def test_loaders(tmp_path: Path, members: dict[str, Any], rule: str) -> None:
    (tmp_path / "a.lines").write_text("one\ntwo\n")
    cls = variant(Lines, **members)
    if not rule:
        check_loader(cls, "a.lines", cwd=tmp_path, rejects=["hello"])
        return
    with pytest.raises(AssertionError, match="Lines: ") as raised:
        check_loader(cls, "a.lines", cwd=tmp_path, rejects=["hello"])
    assert rule in str(raised.value)


SCRIPT = """
import os

def give(value):
    return value

def fail():
    raise ValueError("no")

def crash():
    os._exit(3)

def hang():
    while True:
        pass

def shout():
    for _ in range(1000):
        print("x" * 100)
    return "done"
"""


def test_a_good_script_engine_passes(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    check_script_engine(Python, file)


@pytest.mark.parametrize(
    ("script", "rule"),
    [
        (SCRIPT.replace("return value", "return str(value)"), "give gives"),
        (SCRIPT.replace('raise ValueError("no")', "return 1"), "fail gives 1 and does not fail"),
        (SCRIPT.replace("os._exit(3)", "return 2"), "crash gives 2 and does not fail"),
        (SCRIPT.replace("while True:", "while False:"), "hang() ends"),
        (SCRIPT.replace("def shout", "def whisper"), "does not see that script.py defines 'shout'"),
    ],
)
def test_a_script_that_does_something_else_is_caught(
    tmp_path: Path, script: str, rule: str
) -> None:
    file = tmp_path / "script.py"
    file.write_text(script)
    with pytest.raises(AssertionError, match="Python: ") as raised:
        check_script_engine(Python, file)
    assert rule in str(raised.value)


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"suffixes": (".rb",)}, "none of its suffixes"),
        ({"defines": returns(True)}, "defines 'no_such_function'"),
        ({"command": returns("python")}, "not the parts of a command"),
    ],
)
def test_a_script_engine_that_breaks_a_rule_is_caught(
    tmp_path: Path, members: dict[str, Any], rule: str
) -> None:
    file = tmp_path / "script.py"
    file.write_text(SCRIPT)
    with pytest.raises(AssertionError, match="Python: ") as raised:
        check_script_engine(variant(Python, **members), file)
    assert rule in str(raised.value)


def test_the_executor_of_core_passes() -> None:
    check_executor(Local)


class Elsewhere:
    """Makes its worker from the blueprint, as another process would."""

    name: ClassVar[str] = "elsewhere"

    def __init__(self, context: ExecutorContext, settings: object = None) -> None:
        self.blueprint = json.loads(json.dumps(context.blueprint))

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        async with worker(self.blueprint) as there:
            async for task in tasks:
                yield from_json(Done, to_json(await there.run(from_json(Task, to_json(task)))))


def test_an_executor_that_works_elsewhere_passes_without_a_context_of_its_own() -> None:
    check_executor(Elsewhere)


class Greedy:
    """Breaks one rule, by what ``how`` says."""

    name: ClassVar[str] = "greedy"
    how: ClassVar[str] = ""

    def __init__(self, context: ExecutorContext, settings: object) -> None:
        self.context = context

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        all_tasks = [task async for task in tasks]
        if self.how == "loses":
            all_tasks = all_tasks[1:]
        running = [asyncio.ensure_future(self.context.worker.run(task)) for task in all_tasks]
        for each in running:
            yield await each
            if self.how == "repeats":
                yield await each


@pytest.mark.parametrize(
    ("how", "rule"),
    [
        ("loses", "does not give back (0, 1)"),
        ("repeats", "more often than it got it"),
        ("", "tasks at once where 4 may"),
    ],
)
def test_an_executor_that_breaks_a_rule_is_caught(how: str, rule: str) -> None:
    with pytest.raises(AssertionError, match="Greedy: ") as raised:
        check_executor(variant(Greedy, how=how))
    assert rule in str(raised.value)


class Sequential(Greedy):
    """Runs one task after the other, but takes all of them first."""

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        for task in [task async for task in tasks]:
            yield await self.context.worker.run(task)


class Abandoning(Greedy):
    """Does not stop what is under way when it is closed."""

    async def run(self, tasks: AsyncIterator[Task]) -> AsyncIterator[Done]:
        async for task in tasks:
            first = asyncio.ensure_future(self.context.worker.run(task))
            other = await anext(tasks, None)
            if other is not None:
                LEFT.append(asyncio.ensure_future(self.context.worker.run(other)))
            yield await first
            if other is not None:
                yield await LEFT[-1]


LEFT: list[asyncio.Future[Done]] = []


@pytest.mark.parametrize(
    ("cls", "rule"),
    [(Sequential, "takes 60 tasks before"), (Abandoning, "closed, it leaves 1 tasks running")],
)
def test_an_executor_that_takes_too_much_or_lets_go_of_nothing_is_caught(
    cls: Any, rule: str
) -> None:
    with pytest.raises(AssertionError) as raised:
        check_executor(cls)
    assert rule in str(raised.value)
