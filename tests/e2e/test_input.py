"""What ``-i`` takes, and what a case line may look like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

SEES = """
    def reply(request):
        return {
            "said": [[message.role, message.text] for message in request.messages],
            "user": request.environment.user_id,
            "team": request.environment.team_id,
            "connector": request.connector,
            "metadata": dict(request.metadata),
            "options": dict(request.options),
        }
"""


def test_a_file(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "one"}, {"id": "b", "input": "two"})
    results = cli.results("-i", "cases.jsonl", "-n", "echo:")
    assert [(name, line["output"], line["status"]) for name, line in results.items()] == [
        ("a", "one", "passed"),
        ("b", "two", "passed"),
    ]
    assert cli.files() == ["cases.jsonl"]


def test_several_files_are_suites_of_one_run(cli: Cli) -> None:
    cli.cases("one.jsonl", {"id": "same", "input": "1"})
    cli.cases("more/two.jsonl", {"id": "same", "input": "2", "expected": "other"})
    done = cli(
        *("test", "-i", "one.jsonl", "-i", "more/two.jsonl", "-i", "./one.jsonl"),
        *("-n", "echo:", "--json", "-q"),
    )
    assert done.code == 1
    start, first, second, summary = done.lines
    assert [suite["source"] for suite in start["suites"]] == ["one.jsonl", "more/two.jsonl"]
    assert [(line["suite"], line["id"], line["status"]) for line in (first, second)] == [
        ("one.jsonl", "same", "passed"),
        ("more/two.jsonl", "same", "failed"),
    ]
    counts = [
        (each["source"], each["agent_id"], each["total"], each["passed"], each["failed"])
        for each in summary["suites"]
    ]
    assert counts == [("one.jsonl", "echo", 1, 1, 0), ("more/two.jsonl", "echo", 1, 0, 1)]
    assert (summary["total"], summary["passed"], summary["failed"]) == (2, 1, 1)


def test_a_folder_holds_the_suites_below_its_tests_folders(cli: Cli) -> None:
    cli.cases("app/a/tests/x.jsonl", {"id": "x", "input": "1"})
    cli.cases("app/a/tests/deep/y.jsonl", {"id": "y", "input": "2"})
    cli.cases("app/b/tests/z.jsonl", {"id": "z", "input": "3"})
    cli.cases("app/data.jsonl", {"id": "none", "input": "not below tests"})
    cli.cases("app/a/tests/output-20240101000000.jsonl", {"type": "start"})
    done = cli("test", "-i", "app", "-n", "echo:", "--json", "-q")
    assert done.code == 0, done.err
    assert [line["suite"] for line in done.lines if line["type"] == "result"] == [
        "app/a/tests/deep/y.jsonl",
        "app/a/tests/x.jsonl",
        "app/b/tests/z.jsonl",
    ]


def test_a_glob(cli: Cli) -> None:
    cli.cases("app/one/x.jsonl", {"id": "x", "input": "1"})
    cli.cases("app/two/y.jsonl", {"id": "y", "input": "2"})
    cli.cases("app/two/output-1.jsonl", {"type": "start"})
    results = cli.results("-i", "app/*/*.jsonl", "-n", "echo:")
    assert list(results) == ["x", "y"]


def test_standard_input(cli: Cli) -> None:
    lines = '{"id": "a", "input": "piped"}\n'
    done = cli("test", "-i", "-", "-n", "echo:", "-q", stdin=lines)
    assert (done.code, done.out) == (0, "")
    (name,) = cli.files()
    assert name.startswith("output-")
    start, result, summary = cli.lines(name)
    assert (start["total_cases"], result["output"], summary["passed"]) == (1, "piped", 1)
    assert result["where"] == {"file": "<stdin>", "line": 1}


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("2024/q4.jsonl", "2024/q4.jsonl: no such file; check the path"),
        ("caes.jsonl", "caes.jsonl: no such file; did you mean cases.jsonl?"),
        ("no*.jsonl", "no*.jsonl: matches no case files; looked for files that end in .jsonl"),
        ("empty", "empty: no case files; looked for *.jsonl in folders named tests"),
        ("notes.txt", "-i notes.txt: no loader reads such a file; cases are .jsonl files"),
        (" ", "-i: the input is empty; write a path or a message"),
    ],
)
def test_what_is_no_source_is_told(cli: Cli, source: str, problem: str) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    cli.write("notes.txt", "not cases")
    (cli.root / "empty").mkdir()
    done = cli("test", "-i", source, "-n", "echo:")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {problem}")
    assert cli.files() == ["cases.jsonl", "notes.txt"]


def test_without_any_source(cli: Cli) -> None:
    done = cli("test")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "Error: there is no input; write -i with a case file, a folder, - or a message\n"
    )


@pytest.mark.parametrize("other", ["cases.jsonl", "another message"])
def test_a_message_is_asked_alone(cli: Cli, other: str) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "test/inputs", "-i", other, "-n", "echo:")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: -i 'test/inputs': no such file or folder")


def test_lines_of_any_form_and_length(cli: Cli) -> None:
    long = "ö" * 3_000_000
    lines = [
        "\ufeff// a comment",
        "",
        "   ",
        '{"id": "crlf", "input": "one"}\r',
        '\t{"id": "emoji 🎉", "input": "你好 🌍", "expected": "你好 🌍"}  ',
        "  // another comment",
        json.dumps({"id": "long", "input": long, "expected": long}, ensure_ascii=False),
        '{"id": "last", "input": "no newline behind it"}',
    ]
    (cli.root / "cases.jsonl").write_bytes("\n".join(lines).encode())
    results = cli.results("-i", "cases.jsonl", "-n", "echo:")
    assert {name: line["status"] for name, line in results.items()} == {
        "crlf": "passed",
        "emoji 🎉": "passed",
        "long": "passed",
        "last": "passed",
    }
    assert results["long"]["output"] == long
    assert [line["where"]["line"] for line in results.values()] == [4, 5, 7, 8]


def test_the_input_is_text_a_message_or_messages(cli: Cli) -> None:
    cli.write("agent.py", SEES)
    parts = [
        {"type": "text", "text": "first"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
        {"type": "text", "text": "second"},
    ]
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    cli.cases(
        "cases.jsonl",
        {"id": "text", "input": "Hello"},
        {"id": "empty", "input": ""},
        {"id": "message", "input": {"role": "user", "content": "Hi"}},
        {"id": "no-role", "input": {"content": "Hi"}},
        {"id": "parts", "input": {"role": "user", "content": parts}},
        {
            "id": "messages",
            "input": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "First"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "content": "42", "tool_call_id": "c1"},
                {"role": "user", "content": "Follow-up", "name": "Ann"},
            ],
        },
    )
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:reply", "--strict")
    assert {name: line["output"]["said"] for name, line in results.items()} == {
        "text": [["user", "Hello"]],
        "empty": [["user", ""]],
        "message": [["user", "Hi"]],
        "no-role": [["user", "Hi"]],
        "parts": [["user", "first\nsecond"]],
        "messages": [
            ["system", "Be brief."],
            ["user", "First"],
            ["assistant", ""],
            ["tool", "42"],
            ["user", "Follow-up"],
        ],
    }
    assert results["parts"]["input"] == {"role": "user", "content": parts}


def test_the_fields_of_a_case(cli: Cli) -> None:
    cli.write("agent.py", SEES)
    options = {
        "connector": "deepseek.v3",
        "mode": "chat",
        "metadata": {"b": "option", "c": 3},
        "skip": {"history": True},
    }
    cli.cases(
        "cases.jsonl",
        {
            "id": "all",
            "input": "x",
            "expected": {"never": "compared"},
            "assert": [
                {"type": "json_path", "path": "$.user", "value": "admin"},
                {"type": "json_path", "path": "$.team", "value": "ops-team"},
            ],
            "user": "admin",
            "team": "ops-team",
            "metadata": {"a": 1, "b": "case"},
            "options": options,
            "skip": False,
            "timeout": "1m30s",
            "tags": ["smoke"],
        },
        {"id": "none", "input": "x", "skip": True, "expected": "y"},
    )
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:reply", "--strict")
    one = results["all"]
    assert one["status"] == "passed"
    assert one["output"] == {
        "said": [["user", "x"]],
        "user": "admin",
        "team": "ops-team",
        "connector": "deepseek.v3",
        "metadata": {"a": 1, "b": "option", "c": 3},
        "options": options,
    }
    assert one["expected"] == {"never": "compared"}
    assert one["tags"] == ["smoke"]
    skipped = results["none"]
    assert (skipped["status"], skipped["reason"]) == ("skipped", "skip is set in the case")
    assert "output" not in skipped


def test_expected_alone_means_equals(cli: Cli) -> None:
    cli.write("answers.jsonl", '{"match": "nothing", "output": null}\n{"match": "", "output": "x"}')
    cli.cases(
        "cases.jsonl",
        {"id": "same", "input": "text", "expected": "x"},
        {"id": "other", "input": "text", "expected": "y"},
        {"id": "null", "input": "nothing", "expected": None},
        {"id": "no null", "input": "text", "expected": None},
        {"id": "absent", "input": "text"},
    )
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:answers.jsonl", "--json", "-q")
    assert done.code == 1
    *_, summary = done.lines
    results = {line["id"]: line for line in done.lines if line["type"] == "result"}
    assert {name: line["status"] for name, line in results.items()} == {
        "same": "passed",
        "other": "failed",
        "null": "passed",
        "no null": "failed",
        "absent": "passed",
    }
    assert [verdict["type"] for verdict in results["same"]["assertions"]] == ["equals"]
    assert results["absent"]["assertions"] == []
    assert summary["unasserted"] == 1


def test_the_plain_form_is_the_test_command(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("-i", "cases.jsonl", "-n", "echo:", "--json", "-q")
    assert done.code == 0
    assert [line["type"] for line in done.lines] == ["start", "result", "summary"]
