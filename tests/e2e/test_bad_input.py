"""Faults of cases: all at once, each with its place and how to mend it, before anyone is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

ASKED = """
    from pathlib import Path
    Path("asked").touch()

    def reply(request):
        raise AssertionError("nobody may ask")
"""


def faults(cli: Cli, text: str, *flags: str) -> list[str]:
    """Run a faulty file and give the faults, without the file's name."""
    (cli.root / "bad.jsonl").write_text(text, encoding="utf-8")
    cli.write("agent.py", ASKED)
    done = cli("test", "-i", "bad.jsonl", "-n", "python:agent.py:reply", *flags)
    assert (done.code, done.out) == (2, "")
    assert cli.files() == ["agent.py", "bad.jsonl"]
    heading, *lines = done.err.splitlines()
    told = "1 fault" if len(lines) == 1 else f"{len(lines)} faults"
    assert heading == f"Error: {told} in the cases; no agent was asked"
    assert all(line.startswith("bad.jsonl:") for line in lines), lines
    return [line.removeprefix("bad.jsonl:") for line in lines]


def test_lines_that_are_no_cases(cli: Cli) -> None:
    text = """
not json
{"id": "a" "input": "x"}
[1, 2]
"text"
null
{"id": "b", "input": "x"} {"id": "c", "input": "x"}
"""
    object_wanted = 'write one JSON object per line: {"id": "…", "input": "…"}'
    assert faults(cli, text) == [
        "2: not JSON at column 1: Expecting value; write one JSON object per line",
        "3: not JSON at column 12: Expecting ',' delimiter; write one JSON object per line",
        f"4: expected an object, got a list; {object_wanted}",
        f"5: expected an object, got a string; {object_wanted}",
        f"6: expected an object, got null; {object_wanted}",
        "7: not JSON at column 27: Extra data behind the value; write one JSON object per line",
    ]


def test_ids_and_inputs(cli: Cli) -> None:
    text = """
{"input": "x"}
{"id": "", "input": "x"}
{"id": 7, "input": "x"}
{"id": "same", "input": "x"}
{"id": "no input"}
{"id": "same", "input": "y"}
{"id": "null", "input": null}
{"id": "number", "input": 5}
{"id": "same"}
"""
    own = "give the case an id of its own"
    each = "give each case an id of its own"
    text_wanted = "write the user's message as a string"
    assert faults(cli, text) == [
        f"2 id: missing; {own}",
        f"3 id: empty; {own}",
        "4 id: expected a string, got a number; put it in quotes",
        f"6 input: missing; {text_wanted}",
        f"7 id: 'same' is the id of line 5 too; {each}",
        f"8 input: missing; {text_wanted}",
        "9 input: expected text, a message or a list of messages, got a number; " + text_wanted,
        f"10 input: missing; {text_wanted}",
        f"10 id: 'same' is the id of line 5 too; {each}",
    ]


def test_messages(cli: Cli) -> None:
    text = """
{"id": "a", "input": []}
{"id": "b", "input": {"role": "usr", "content": "x"}}
{"id": "c", "input": [{"role": "user", "content": "x"}, "y"]}
{"id": "d", "input": {"role": "user"}}
{"id": "e", "input": {"role": "user", "content": null}}
{"id": "f", "input": {"role": "user", "content": 5}}
{"id": "g", "input": {"role": "user", "content": []}}
{"id": "h", "input": {"role": "user", "content": ["x", {"text": "x"}, {"type": "text"}]}}
{"id": "i", "input": {"role": "user", "content": "x", "cotnent": "y", "name": 5}}
{"id": "j", "input": {"role": "assistant", "tool_calls": ["x"]}}
"""
    assert faults(cli, text) == [
        "2 input: an empty list of messages; write at least one message",
        "3 input.role: no role 'usr'; did you mean 'user'?",
        "4 input[1]: expected a message object, got a string",
        "5 input.content: missing; write the text of the message",
        "6 input.content: null; write the text of the message",
        "7 input.content: expected text or a list of parts, got a number",
        "8 input.content: an empty list of parts; write at least one part",
        "9 input.content[0]: expected an object, got a string",
        '9 input.content[1].type: missing; one of "text", "image_url", …',
        "9 input.content[2].text: missing; write the text of the part",
        "10 input.cotnent: unknown field; did you mean 'content'?",
        "10 input.name: expected a string, got a number",
        "11 input.tool_calls: expected a list of objects; as in OpenAI's chat format",
        "11 input.content: missing; write the text of the message",
    ]


