"""A direct message: the answer alone on standard output, all else on standard error."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

AGENT = """
    import os

    def reply(request):
        return f"You said **{request.text}**\\n"

    def data(request):
        return {"text": request.text, "list": [1, None, 2.5], "ü": "é"}

    def noisy(request):
        print("printed by the agent")
        os.system("echo printed by a child")
        return "ok"

    def null(request):
        return None

    def empty(request):
        return ""

    def broken(request):
        raise ValueError("no good")

    def hostile(request):
        return "\\x1b[31mred\\x1b]0;title\\x07"
"""


@pytest.mark.parametrize(
    ("function", "code", "out", "err"),
    [
        ("reply", 0, "You said **hello world**\n", ""),
        ("data", 0, '{"text": "hello world", "list": [1, null, 2.5], "ü": "é"}\n', ""),
        ("noisy", 0, "ok\n", "printed by the agent\nprinted by a child\n"),
        ("null", 0, "null\n", ""),
        ("empty", 1, "", "error: the agent answered nothing\n"),
        ("broken", 1, "", "error: ValueError: no good\n"),
    ],
)
def test_the_answer(cli: Cli, function: str, code: int, out: str, err: str) -> None:
    cli.write("agent.py", AGENT)
    done = cli("test", "-i", "hello world", "-n", f"python:agent.py:{function}")
    assert done.code == code
    assert done.out == out
    assert sorted(done.err.splitlines()) == sorted(err.splitlines())
    assert cli.files() == ["agent.py"]


def test_the_agent_is_the_folder_that_one_stands_in(cli: Cli) -> None:
    cli.write("assistants/kind/assay.toml", '[agent]\ntransport = "echo"\ntarget = ""\n')
    cli.cases("assistants/kind/tests/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "hello", cwd="assistants/kind/tests")
    assert (done.code, done.out, done.err) == (0, "hello\n", "")


def test_without_an_agent(cli: Cli) -> None:
    done = cli("test", "-i", "hello")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"Error: message: no agent: no folder from {cli.root} upwards holds package.yao, or an"
        " assay.toml with [agent]; name the agent with -n\n"
    )


def test_checks_decide_the_exit_code(cli: Cli) -> None:
    good = cli(
        *("test", "-i", "hello", "-n", "echo:"),
        *("--assert", "contains:hell", "--assert", '{"type": "equals", "value": "hello"}'),
    )
    assert (good.code, good.out, good.err) == (0, "hello\n", "")
    bad = cli(
        *("test", "-i", "hello", "-n", "echo:", "--assert", "regex:^z", "--assert", "equals:x"),
    )
    assert (bad.code, bad.out) == (1, "hello\n")
    assert bad.err == ('failed: nothing in the output matches ^z; expected "x", got "hello"\n')


@pytest.mark.parametrize(
    ("assertion", "problem"),
    [
        ("contians:x", "no assertion type 'contians'; did you mean 'contains'?"),
        ("contains", "the value is missing; write contains:VALUE"),
        ("{bad", "not JSON"),
    ],
)
def test_a_check_that_is_none(cli: Cli, assertion: str, problem: str) -> None:
    done = cli("test", "-i", "hello", "-n", "echo:", "--assert", assertion)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: --assert {assertion}: {problem}")


def test_a_check_with_a_fault(cli: Cli) -> None:
    done = cli("test", "-i", "hello", "-n", "echo:", "--assert", '{"type": "regex", "value": "("}')
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "Error: 1 fault in the cases; no agent was asked\nmessage assert[0].value: not a pattern:"
    )


def test_checks_are_for_messages_alone(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--assert", "contains:x")
    assert (done.code, done.out, done.err) == (
        2,
        "",
        "Error: --assert: only for a direct message; write assertions into the cases\n",
    )


def test_a_report_is_written_when_asked_for(cli: Cli) -> None:
    done = cli("test", "-i", "hello", "-n", "echo:", "-o", "report.json", "--assert", "contains:h")
    assert (done.code, done.out, done.err) == (0, "hello\n", "")
    report = cli.json("report.json")
    assert report["summary"]["passed"] == 1
    (result,) = report["results"]
    assert (result["id"], result["input"], result["output"]) == ("T001", "hello", "hello")


def test_json_lines_when_asked_for(cli: Cli) -> None:
    done = cli("test", "-i", "hello", "-n", "echo:", "--json")
    assert (done.code, done.err) == (0, "")
    assert [line["type"] for line in done.lines] == ["start", "result", "summary"]
    assert cli.files() == []


def test_several_runs(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        asked = []
        def reply(request):
            asked.append(1)
            return "good" if len(asked) < 3 else "bad"
        """,
    )
    done = cli(
        *("test", "-i", "hello", "-n", "python:agent.py:reply"),
        *("--runs", "4", "--assert", "equals:good"),
    )
    assert (done.code, done.out) == (1, "bad\n")
    assert done.err == 'failed (2 of 4 runs passed): expected "good", got "bad"\n'


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
def test_on_a_terminal_markdown_is_rendered_and_escape_sequences_are_shown(cli: Cli) -> None:
    cli.write("agent.py", AGENT)
    shown = on_terminal(cli, "test", "-i", "hello", "-n", "python:agent.py:reply")
    assert "You said" in shown
    assert "**" not in shown
    assert "\x1b[1mhello\x1b[0m" in shown
    hostile = on_terminal(cli, "test", "-i", "hello", "-n", "python:agent.py:hostile")
    assert "red" in hostile
    assert "\x1b[31m" not in hostile
    assert "\x07" not in hostile


def on_terminal(cli: Cli, *args: str) -> str:
    """Run the command on a terminal of its own and give what appears there."""
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        cli.command(*args),
        cwd=cli.root,
        env={**cli.env, "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # Linux ends a terminal so, when nobody writes to it any more.
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    return shown.decode()
