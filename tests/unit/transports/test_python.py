"""A Python function as agent."""

from __future__ import annotations

import asyncio
import sys
import threading
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from assay import (
    AgentError,
    AgentRef,
    ConfigError,
    Message,
    RateLimited,
    Request,
    Response,
    TransportError,
)
from assay.testing import check_transport
from assay_plugins.transports.python import Python

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HELLO = Request(messages=(Message(content="hello"),))


@pytest.fixture(autouse=True)
def modules() -> Iterator[None]:
    """Forget what agents have put on the import path and loaded."""
    path, loaded = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - loaded:
        del sys.modules[name]


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text))
    return folder


def transport_of(target: str, base: Path | None = None) -> Python:
    return Python(AgentRef(transport="python", target=target, name="agent", base=base))


async def sent(transport: Python, request: Request = HELLO) -> Response:
    async with transport:
        assert await transport.info() is None
        return await transport.send(request)


def asked(target: str, base: Path | None = None, request: Request = HELLO) -> Response:
    return asyncio.run(sent(transport_of(target, base), request))


def test_a_function_in_a_file_answers(tmp_path: Path) -> None:
    write(tmp_path, agent="def reply(request):\n    return request.text.upper()")

    assert asked("agent.py:reply", tmp_path) == Response(text="HELLO")


def test_a_function_in_a_module_answers(tmp_path: Path) -> None:
    write(tmp_path / "package_one", __init__="", inner="def reply(request):\n    return [1]")

    assert asked("package_one.inner:reply", tmp_path).output == [1]


def test_a_target_without_a_base_is_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, agent="def reply(request):\n    return 'here'")
    monkeypatch.chdir(tmp_path)

    assert asked("agent.py:reply").text == "here"


def test_an_absolute_file_and_an_object_with_dots(tmp_path: Path) -> None:
    write(
        tmp_path,
        agent="""
        class Agent:
            def reply(self, request): return "method"
            def __call__(self, request): return "called"
        agent = Agent()
        """,
    )

    assert asked(f"{tmp_path / 'agent.py'}:agent.reply").text == "method"
    assert asked(f"{tmp_path / 'agent.py'}:agent").text == "called"


@pytest.mark.parametrize(
    "source",
    [
        "async def reply(request): return {'a': 1}",
        "async def inner(request): return {'a': 1}\ndef reply(request): return inner(request)",
        "class A:\n    async def __call__(self, request): return {'a': 1}\nreply = A()",
        "from functools import partial\nasync def f(x, request): return {'a': 1}\n"
        "reply = partial(f, 1)",
    ],
)
def test_async_functions_of_all_kinds_answer(tmp_path: Path, source: str) -> None:
    write(tmp_path, agent=source)

    assert asked("agent.py:reply", tmp_path) == Response(data={"a": 1})


def test_an_async_function_runs_on_the_loop_and_a_plain_one_in_a_daemon_thread(
    tmp_path: Path,
) -> None:
    write(
        tmp_path,
        agent="""
        import threading
        def name(request):
            assert threading.current_thread().daemon
            return threading.current_thread().name
        async def async_name(request): return threading.current_thread().name
        """,
    )

    assert asked("agent.py:name", tmp_path).text == "agent agent"
    assert asked("agent.py:async_name", tmp_path).text == threading.current_thread().name


def test_none_is_the_answer_null(tmp_path: Path) -> None:
    write(tmp_path, agent="def reply(request): pass")

    response = asked("agent.py:reply", tmp_path)

    assert response.output is None
    assert not response.is_empty


@pytest.mark.parametrize("keyword", ["def", "async def"])
@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("raise ValueError('no such thing')", "ValueError: no such thing"),
        ("raise KeyError", "KeyError"),
        ("import sys; sys.exit('bye')", "SystemExit: bye"),
        ("import asyncio; raise asyncio.CancelledError('own')", "CancelledError: own"),
        ("raise TimeoutError", "TimeoutError"),
        ("raise StopIteration", "StopIteration"),
        ("raise AgentError('busy')", "busy"),
        ("raise ConfigError('inside')", "ConfigError: inside"),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1/0})", "Odd"),
    ],
)
def test_what_an_agent_raises_is_an_agent_error(
    tmp_path: Path, keyword: str, statement: str, message: str
) -> None:
    source = f"from assay import AgentError, ConfigError\n{keyword} reply(request): {statement}"
    write(tmp_path, agent=source)

    with pytest.raises(AgentError) as told:
        asked("agent.py:reply", tmp_path)

    # An exception in a coroutine that is StopIteration becomes one of the interpreter's.
    if statement != "raise StopIteration" or keyword == "def":
        assert str(told.value) == message
    assert not isinstance(told.value, TransportError)


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_transport_errors_of_an_agent_stay_what_they_are(tmp_path: Path, keyword: str) -> None:
    write(
        tmp_path,
        agent=f"""
        from assay import RateLimited, TransportError
        {keyword} away(request): raise TransportError("away", retryable=True)
        {keyword} busy(request): raise RateLimited("busy", retry_after=2.5)
        """,
    )

    with pytest.raises(TransportError, match="away") as away:
        asked("agent.py:away", tmp_path)
    with pytest.raises(RateLimited, match="busy") as busy:
        asked("agent.py:busy", tmp_path)

    assert away.value.retryable
    assert busy.value.retry_after == 2.5


