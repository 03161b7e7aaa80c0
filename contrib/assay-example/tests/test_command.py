"""The command transport, with real programs."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from assay import (
    AgentError,
    AgentRef,
    ConfigError,
    Environment,
    Message,
    Request,
    Response,
    TransportError,
)
from assay.testing import check_transport
from assay_example.command import Command

HELLO = Request(messages=(Message(content="hello ✓"),), environment=Environment(user_id="ann"))


def command(target: str, base: Path | None = None, **settings: int) -> Command:
    agent = AgentRef(transport="command", target=target, name="agent", base=base)
    return Command(agent, Command.Settings(**settings))


def python(folder: Path, source: str) -> str:
    """Write a program, and give the target that runs it."""
    (folder / "program.py").write_text(dedent(source))
    return shlex.join([sys.executable, "program.py"])


def asked(folder: Path, source: str, **settings: int) -> Response:
    async def go() -> Response:
        async with command(python(folder, source), folder, **settings) as transport:
            assert await transport.info() is None
            return await transport.send(HELLO)

    return asyncio.run(go())


def test_the_request_arrives_as_json(tmp_path: Path) -> None:
    response = asked(
        tmp_path,
        """
        import json, sys
        request = json.load(sys.stdin)
        print(json.dumps({"data": [request["messages"], request["environment"]["user_id"]]}))
        """,
    )

    assert response.output == [[{"role": "user", "content": "hello ✓"}], "ann"]


@pytest.mark.parametrize(
    ("written", "response"),
    [
        ("hello\n", Response(text="hello")),
        ("two\nlines\n\n", Response(text="two\nlines\n")),
        ("", Response()),
        ('{"text": "a"}\n', Response(text="a")),
        ('{"data": null}', Response(data=None)),
        ('{"text": "a", "data": {"b": 1}}', Response(text="a", data={"b": 1})),
        ('{"text": "a", "language": "en"}\n', Response(text='{"text": "a", "language": "en"}')),
        ("{}\n", Response(text="{}")),
        ("[1]", Response(text="[1]")),
        ('{"text": ', Response(text='{"text": ')),
    ],
)
def test_what_it_writes_is_the_answer(tmp_path: Path, written: str, response: Response) -> None:
    assert asked(tmp_path, f"print({written!r}, end='')") == response


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "import sys\nfor n in range(20): print('line', n, file=sys.stderr)\nsys.exit(3)",
            "ended with exit code 3: line 15\nline 16\nline 17\nline 18\nline 19",
        ),
        ("raise SystemExit(1)", "ended with exit code 1"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "was killed by SIGKILL"),
        ("print('{\"text\": 5}')", '"text" of the answer is not text'),
        ("import sys\nsys.stdout.buffer.write(b'\\xff')", "is not UTF-8"),
    ],
)
def test_a_program_that_fails_is_an_agent_error(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(AgentError) as told:
        asked(tmp_path, source)

    assert message in str(told.value)


def test_an_endless_answer_is_cut(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="wrote more than 1000 bytes; raise max_output"):
        asked(tmp_path, "while True: print('x' * 100)", max_output=1000)


def test_a_program_that_does_not_read_can_answer(tmp_path: Path) -> None:
    request = Request(messages=(Message(content="x" * 1_000_000),))

    async def go() -> Response:
        async with command(python(tmp_path, "print('done')"), tmp_path) as transport:
            return await transport.send(request)

    assert asyncio.run(go()).text == "done"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_program_that_is_late_is_killed_with_all_that_it_started(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    source = """
    import subprocess, sys
    # Only this child holds the pipe: its end shows that the child is gone.
    child = "pipe = open('pipe', 'w'); pipe.write('up'); pipe.flush(); input()"
    subprocess.run([sys.executable, "-c", child], stdin=subprocess.PIPE)
    """

    async def go() -> str:
        async with command(python(tmp_path, source), tmp_path) as transport:
            sending = asyncio.ensure_future(transport.send(HELLO))
            with await asyncio.to_thread((tmp_path / "pipe").open) as pipe:
                assert await asyncio.to_thread(pipe.read, 2) == "up"
                sending.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await sending
                return await asyncio.to_thread(pipe.read)

    assert asyncio.run(go()) == ""


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("", "command: names no program; write command:PROGRAM"),
        ("  ", "command: names no program"),
        ("say 'hello", "No closing quotation; close the quotes"),
    ],
)
def test_a_target_of_another_form_is_refused_at_once(target: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        command(target)


@pytest.mark.parametrize("program", ["no-such-program-here", "./program.sh"])
def test_a_program_that_is_not_there_is_found_before_the_run(tmp_path: Path, program: str) -> None:
    with pytest.raises(ConfigError, match=f"command: no program {program}; check the path"):
        asyncio.run(command(program, tmp_path).info())


@pytest.mark.skipif(os.name != "posix", reason="scripts start by their first line")
def test_a_path_is_relative_to_the_agents_folder(tmp_path: Path) -> None:
    script = tmp_path / "program.sh"
    script.write_text("#!/bin/sh\npwd\n")
    script.chmod(0o755)

    async def go() -> str:
        async with command("./program.sh", tmp_path) as transport:
            assert await transport.info() is None
            return (await transport.send(HELLO)).text

    assert Path(asyncio.run(go())).samefile(tmp_path)


def test_a_program_that_has_gone_since_is_a_transport_error(tmp_path: Path) -> None:
    with pytest.raises(TransportError, match="program could not be started"):
        asyncio.run(command("./program", tmp_path).send(HELLO))


def test_it_keeps_the_contract_of_transports(tmp_path: Path) -> None:
    source = """
    import json, sys, time
    text = json.load(sys.stdin)["messages"][-1]["content"]
    if text == "fail": sys.exit("as asked")
    if text == "wait": time.sleep(60)
    print(text)
    """

    check_transport(
        Command,
        python(tmp_path, source),
        base=tmp_path,
        failing=[Request(messages=(Message(content="fail"),))],
        slow=Request(messages=(Message(content="wait"),)),
    )
