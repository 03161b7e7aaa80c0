"""Plugins: a real package of a third party, bad ones, clashes, switches, each kind of them."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.e2e.conftest import Cli


def test_the_example_package(cli: Cli, example: Path) -> None:
    cli.python = str(example)
    cli.write(
        "program.py",
        """
        import json, sys
        request = json.load(sys.stdin)
        text = request["messages"][-1]["content"]
        if text == "data":
            print(json.dumps({"data": {"user": request["environment"]["user_id"]}}))
        elif text == "fail":
            sys.exit("gone wrong")
        else:
            print("You said:", text)
        """,
    )
    cli.cases(
        "cases.jsonl",
        {"id": "short", "input": "hi", "assert": {"type": "max_words", "value": 3}},
        {"id": "long", "input": "one two three", "assert": {"type": "max_words", "value": 3}},
        {"id": "data", "input": "data", "expected": {"user": "test-user"}},
        {"id": "fail", "input": "fail"},
        {"id": "# later", "input": "x", "skip": True},
    )
    command = f"command:{sys.executable} program.py"
    done = cli("test", "-i", "cases.jsonl", "-n", command, "-q", "-o", "r.tap", "-o", "r.json")
    assert done.code == 1, done.err
    tap = [line for line in cli.read("r.tap").splitlines() if "duration_ms" not in line]
    assert tap == [
        "TAP version 14",
        "ok 1 - short",
        "not ok 2 - long",
        "  ---",
        '  status: "failed"',
        '  message: "5 words, at most 3 are allowed"',
        "  ...",
        "ok 3 - data",
        "not ok 4 - fail",
        "  ---",
        '  status: "error"',
        f'  message: "{sys.executable} ended with exit code 1: gone wrong"',
        "  ...",
        "ok 5 - \\# later # SKIP skip is set in the case",
        "1..5",
    ]
    (verdict,) = cli.json("r.json")["results"][0]["assertions"]
    assert verdict == {
        "type": "max_words",
        "passed": True,
        "message": "3 words, at most 3 are allowed",
        "expected": 3,
        "actual": 3,
    }


def test_the_example_package_is_listed(cli: Cli, example: Path) -> None:
    cli.python = str(example)
    listed = [line.split() for line in cli("plugins", "--check").out.splitlines()]
    own = [line for line in listed if "assay-example" in line]
    assert own == [
        ["assertion", "max_words", "assay-example", "0.1.0", "assay_example.max_words", "ok"],
        ["reporter", "tap", "assay-example", "0.1.0", "assay_example.tap", "ok"],
        ["transport", "command", "assay-example", "0.1.0", "assay_example.command", "ok"],
    ]
    cli.cases(
        "cases.jsonl", {"id": "a", "input": "x", "assert": {"type": "max_words", "value": "3"}}
    )
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:")
    assert done.code == 2
    assert done.err.splitlines()[1] == (
        "cases.jsonl:1 assert.value: expected a whole number, got a string"
    )


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are watched by descriptors")
def test_a_program_that_takes_too_long_is_killed_with_its_children(cli: Cli, example: Path) -> None:
    cli.python = str(example)
    cli.write(
        "program.py",
        """
        import os, subprocess, sys, threading
        from pathlib import Path

        waiting = "import threading; threading.Event().wait()"
        child = subprocess.Popen([sys.executable, "-c", waiting])
        Path("pids").write_text(f"{os.getpid()} {child.pid}")
        threading.Event().wait()
        """,
    )
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    command = f"command:{sys.executable} program.py"
    results = cli.results("-i", "cases.jsonl", "-n", command, "--timeout", "1s")
    assert results["a"]["status"] == "timeout"
    for process in map(int, cli.read("pids").split()):
        wait_until_gone(process)


def wait_until_gone(process: int) -> None:
    """Wait until a process that is no child of ours has ended; a zombie has."""
    import select

    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 10)[0], f"{process} was left behind"
    finally:
        os.close(descriptor)


ASSERTION = """
    from typing import ClassVar
    from attrs import frozen
    from assay import Verdict, hookimpl

    @frozen(kw_only=True)
    class Mine:
        name: ClassVar[str] = "WORD"
        value: str

        def check(self, outcome):
            return Verdict(passed=True, message="WHO")

    @hookimpl
    def assay_assertion_types():
        return [Mine]