def test_fields_of_wrong_types(cli: Cli) -> None:
    text = """
{"id": "a", "input": "x", "user": 3, "team": "", "tags": "x", "metadata": [], "options": 1, \
"skip": "no", "timeout": "0s"}
{"id": "b", "input": "x", "timeout": "30"}
{"id": "c", "input": "x", "timeout": 30}
{"id": "d", "input": "x", "tags": ["a", ""], "options": {"connector": 1, "skip": []}}
"""
    mend = 'write a duration like "30s" or "1m30s"'
    assert faults(cli, text) == [
        "2 user: expected a string, got a number",
        "2 team: empty",
        '2 tags: expected a list of strings; write ["slow", "smoke"]',
        "2 metadata: expected an object, got a list",
        "2 options: expected an object, got a number",
        "2 skip: expected true or false, got a string",
        f"2 timeout: '0s' is not longer than nothing; {mend}",
        f"3 timeout: '30' is no duration; {mend}",
        f"4 timeout: expected a string, got a number; {mend}",
        '5 tags: expected a list of strings; write ["slow", "smoke"]',
        "5 options.connector: expected a string, got a number",
        "5 options.skip: expected an object, got a list",
    ]


def test_assertions(cli: Cli) -> None:
    text = """
{"id": "a", "input": "x", "assert": []}
{"id": "b", "input": "x", "assert": "contains"}
{"id": "c", "input": "x", "assert": {"type": "contians", "value": "x"}}
{"id": "d", "input": "x", "assert": {"value": "x"}}
{"id": "e", "input": "x", "assert": [{"type": "contains"}, {"type": "contains", "valeu": "x"}]}
{"id": "f", "input": "x", "assert": {"type": "contains", "value": ""}}
{"id": "g", "input": "x", "assert": {"type": "contains", "value": null}}
{"id": "h", "input": "x", "assert": {"type": "regex", "value": "("}}
{"id": "i", "input": "x", "assert": {"type": "json_path", "path": "$[", "value": 1}}
{"id": "j", "input": "x", "assert": {"type": "json_path", "path": "$.a"}}
{"id": "k", "input": "x", "assert": {"type": "json_path", "path": "$", "value": 1, "in": [1]}}
{"id": "l", "input": "x", "assert": {"type": "type", "value": "strnig"}}
{"id": "m", "input": "x", "assert": {"type": "equals"}}
{"id": "n", "input": "x", "assert": {"type": "equals", "value": 1, "negate": "yes", "message": 3}}
{"id": "o", "input": "x", "assert": null}
"""
    told = faults(cli, text)
    assert [line.partition(";")[0] for line in told] == [
        "2 assert: an empty list",
        "3 assert: expected an object, got a string",
        "4 assert.type: no assertion type 'contians'",
        "5 assert.type: missing",
        "6 assert[0].value: missing",
        "6 assert[1].value: missing",
        "6 assert[1].valeu: unknown field",
        "7 assert.value: empty text is in every output",
        "8 assert.value: null cannot be looked for",
        "9 assert.value: not a pattern: missing ): (",
        "10 assert.path: not a JSON path at character 3: unbalanced brackets",
        "11 assert: nothing to check",
        "12 assert: both value and in are there",
        "13 assert.value: 'strnig' is not one of 'string', 'number', 'integer', 'boolean', "
        "'array', 'object', 'null'",
        "14 assert.value: missing",
        "15 assert.message: expected a string, got a number",
        "15 assert.negate: expected true or false, got a string",
        "16 assert: expected an object, got null",
    ]
    assert told[2] == "4 assert.type: no assertion type 'contians'; did you mean 'contains'?"
    assert told[3] == (
        "5 assert.type: missing; "
        "one of contains, equals, json_path, not_contains, regex, script, type"
    )
    assert told[6].endswith("; did you mean 'value'?")


def test_scripts_that_are_not_there(cli: Cli) -> None:
    cli.write("scripts/checks.py", "def at_most(output, input, expected): return True\n")
    text = """
{"id": "a", "input": "x", "assert": {"type": "script", "script": "scripts.checks.at_mots"}}
{"id": "b", "input": "x", "assert": [{"type": "script", "script": "scripts.nowhere.check"}]}
{"id": "c", "input": "x", "assert": {"type": "script", "script": "gone.py:check"}}
{"id": "d", "input": "x", "assert": {"type": "script", "script": "nothing"}}
"""
    (cli.root / "bad.jsonl").write_text(text, encoding="utf-8")
    done = cli("test", "-i", "bad.jsonl", "-n", "echo:")
    assert done.code == 2
    assert done.err.splitlines() == [
        "Error: 4 faults in the cases; no agent was asked",
        "bad.jsonl:2 assert: script 'scripts.checks.at_mots': scripts/checks.py has no function "
        "'at_mots'; did you mean 'at_most'?",
        "bad.jsonl:3 assert[0]: script 'scripts.nowhere.check' was not found; make one of the files"
        " that were tried: scripts/nowhere.py, scripts/nowhere.ts, scripts/nowhere.js",
        "bad.jsonl:4 assert: script 'gone.py:check' was not found; make one of the files that were "
        "tried: gone.py",
        "bad.jsonl:5 assert: script 'nothing' is no reference; write FOLDER.FILE.FUNCTION or "
        "FILE:FUNCTION, as in scripts.test.Check or checks.py:check",
    ]


