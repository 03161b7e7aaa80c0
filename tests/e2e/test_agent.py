"""Which agent is tested, how it is reached, and who asks it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

WHO = """
    def reply(request):
        who = request.environment
        return {
            "user": who.user_id,
            "team": who.team_id,
            "locale": who.locale,
            "client_type": who.client_type,
            "client_ip": who.client_ip,
            "referer": who.referer,
            "accept": who.accept,
            "connector": request.connector,
        }
"""

DEFAULTS = {
    "user": "test-user",
    "team": "test-team",
    "locale": "en-us",
    "client_type": "test",
    "client_ip": "127.0.0.1",
    "referer": "test",
    "accept": "standard",
    "connector": None,
}


def test_a_function_of_a_file_or_a_module(cli: Cli) -> None:
    cli.write("agent.py", "def reply(request): return 'file ' + request.text\n")
    cli.write("pack/__init__.py", "")
    cli.write("pack/sub.py", "async def reply(request): return 'module ' + request.text\n")
    cli.cases("cases/cases.jsonl", {"id": "a", "input": "x"})
    for target, answer in [("agent.py:reply", "file x"), ("pack.sub:reply", "module x")]:
        done = cli("test", "-i", "cases/cases.jsonl", "-n", f"python:{target}", "--json", "-q")
        assert done.code == 0, done.err
        start, result, _ = done.lines
        assert result["output"] == answer
        assert start["agent_id"] == f"python:{target}"


def test_the_nearest_folder_that_is_an_agent(cli: Cli) -> None:
    cli.write("app.yao", "{}")
    cli.write("assistants/package.yao", '{"name": "Not the nearest"}')
    cli.write(
        "assistants/workers/system/keyword/package.yao",
        """
        {
          // JSON with comments
          "name": "Keyword", /* and trailing commas */
          "description": "Finds keywords",
          "connector": "gpt-4o",
        }
        """,
    )
    cli.write(
        "assistants/workers/system/keyword/assay.toml",
        '[agent]\ntransport = "python"\ntarget = "src/agent.py:reply"\n',
    )
    cli.write("assistants/workers/system/keyword/src/agent.py", WHO)
    cases = "assistants/workers/system/keyword/tests/deep/cases.jsonl"
    cli.cases(cases, {"id": "a", "input": "x"})
    done = cli("test", "-i", cases, "--json", "-q")
    assert done.code == 0, done.err
    start, result, summary = done.lines
    (suite,) = start["suites"]
    folder = cli.root / "assistants/workers/system/keyword"
    assert {key: suite[key] for key in ("agent_id", "connector", "transport", "target")} == {
        "agent_id": "workers.system.keyword",
        "connector": "gpt-4o",
        "transport": "python",
        "target": "src/agent.py:reply",
    }
    assert suite["description"] == "Finds keywords"
    assert suite["path"] == str(folder)
    assert summary["agent_id"] == "workers.system.keyword"
    assert summary["connector"] == "gpt-4o"
    assert result["output"] == DEFAULTS


def test_assay_toml_wins_over_package_yao_in_one_folder(cli: Cli) -> None:
    cli.write("kind/package.yao", '{"name": "P", "description": "of p", "connector": "p"}')
    cli.write(
        "kind/assay.toml",
        '[agent]\nname = "A"\ntransport = "echo"\ntarget = ""\nconnector = "a"\n',
    )
    cli.cases("kind/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "kind/cases.jsonl", "--json", "-q")
    assert done.code == 0, done.err
    (suite,) = done.lines[0]["suites"]
    assert (suite["transport"], suite["connector"]) == ("echo", "a")
    assert (suite["agent_id"], suite["description"]) == ("kind", "of p")


def test_settings_without_an_agent_table_are_no_agent(cli: Cli) -> None:
    cli.write("assay.toml", '[agent]\ntransport = "echo"\ntarget = ""\n')
    cli.write("inner/assay.toml", '[test]\nuser = "inner"\n')
    cli.cases("inner/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "inner/cases.jsonl", "--json", "-q")
    assert done.code == 0, done.err
    assert done.lines[0]["agent_id"] == cli.root.name
    assert done.lines[0]["environment"]["user_id"] == "inner"


def test_a_package_yao_needs_its_transport(cli: Cli) -> None:
    cli.write("assistants/keyword/package.yao", '{"name": "Keyword"}')
    cli.cases("assistants/keyword/tests/inputs.jsonl", {"id": "a", "input": "x"})
    cases = "assistants/keyword/tests/inputs.jsonl"
    done = cli("test", "-i", cases, "--transport", "pigeon")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: agent 'keyword': no transport 'pigeon'")
    assert "echo, " in done.err
    assert done.err.endswith("Name another with --transport, or write -n TRANSPORT:TARGET.\n")
    swapped = cli("test", "-i", cases, "-n", "echo:", "--json", "-q")
    assert swapped.code == 0


def test_a_broken_package_yao_is_told(cli: Cli) -> None:
    cli.write("kind/package.yao", '{"name": "Keyword"\n"connector": 1}')
    cli.cases("kind/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "kind/cases.jsonl")
    assert (done.code, done.out) == (2, "")
    assert "kind/package.yao:2:1" in done.err


def test_another_default_transport(cli: Cli) -> None:
    cli.write("replies.jsonl", '{"match": "", "output": "canned"}\n')
    done = cli("test", "-i", "x", "-n", "replies.jsonl", "--transport", "echo")
    assert (done.code, done.out) == (0, "canned\n")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("pyton:agent.py:reply", "-n pyton:agent.py:reply: no transport 'pyton'; did you mean"),
        ("python:agent.py", "python:agent.py: names no function"),
        ("python:agent.py:relpy", "python:agent.py:relpy: no function relpy in agent.py; did you"),
        ("python:gone.py:reply", "python:gone.py:reply: "),
        ("python:no.such:reply", "python:no.such:reply: "),
        ("python:broken.py:reply", "python:broken.py:reply: "),
        ("python:exits.py:reply", "python:exits.py:reply: "),
        ("python:agent.py:WORD", "python:agent.py:WORD: is of type str; name a function"),
        ("python:agent.py:two", "python:agent.py:two: takes (one, two)"),
        ("echo:gone.jsonl", "gone.jsonl: cannot be read: No such file or directory"),
    ],
)
def test_an_agent_that_is_none_is_told_before_it_is_asked(
    cli: Cli, name: str, problem: str
) -> None:
    cli.write("agent.py", "WORD = 'x'\ndef reply(request): ...\ndef two(one, two): ...\n")
    cli.write("broken.py", "import nothing_of_this_name\n")
    cli.write("exits.py", "raise SystemExit(0)\n")
    done = cli("test", "-i", "x", "-n", name)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {problem}"), done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("name", "meant"),
    [("agent.py:reply", "python:agent.py:reply"), ("agent.py", "python:agent.py:FUNCTION")],
)
def test_a_python_file_without_its_transport_is_told(cli: Cli, name: str, meant: str) -> None:
    cli.write("agent.py", WHO)
    done = cli("test", "-i", "hi", "-n", name)
    assert done.code == 2
    assert done.err == (
        f"Error: -n {name}: agent.py is a file, and no transport is named; write {meant}\n"
    )


def test_what_a_python_agent_may_answer(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        import asyncio
        from assay import AgentError, RateLimited, Response, TransportError

        async def reply(request):
            await asyncio.sleep(0)
            match request.text:
                case "text": return "plain"
                case "object": return {"a": [1, 2.5, None, True]}
                case "null": return None
                case "number": return 10**30
                case "response": return Response(text="said", data={"b": 1})
                case "empty": return ""
                case "set": return {1, 2}
                case "raises": raise KeyError("gone")
                case "agent": raise AgentError("will not", partial="so far")
                case "transport": raise TransportError("line is dead")
        """,
    )
    words = ("text", "object", "null", "number", "response", "empty", "set", "raises", "agent")
    cli.cases("cases.jsonl", *({"id": word, "input": word} for word in (*words, "transport")))
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:reply")
    outputs = {name: line.get("output", "absent") for name, line in results.items()}
    assert outputs == {
        "text": "plain",
        "object": {"a": [1, 2.5, None, True]},
        "null": None,
        "number": 10**30,
        "response": {"b": 1},
        "empty": "absent",
        "set": "absent",
        "raises": "absent",
        "agent": "so far",
        "transport": "absent",
    }
    errors = {name: line["error"] for name, line in results.items() if line["status"] == "error"}
    assert errors.pop("set").startswith("the agent returned ")
    assert errors == {
        "empty": "the agent answered nothing",
        "raises": "KeyError: 'gone'",
        "agent": "will not",
        "transport": "line is dead",
    }