"""


def assertion(word: str, who: str = "mine") -> str:
    return ASSERTION.replace("WORD", word).replace("WHO", who)


def checked_by(cli: Cli, word: str) -> None:
    """Write a case whose answer is checked by an assertion of this word."""
    cli.cases("cases.jsonl", {"id": "a", "input": "hi", "assert": {"type": word, "value": "h"}})


TEST = ("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "-o", "r.json")


def test_a_bad_plugin_is_one_problem_and_the_run_goes_on(cli: Cli) -> None:
    cli.install("x-bad", "1.2", reporter__broken="import nothing_of_this_name\n")
    checked_by(cli, "contains")
    done = cli(*TEST)
    assert done.code == 0
    assert done.err.splitlines()[1:] == [
        "Warning: plugin reporter.broken of x-bad 1.2: x_bad_reporter__broken cannot be imported: "
        "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    ]
    strict = cli(*TEST, "--strict-plugins")
    assert strict.code == 2
    assert strict.err.startswith("Error: plugin reporter.broken of x-bad 1.2: ")


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("raise SystemExit(0)\n", "cannot be imported: SystemExit: 0"),
        (assertion("other"), "it hands over 'other' under the name assertion.word"),
        (assertion("word").replace("assay_assertion_types", "assay_asertion_types"), "asertion"),
        (assertion("word").replace("value: str", "negate: bool"), "negate"),
        ("", "marked with @hookimpl"),
    ],
)
def test_a_bad_plugin_that_is_needed_ends_the_run(cli: Cli, source: str, cause: str) -> None:
    cli.install("x-bad", assertion__word=source)
    checked_by(cli, "word")
    done = cli(*TEST)
    assert (done.code, done.out) == (2, "")
    heading, fault, *_ = done.err.splitlines()
    assert heading == "Error: 1 fault in the cases; no agent was asked"
    assert fault.startswith("cases.jsonl:1 assert.type: no assertion type 'word': plugin ")
    assert "assertion.word of x-bad 1.0" in fault
    assert cause in fault
    assert "Traceback" not in done.err


def test_our_own_name_is_kept_against_a_stranger(cli: Cli) -> None:
    cli.install("x-one", assertion__contains=assertion("contains", "theirs"))
    checked_by(cli, "contains")
    done = cli(*TEST)
    assert done.code == 0
    assert cli.json("r.json")["results"][0]["assertions"][0]["message"] == 'found "h"'
    problem = (
        "plugin assertion.contains of x-one 1.0: assay 0.1.0 offers assertion.contains too, and "
        "keeps the name; take one out, as with -p no:x-one:assertion.contains"
    )
    assert f"Warning: {problem}" in done.err.splitlines()
    swapped = cli(*TEST, "-p", "no:assay:assertion.contains")
    assert swapped.code == 0
    assert "Warning" not in swapped.err
    assert cli.json("r.json")["results"][0]["assertions"][0]["message"] == "theirs"


def test_between_strangers_neither_is_used(cli: Cli) -> None:
    cli.install("x-one", assertion__word=assertion("word", "one"))
    cli.install("x-two", "2.5", assertion__word=assertion("word", "two"))
    checked_by(cli, "word")
    done = cli(*TEST)
    assert done.code == 2
    assert "x-one 1.0" in done.err
    assert "x-two 2.5" in done.err
    chosen = cli(*TEST, "-p", "no:x-two:assertion.word")
    assert chosen.code == 0
    assert cli.json("r.json")["results"][0]["assertions"][0]["message"] == "one"


@pytest.mark.parametrize("place", ["before", "after"])
def test_a_plugin_that_is_switched_off(cli: Cli, place: str) -> None:
    checked_by(cli, "contains")
    switch = ("-p", "no:assertion.contains")
    done = cli(*switch, *TEST) if place == "before" else cli(*TEST, *switch)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[1] == (
        "cases.jsonl:1 assert.type: no assertion type 'contains': assay 0.1.0 offers it, but "
        "-p no:assertion.contains takes it out"
    )


@pytest.mark.parametrize(
    ("switch", "problem"),
    [
        ("no:transport.echo", "-n echo:: no transport 'echo': assay 0.1.0 offers it, but -p"),
        ("no:reporter.json", "-o r.json: no reporter writes .json files"),
        ("no:loader.jsonl", "-i cases.jsonl: no loader reads such a file"),
        ("no:assertion.containz", "-p no:assertion.containz: no such plugin is installed; did"),
        ("assertion.contains", "-p assertion.contains: "),
    ],
)
def test_no_built_in_has_a_private_way_in(cli: Cli, switch: str, problem: str) -> None:
    checked_by(cli, "contains")
    done = cli(*TEST, "-p", switch)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"Error: {problem}"), done.err
    assert cli.files() == ["cases.jsonl"]


def test_the_list_as_json(cli: Cli) -> None:
    cli.install("x-one", assertion__contains=assertion("contains"))
    done = cli("plugins", "--json", "-p", "no:transport.echo")
    assert done.code == 0
    listed = json.loads(done.out)
    states = {
        (row["kind"], row["word"], row["distribution"]): row["state"] for row in listed["plugins"]
    }
    assert states["assertion", "contains", "assay"] == "ok"
    assert states["assertion", "contains", "x-one"] == "problem"
    assert states["transport", "echo", "assay"] == "switched off"
    (problem,) = listed["problems"]
    assert problem["plugin"] == "assertion.contains"
    assert (problem["distribution"], problem["version"]) == ("x-one", "1.0")
    assert problem["cause"].startswith("assay 0.1.0 offers assertion.contains too")


def test_a_list_that_is_checked_imports_each_plugin(cli: Cli) -> None:
    cli.install("x-bad", assertion__word="raise ValueError('no good')\n")
    assert "x-bad" in cli("plugins").out
    done = cli("plugins", "--check")
    assert done.code == 2
    (row,) = [line for line in done.out.splitlines() if " x-bad " in line and " of " not in line]
    assert row.split()[-1] == "problem"
    assert "Problem: plugin assertion.word of x-bad 1.0: " in done.out
    assert done.err == ""


REPORTERS = """
    from assay import hookimpl

    class Reporter:
        name = "WORD"

        def __init__(self, context, settings):
            self.seen = []

        @classmethod
        def wanted(cls, environ):
            return "SHOW" in environ

        def start(self, info):
            self.seen.append(f"start {info.total_cases}")

        def attempt(self, result, attempt):
            self.seen.append(f"attempt {attempt.number}")

        def result(self, result):
            self.seen.append(f"result {result.case.id} {result.status}")

        def finish(self, summary):
            self.seen.append(f"finish {summary.counts.passed}")

        def written(self, paths):
            with open("seen", "w") as file:
                file.write("\\n".join([*self.seen, *paths]))

    @hookimpl
    def assay_reporters():
        return [Reporter]