def test_cancelling_reaches_an_async_agent(tmp_path: Path) -> None:
    write(
        tmp_path,
        agent="""
        import asyncio
        async def reply(request):
            try:
                await asyncio.Event().wait()
            finally:
                request.metadata["seen"].append("cancelled")
        """,
    )
    seen: list[str] = []

    async def go() -> None:
        request = Request(messages=(), metadata={"seen": seen})
        await asyncio.wait_for(sent(transport_of("agent.py:reply", tmp_path), request), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(go())
    assert seen == ["cancelled"]


def test_a_plain_agent_that_hangs_is_abandoned(tmp_path: Path) -> None:
    write(tmp_path, agent="import threading\ndef reply(r): threading.Event().wait()")

    async def go() -> None:
        await asyncio.wait_for(sent(transport_of("agent.py:reply", tmp_path)), 0.05)

    with pytest.raises(TimeoutError):
        asyncio.run(go())


def test_a_callable_can_be_the_agent() -> None:
    transport = Python.of_function(lambda request: {"said": request.text})

    assert asyncio.run(sent(transport)).output == {"said": "hello"}


def test_a_callable_that_takes_no_request_is_refused() -> None:
    def reply() -> str:
        return ""

    with pytest.raises(ConfigError, match=r"reply: takes \(\) -> 'str', but is called with"):
        Python.of_function(reply)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType] - the mistake under test


@pytest.mark.parametrize("target", ["", "agent.py", "agent:", ":reply", "a..b:reply", "a b:reply"])
def test_a_target_of_another_form_is_refused_at_once(target: str) -> None:
    with pytest.raises(ConfigError, match=r"names no function; write python:file\.py:function"):
        transport_of(target)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (
            "agnt.py:reply",
            r"python:agnt\.py:reply: no file agnt\.py in .*; did you mean agent",
        ),
        ("x/y.py:reply", r"no file x/y\.py in .*; the path is relative to that folder"),
        ("agemt:reply", r"no module agemt in .* or on Python's path; did you mean agent\?"),
        ("not_there_at_all:reply", r"no module not_there_at_all in .*; install it, or write file"),
        ("agent.sub:reply", r"no module agent\.sub"),
        ("agent.py:repyl", r"no function repyl in agent\.py; did you mean reply\?"),
        ("agent.py:zzz", r"no function zzz in agent\.py; it has reply, two$"),
        ("agent.py:text", r"python:agent\.py:text: is of type str; name a function"),
        ("agent.py:Kind", r"is a class; name a function"),
        ("agent.py:two", r"two: takes \(a, b\), but is called with the request alone"),
    ],
)
def test_a_bad_target_is_an_error_that_tells_what_was_looked_for(
    tmp_path: Path, target: str, message: str
) -> None:
    write(
        tmp_path,
        agent="""
        text = "x"
        class Kind: pass
        def reply(request): return ""
        def two(a, b): return ""
        def _hidden(request): return ""
        """,
    )

    with pytest.raises(ConfigError, match=message):
        asked(target, tmp_path)


@pytest.mark.parametrize("target", ["broken.py:reply", "broken:reply"])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\nraise ValueError('at once')", r"raised ValueError: at once \(.*broken\.py:2\)"),
        ("import nowhere_to_be_found", r"raised ModuleNotFoundError: No module named 'nowhere_"),
        ("def reply(:", r"raised SyntaxError: .* \(.*broken\.py:1\); mend the module"),
        ("import sys\nsys.exit(3)", r"raised SystemExit: 3 \(.*broken\.py:2\)"),
    ],
)
def test_a_module_that_raises_on_import_is_an_error_with_its_place(
    tmp_path: Path, target: str, source: str, message: str
) -> None:
    write(tmp_path, broken=source)

    with pytest.raises(ConfigError, match=message):
        asked(target, tmp_path)


def test_a_module_that_raised_is_loaded_anew_when_it_is_mended(tmp_path: Path) -> None:
    write(tmp_path, agent="raise ValueError")
    with pytest.raises(ConfigError):
        asked("agent.py:reply", tmp_path)

    write(tmp_path, agent="def reply(request): return 'mended, at another size'")

    assert asked("agent.py:reply", tmp_path).text == "mended, at another size"


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_it_keeps_the_contract_of_transports(tmp_path: Path, keyword: str) -> None:
    write(
        tmp_path,
        agent=f"""
        import asyncio, threading
        {keyword} reply(request):
            if request.text == "fail": raise ValueError("as asked")
            if request.text == "wait": {
            "await asyncio.Event().wait()" if "async" in keyword else "threading.Event().wait()"
        }
            return request.text
        """,
    )

    check_transport(
        Python,
        "agent.py:reply",
        base=tmp_path,
        failing=[Request(messages=(Message(content="fail"),))],
        slow=Request(messages=(Message(content="wait"),)),
    )