def test_what_an_agent_prints_stays_away_from_the_results(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        import os, sys
        print("at import")

        def reply(request):
            print("printed")
            sys.stdout.write("written\\n")
            os.write(1, b"raw\\n")
            os.system("echo child")
            return "ok"
        """,
    )
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "-q")
    assert done.code == 0
    assert [line["type"] for line in done.lines] == ["start", "result", "summary"]
    said = ("at import", "printed", "written", "raw", "child")
    assert [line for line in done.err.splitlines() if line in said] == list(said)


def test_canned_answers(cli: Cli) -> None:
    cli.write(
        "replies.jsonl",
        '{"match": "weather", "output": {"need_search": true}}\n'
        '{"match": "hello", "output": "hi"}\n',
    )
    cli.cases(
        "cases.jsonl",
        {"id": "part", "input": "What's the weather?"},
        {"id": "whole", "input": "hello"},
        {"id": "none", "input": "other"},
    )
    results = cli.results("-i", "cases.jsonl", "-n", "echo:replies.jsonl")
    assert results["part"]["output"] == {"need_search": True}
    assert results["whole"]["output"] == "hi"
    assert results["none"]["status"] == "error"
    assert results["none"]["error"] == (
        "echo:replies.jsonl has no answer to 'other'; add a line for it"
    )


def test_flags_beat_cases_which_beat_files_which_beat_defaults(cli: Cli) -> None:
    cli.write("agent.py", WHO)
    cases = [
        {"id": "plain", "input": "x"},
        {"id": "own", "input": "x", "user": "case-user", "team": "case-team"},
        {"id": "half", "input": "x", "user": "case-user"},
    ]
    cli.cases("cases.jsonl", *cases)
    cli.cases("file/cases.jsonl", *cases)
    cli.write("file/assay.toml", '[test]\nuser = "file-user"\nteam = "file-team"\nlocale = "de"\n')

    def who(source: str, *flags: str, env: dict[str, str] | None = None) -> list[list[str]]:
        found = cli.results("-i", source, "-n", "python:agent.py:reply", *flags, env=env)
        answers = [found[name]["output"] for name in ("plain", "own", "half")]
        return [[answer["user"], answer["team"], answer["locale"]] for answer in answers]

    assert who("cases.jsonl") == [
        ["test-user", "test-team", "en-us"],
        ["case-user", "case-team", "en-us"],
        ["case-user", "test-team", "en-us"],
    ]
    assert who("file/cases.jsonl") == [
        ["file-user", "file-team", "de"],
        ["case-user", "case-team", "de"],
        ["case-user", "file-team", "de"],
    ]
    assert (
        who("file/cases.jsonl", "-u", "flag", "-t", "flags", "--locale", "fr")
        == [["flag", "flags", "fr"]] * 3
    )
    assert (
        who("file/cases.jsonl", env={"ASSAY_USER": "var", "ASSAY_TEAM": "vars"})
        == [["var", "vars", "de"]] * 3
    )


def test_another_connector(cli: Cli) -> None:
    cli.write("kind/agent.py", WHO)
    cli.write(
        "kind/assay.toml",
        '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\nconnector = "own"\n',
    )
    cli.cases(
        "kind/cases.jsonl",
        {"id": "plain", "input": "x"},
        {"id": "option", "input": "x", "options": {"connector": "case"}},
    )
    plain = cli("test", "-i", "kind/cases.jsonl", "--json", "-q")
    asked = {line["id"]: line["output"]["connector"] for line in plain.lines[1:3]}
    assert (plain.lines[0]["connector"], asked) == ("own", {"plain": None, "option": "case"})
    swapped = cli("test", "-i", "kind/cases.jsonl", "-c", "flag", "--json", "-q")
    asked = {line["id"]: line["output"]["connector"] for line in swapped.lines[1:3]}
    assert (swapped.lines[0]["connector"], asked) == ("flag", {"plain": "flag", "option": "flag"})


def test_an_agent_file_is_relative_to_what_names_it(cli: Cli) -> None:
    cli.write("agent.py", "import near\ndef reply(request): return near.WORD\n")
    cli.write("near.py", "WORD = 'outer'\n")
    cli.write("kind/agent.py", "import close\ndef reply(request): return close.WORD\n")
    cli.write("kind/close.py", "WORD = 'inner'\n")
    cli.write("kind/assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n')
    cli.cases("kind/cases.jsonl", {"id": "a", "input": "x"})
    assert cli.results("-i", "kind/cases.jsonl")["a"]["output"] == "inner"
    named = cli.results("-i", "kind/cases.jsonl", "-n", "python:agent.py:reply")
    assert named["a"]["output"] == "outer"


def test_two_agents_whose_siblings_share_a_name_are_told(cli: Cli) -> None:
    for name in ("one", "two"):
        cli.write(f"{name}/agent.py", "import helper\ndef reply(request): return helper.WORD\n")
        cli.write(f"{name}/helper.py", f"WORD = {json.dumps(name)}\n")
        cli.write(
            f"{name}/assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n'
        )
        cli.cases(f"{name}/tests/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", ".", "--json", "-q")
    assert (done.code, done.out) == (2, "")
    assert "one/helper.py" in done.err
    assert "two/helper.py" in done.err


def test_one_of_several_agents_that_is_wrong_is_told(cli: Cli) -> None:
    for name, target in (("one", "agent.py:reply"), ("two", "agent.py")):
        cli.write(f"{name}/agent.py", "def reply(request): return 'x'\n")
        cli.write(f"{name}/assay.toml", f'[agent]\ntransport = "python"\ntarget = "{target}"\n')
        cli.cases(f"{name}/tests/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", ".", "--json", "-q")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: python:agent.py: names no function; write ")


def test_suites_of_several_agents(cli: Cli) -> None:
    for name in ("one", "two"):
        cli.write(f"{name}/agent.py", f"def reply(request): return {json.dumps(name)}\n")
        cli.write(
            f"{name}/assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n'
        )
        cli.cases(f"{name}/tests/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", ".", "--json", "-q")
    assert done.code == 0, done.err
    start, *results, summary = done.lines
    assert start["agent_id"] is None
    assert summary["agent_id"] is None
    assert [(line["suite"], line["agent_id"], line["output"]) for line in results] == [
        ("one/tests/cases.jsonl", "one", "one"),
        ("two/tests/cases.jsonl", "two", "two"),
    ]
    assert [suite["agent_id"] for suite in summary["suites"]] == ["one", "two"]