"""


def test_a_stream_reporter(cli: Cli) -> None:
    cli.install("x-one", reporter__mine=REPORTERS.replace("WORD", "mine"))
    checked_by(cli, "contains")
    assert cli(*TEST).code == 0
    assert "seen" not in cli.files()
    done = cli(*TEST, "--runs", "2", env={"SHOW": "1"})
    assert done.code == 0
    assert cli.read("seen").splitlines() == [
        "start 1",
        "attempt 1",
        "attempt 2",
        "result a passed",
        "finish 1",
        "r.json",
    ]
    named = cli(*TEST[:-2], "-r", "mine", "-o", "r.jsonl")
    assert named.code == 0, named.err
    assert cli.read("seen").splitlines()[-1] == "r.jsonl"


def test_a_stream_reporter_that_raises_is_dropped_and_named(cli: Cli) -> None:
    source = REPORTERS.replace("WORD", "mine").replace(
        'self.seen.append(f"result', 'raise ValueError("no more"); (f"result'
    )
    cli.install("x-one", reporter__mine=source)
    checked_by(cli, "contains")
    done = cli(*TEST, env={"SHOW": "1"})
    assert done.code == 0
    assert "reporter mine of x-one 1.0 failed: ValueError: no more" in done.err
    assert cli.json("r.json")["summary"]["passed"] == 1


def test_a_page_reporter_that_raises_costs_no_other_report(cli: Cli) -> None:
    cli.install(
        "x-one",
        reporter__bad="""
            from assay import hookimpl

            class Bad:
                name = "bad"
                suffixes = (".bad",)

                def __init__(self, settings): ...

                def write(self, report, out):
                    out.write("half")
                    raise ValueError("cannot write")

            @hookimpl
            def assay_reporters():
                return [Bad]
        """,
    )
    checked_by(cli, "contains")
    cli.write("r.bad", "the one before")
    done = cli(*TEST, "-o", "r.bad")
    assert done.code == 3
    assert "r.bad: reporter bad of x-one 1.0 failed: ValueError: cannot write" in done.err
    assert cli.json("r.json")["summary"]["passed"] == 1
    assert cli.read("r.bad") == "the one before"
    (journal,) = [name for name in cli.files() if name.startswith(".assay-")]
    assert journal in done.err
    assert cli("report", journal, "-o", "again.json").code == 0
    assert cli.json("again.json")["summary"]["passed"] == 1


SELECT = """
    from assay import hookimpl

    @hookimpl
    def assay_select_cases(cases, settings):
        return (case for case in cases if case.id != settings.get("without"))