def test_faults_of_several_files_are_told_together(cli: Cli) -> None:
    cli.write("one.jsonl", '{"id": "a"}\n')
    cli.write("two.jsonl", '{"id": "a", "input": "x", "timeout": "soon"}\n')
    done = cli("test", "-i", "one.jsonl", "-i", "two.jsonl", "-n", "echo:")
    assert done.code == 2
    assert [line.split(": ")[0] for line in done.err.splitlines()] == [
        "Error",
        "one.jsonl:1 input",
        "two.jsonl:1 timeout",
    ]


def test_an_unknown_field_is_a_warning(cli: Cli) -> None:
    cli.cases(
        "cases.jsonl",
        {"id": "a", "input": "x", "timeot": "3s", "options": {"conector": "c"}},
        {"id": "b", "input": "x", "timeot": "4s", "note": "mine"},
    )
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--json", "-q")
    assert done.code == 0
    assert done.err.splitlines()[:-1] == [
        "warning: cases.jsonl:1 options.conector: unknown field; did you mean 'connector'?",
        "warning: cases.jsonl:1 timeot: unknown field; did you mean 'timeout'? (on 2 lines)",
        "warning: cases.jsonl:2 note: unknown field; known: assert, expected, id, input, "
        "metadata, options, skip, tags, team, timeout, user",
    ]


def test_an_unknown_field_is_a_fault_under_strict(cli: Cli) -> None:
    text = '{"id": "a", "input": "x", "timeot": "3s", "options": {"conector": "c"}}\n'
    assert faults(cli, text, "--strict") == [
        "1 options.conector: unknown field; did you mean 'connector'?",
        "1 timeot: unknown field; did you mean 'timeout'?",
    ]


def test_other_encodings_are_told(cli: Cli) -> None:
    good = '{"id": "a", "input": "ü"}\n'
    (cli.root / "utf16.jsonl").write_bytes(good.encode("utf-16"))
    (cli.root / "latin1.jsonl").write_bytes(b"\n" + good.encode("latin-1"))
    done = cli("test", "-i", "utf16.jsonl", "-i", "latin1.jsonl", "-n", "echo:")
    assert done.code == 2
    assert done.err.splitlines()[1:] == [
        "utf16.jsonl:1: the file is UTF-16, not UTF-8; save the file as UTF-8",
        "latin1.jsonl:2: not UTF-8 at column 23 (byte 0xFC); save the file as UTF-8",
    ]


def test_a_file_of_another_kind_does_not_fill_the_screen(cli: Cli) -> None:
    cli.write("log.jsonl", "a line of a log\n" * 1500)
    done = cli("test", "-i", "log.jsonl", "-n", "echo:")
    heading, *lines = done.err.splitlines()
    assert done.code == 2
    assert heading == "Error: 1500 faults in the cases; no agent was asked"
    assert len(lines) == 1001
    assert lines[-1] == "… and 500 more"


def test_hostile_names_do_not_reach_the_terminal_raw(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x", "\x1b[31mred\x07": 1, "tags": "\x1b]0;t"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--strict")
    assert done.code == 2
    assert "\x1b" not in done.err
    assert "\x07" not in done.err


@pytest.mark.parametrize(
    ("cases", "flags", "problem"),
    [
        ("", (), "cases.jsonl: no cases in it; write one JSON object per line"),
        ("// nothing\n\n", (), "cases.jsonl: no cases in it; write one JSON object per line"),
        (
            '{"id": "a", "input": "x"}\n{"id": "b", "input": "x"}\n',
            ("--run", "^c$", "--tag", "slow"),
            "nothing to run: no case matches --run ^c$ --tag slow; all 2 were left out",
        ),
        (
            '{"id": "a", "input": "x", "skip": true}\n',
            (),
            "nothing to run: every case says skip; take one skip out",
        ),
        (
            '{"id": "a", "input": "x"}\n',
            ("--require-assertions",),
            "--require-assertions: there are cases without any\n"
            "cases.jsonl:1 assert: missing; say what must hold of the answer"
            " (1 such cases in the file)",
        ),
    ],
)
def test_a_run_that_would_test_nothing_is_refused(
    cli: Cli, cases: str, flags: tuple[str, ...], problem: str
) -> None:
    (cli.root / "cases.jsonl").write_text(cases, encoding="utf-8")
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", *flags)
    assert (done.code, done.out, done.err) == (2, "", f"Error: {problem}\n")
    assert cli.files() == ["cases.jsonl"]
