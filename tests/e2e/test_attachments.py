"""Files that cases attach, and where they may lie."""

from __future__ import annotations

import json
from typing import Any

AGENT = """
    def reply(request):
        part = request.messages[-1].content[0]
        return request.files.read(part["source"]).decode()
"""


def case_of(url: str) -> dict[str, Any]:
    return {"id": "a", "input": {"content": [{"type": "file", "source": url}]}}


def test_a_file_is_read_when_it_is_sent(cli: Any) -> None:
    cli.write("agent.py", AGENT)
    cli.write("tests/note.txt", "hello")
    cli.cases("tests/cases.jsonl", case_of("file://note.txt"))
    results = cli.results("-i", "tests/cases.jsonl", "-n", "python:agent.py:reply")
    assert results["a"]["output"] == "hello"
    assert "hello" not in json.dumps(results["a"]["input"])


def test_faults_before_any_agent_is_asked(cli: Any) -> None:
    cli.write("agent.py", "raise SystemExit('it was loaded')")
    cli.write("outside.txt", "secret")
    cli.write("tests/big.txt", "x" * 100)
    cli.cases(
        "tests/cases.jsonl",
        case_of("file://../outside.txt"),
        {**case_of("file://none.txt"), "id": "b"},
    )
    done = cli("test", "-i", "tests/cases.jsonl", "-n", "python:agent.py:reply")
    assert done.code == 2
    root = cli.root / "tests"
    assert done.err.splitlines()[-2:] == [
        f"tests/cases.jsonl:1 input.content[0].source: '../outside.txt' is outside of {root}; "
        f"allow its folder with --allow-files {cli.root}",
        f"tests/cases.jsonl:2 input.content[0].source: no file 'none.txt' in {root}; mend the path",
    ]


def test_a_folder_can_be_allowed(cli: Any) -> None:
    cli.write("agent.py", AGENT)
    cli.write("data/note.txt", "hello")
    cli.write("more/note.txt", "more")
    cli.cases(
        "tests/cases.jsonl",
        case_of("file://../data/note.txt"),
        {**case_of("file://../more/note.txt"), "id": "b"},
    )
    asked = ("-i", "tests/cases.jsonl", "-n", "python:agent.py:reply")
    results = cli.results(*asked, "--allow-files", "data", "--allow-files", "more")
    assert [results[key]["output"] for key in "ab"] == ["hello", "more"]
    by_variable = cli.results(*asked, env={"ASSAY_ALLOW_FILES": "data\nmore"})
    assert by_variable["b"]["output"] == "more"
    done = cli("test", *asked, "--allow-files", "data")
    assert done.code == 2
    assert "tests/cases.jsonl:2" in done.err
    missing = cli("test", *asked, "--allow-files", "dta")
    assert missing.code == 2
    assert f"--allow-files {cli.root / 'dta'}: no such folder" in missing.err


def test_below_the_application_root(cli: Any) -> None:
    cli.write("assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n')
    cli.write("agent.py", AGENT)
    cli.write("data/note.txt", "hello")
    cli.cases("tests/cases.jsonl", case_of("file://../data/note.txt"))
    assert cli.results("-i", "tests/cases.jsonl")["a"]["output"] == "hello"