"""

WRAP = """
    from assay import Response, hookimpl

    class Shout:
        def __init__(self, inner, mark):
            self.inner, self.mark = inner, mark

        async def __aenter__(self):
            await self.inner.__aenter__()
            return self

        async def __aexit__(self, *error):
            await self.inner.__aexit__(*error)

        async def info(self):
            return await self.inner.info()

        async def send(self, request):
            answer = await self.inner.send(request)
            return Response(text=answer.text.upper() + self.mark)

    @hookimpl
    def assay_wrap_transport(transport, agent, settings):
        return Shout(transport, settings.get("mark", "!"))
"""

AGENT = """
    from assay import AgentClue, hookimpl

    @hookimpl
    def assay_describe_folder(folder):
        if (folder / "mine.txt").exists():
            return AgentClue(id="mine", transport="echo", target="")
"""

LOADER = """
    from pathlib import Path
    from assay import Entry, Suite, Where, hookimpl

    class Words:
        name = "words"

        def accepts(self, source, context):
            return source.endswith(".words")

        def load(self, source, context):
            path = context.cwd / source

            def entries():
                for number, word in enumerate(path.read_text().split(), 1):
                    yield Entry(where=Where(source, number), value={"id": word, "input": word})

            yield Suite(key=source, entries=entries, path=path, folder=path.parent)

    @hookimpl
    def assay_loaders():
        return [Words]
"""


def test_plugins_of_the_other_kinds(cli: Cli) -> None:
    cli.install(
        "x-all", select__some=SELECT, wrap__shout=WRAP, agent__mine=AGENT, loader__words=LOADER
    )
    cli.write("kind/mine.txt", "")
    cli.write("kind/cases.words", "one two three")
    sets = ("--set", "select.some.without=two", "--set", "wrap.shout.mark=?")
    done = cli("test", "-i", "kind/cases.words", "--json", "-q", *sets)
    assert done.code == 0, done.err
    start, first, second, summary = done.lines
    assert start["agent_id"] == "mine"
    assert (first["id"], first["output"]) == ("one", "ONE?")
    assert (second["id"], second["output"]) == ("three", "THREE?")
    assert (summary["total"], summary["deselected"]) == (2, 1)


@pytest.mark.parametrize(
    ("kind", "hook"),
    [
        ("select__some", "assay_select_cases(cases, settings)"),
        ("wrap__shout", "assay_wrap_transport(transport, agent, settings)"),
        ("agent__mine", "assay_describe_folder(folder)"),
    ],
)
def test_what_would_change_the_test_ends_the_run_when_it_raises(
    cli: Cli, kind: str, hook: str
) -> None:
    source = f"from assay import hookimpl\n\n@hookimpl\ndef {hook}: raise KeyError('x')\n"
    cli.install("x-bad", **{kind: source})
    cli.write("agent.py", "raise SystemExit('never imported')\n")
    cli.write("assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n')
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-q", "-o", "r.json")
    assert (done.code, done.out) == (3, "")
    assert f"plugin {kind.replace('__', '.')} of x-bad 1.0" in done.err
    assert "KeyError" in done.err
    assert "r.json" not in cli.files()


def test_a_command(cli: Cli) -> None:
    cli.install(
        "x-one",
        command__greet="""
            import click
            from assay import hookimpl

            @click.command("greet")
            @click.argument("who")
            def greet(who):
                \"\"\"Greet somebody.\"\"\"
                click.echo(f"hello {who}")

            @hookimpl
            def assay_commands():
                return [greet]
        """,
    )
    done = cli("greet", "you")
    assert (done.code, done.out, done.err) == (0, "hello you\n", "")
    assert "greet    Greet somebody." in cli("--help").out
    mistyped = cli("gret", "you")
    assert mistyped.code == 2
    assert "no command 'gret'; did you mean 'greet'?" in mistyped.err
