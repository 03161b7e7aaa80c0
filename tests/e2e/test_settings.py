"""Where settings come from, which source wins, and what is said of mistakes in each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

RUN = ("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "--json")


def runs(cli: Cli, *flags: str, env: dict[str, str] | None = None) -> int:
    """Run a case and tell how often it ran."""
    done = cli(*RUN, *flags, env=env)
    assert done.code == 0, done.err
    total: int = done.lines[-1]["total_runs"]
    return total


def test_flags_beat_variables_beat_the_nearest_file_beats_defaults(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    assert runs(cli) == 1
    cli.write("assay.toml", "[test]\nruns = 2\n")
    assert runs(cli) == 2
    assert runs(cli, env={"ASSAY_RUNS": "3"}) == 3
    assert runs(cli, "--runs", "4", env={"ASSAY_RUNS": "3"}) == 4


def test_pyproject_holds_the_same_below_tool_assay(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    cli.write(
        "pyproject.toml",
        """
        [project]
        name = "mine"

        [tool.assay.agent]
        transport = "echo"
        target = ""

        [tool.assay.test]
        runs = 2
        """,
    )
    done = cli("test", "-i", "cases.jsonl", "-q", "--json")
    assert done.code == 0, done.err
    assert (done.lines[0]["runs_per_case"], done.lines[0]["suites"][0]["transport"]) == (2, "echo")


def test_settings_of_suites_are_those_above_the_case_file(cli: Cli) -> None:
    cli.write("assay.toml", '[test]\nuser = "outer"\nteam = "outer"\nparallel = 3\n')
    cli.write("deep/assay.toml", '[test]\nuser = "inner"\nparallel = 9\n')
    cli.cases("deep/tests/cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "deep/tests/cases.jsonl", "-n", "echo:", "-q", "--json")
    assert done.code == 0, done.err
    start = done.lines[0]
    environment = start["environment"]
    assert (environment["user_id"], environment["team_id"]) == ("inner", "outer")
    # What holds for a run comes from the working directory.
    assert start["parallel"] == 3


FAULTS = (
    (
        ("--runs", "0", "--timeout", "5", "--parallel", "x", "--min-pass-rate", "101"),
        [
            "--parallel: 'x' is not a whole number",
            "--runs: must be at least 1, not 0",
            "--min-pass-rate: must be at most 100, not 101",
            "--timeout: '5' has no unit; write 5s for seconds or 5ms",
        ],
    ),
    (("--rate", "x"), ["--rate: 'x' is not a rate; write N/s, N/m or N/h, such as 60/m"]),
    (("-v", "-q"), ["--verbose and --quiet: they exclude each other; use one"]),
    (
        ("--set", "nonsense"),
        [
            "--set: 'nonsense' is not an assignment; write KIND.WORD.KEY=VALUE, such as "
            "transport.yao.server=http://127.0.0.1:5099"
        ],
    ),
    (
        ("--set", "reporter.markdwn.x=1"),
        ["--set reporter.markdwn.x: no reporter 'markdwn'; did you mean 'markdown'?"],
    ),
    (
        ("--set", "reporter.json.x=1", "-o", "r.json"),
        ["--set reporter.json.x: the reporter 'json' has no settings; leave it out"],
    ),
)


@pytest.mark.parametrize(("flags", "faults"), FAULTS)
def test_flags_that_are_wrong(cli: Cli, flags: tuple[str, ...], faults: list[str]) -> None:
    cli.write("agent.py", "from pathlib import Path\ndef reply(request): Path('asked').touch()\n")
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err.removeprefix("Error: ").splitlines() == faults
    assert cli.files() == ["agent.py", "cases.jsonl"]


def test_the_executor_that_is_always_there_is_meant_too(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--executor", "loca")
    assert (done.code, done.out) == (2, "")
    # Others may be installed beside it.
    assert done.err.startswith("Error: no executor 'loca'; did you mean 'local'? Installed: local")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("test", "--tiemout", "2s"), "no such flag --tiemout; did you mean --timeout?"),
        (("test", "--paralel=8"), "no such flag --paralel; did you mean --parallel?"),
        (("test", "--no-fail-fst"), "no such flag --no-fail-fst; did you mean --no-fail-fast?"),
        (("test", "--xyz"), "no such flag --xyz"),
        (("--versoin", "test"), "no such flag --versoin; did you mean --version?"),
        (("merge", "a.jsonl", "--outputt", "b"), "no such flag --outputt; did you mean --output?"),
    ],
)
def test_a_flag_that_nobody_knows(cli: Cli, args: tuple[str, ...], told: str) -> None:
    done = cli(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == f"Error: {told}"


@pytest.mark.parametrize("args", [("cases.jsonl",), ("-i", "more.jsonl", "cases.jsonl", "-q")])
def test_an_argument_that_no_flag_stands_before(cli: Cli, args: tuple[str, ...]) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", *args, "-n", "echo:")
    assert (done.code, done.out) == (2, "")
    told = "no flag stands before 'cases.jsonl'; to test with it, write -i cases.jsonl"
    assert done.err.splitlines()[-1] == f"Error: {told}"


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        (
            "[test]\nparalel = 3\n[agnet]\nx = 1\n",
            [
                "assay.toml [test] paralel: unknown key; did you mean 'parallel'?",
                "assay.toml [agnet]: unknown section; did you mean 'agent'?",
            ],
        ),
        (
            "[test]\nruns = 'two'\n",
            ["assay.toml [test] runs: expected a whole number, not the text 'two'"],
        ),
        ("[test]\ntimeout = '0s'\n", ["assay.toml [test] timeout: must be more than 0, not 0"]),
        ("[test\n", ["assay.toml:1: "]),
    ],
)
def test_files_that_are_wrong(cli: Cli, text: str, faults: list[str]) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    cli.write("assay.toml", text)
    done = cli(*RUN)
    assert (done.code, done.out) == (2, "")
    told = done.err.removeprefix("Error: ").splitlines()
    assert len(told) == len(faults)
    for line, fault in zip(told, faults, strict=True):
        assert line.startswith(fault)


def test_variables_that_are_wrong_or_mistyped(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    wrong = cli(*RUN, env={"ASSAY_RUNS": "two"})
    assert (wrong.code, wrong.out) == (2, "")
    assert wrong.err == "Error: ASSAY_RUNS: 'two' is not a whole number\n"
    mistyped = cli(*RUN, env={"ASSAY_PARALEL": "2"})
    assert mistyped.code == 0
    assert mistyped.err.splitlines()[0] == (
        "warning: ASSAY_PARALEL: unknown variable; did you mean ASSAY_PARALLEL?"
    )


PLUGIN = """
    from typing import ClassVar
    from attrs import field, frozen, validators
    from assay import Response, Secret, hookimpl

    class Mine:
        name: ClassVar[str] = "mine"

        @frozen(kw_only=True)
        class Settings:
            word: str = "default"
            count: int = field(default=1, validator=validators.ge(1))
            token: Secret | None = None

        def __init__(self, agent, settings):
            self.settings = settings

        async def __aenter__(self):
            return self

        async def __aexit__(self, *error):
            ...

        async def info(self):
            return None

        async def send(self, request):
            secret = self.settings.token
            told = "none" if secret is None else f"token {secret.reveal()}"
            return Response(text=f"{self.settings.word} {self.settings.count} {told}")

    @hookimpl
    def assay_transports():
        return [Mine]
"""


def answer(cli: Cli, *flags: str, env: dict[str, str] | None = None) -> Any:
    done = cli("test", "-i", "hi", "-n", "mine:", *flags, env=env)
    assert done.code == 0, done.err
    return done.out


def test_settings_of_a_plugin(cli: Cli) -> None:
    cli.install("x-one", transport__mine=PLUGIN)
    assert answer(cli) == "default 1 none\n"
    cli.write("assay.toml", '[transport.mine]\nword = "file"\ncount = 2\n')
    assert answer(cli) == "file 2 none\n"
    variable = {"ASSAY_TRANSPORT_MINE_WORD": "variable"}
    assert answer(cli, env=variable) == "variable 2 none\n"
    assert answer(cli, "--set", "transport.mine.word=flag", env=variable) == "flag 2 none\n"


def test_settings_of_a_plugin_that_are_wrong(cli: Cli) -> None:
    cli.install("x-one", transport__mine=PLUGIN)
    cli.write("assay.toml", '[transport.mine]\nwrod = "x"\ncount = 0\n')
    done = cli("test", "-i", "hi", "-n", "mine:")
    assert (done.code, done.out) == (2, "")
    told = done.err.removeprefix("Error: ").splitlines()
    assert sorted(line.partition(":")[0] for line in told) == [
        "assay.toml [transport.mine] count",
        "assay.toml [transport.mine] wrod",
    ]
    assert "did you mean 'word'?" in done.err


def test_secrets_reach_no_report_and_no_screen(cli: Cli) -> None:
    cli.install("x-one", transport__mine=PLUGIN)
    cli.write("assay.toml", '[transport.mine]\ntoken = "$MY_TOKEN"\n')
    cli.cases("cases.jsonl", {"id": "a", "input": "x", "expected": "y"})
    secret = "s3cret-of-mine"
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "mine:", "--json", "-v"),
        *("-o", "r.jsonl", "-o", "r.json", "-o", "r.md", "-o", "r.txt"),
        env={"MY_TOKEN": secret},
    )
    assert done.code == 1
    assert done.lines[1]["output"] == "default 1 token ***"
    written = [cli.read(name) for name in cli.files() if name.startswith("r.")]
    assert len(written) == 4
    assert all(secret not in text for text in (*written, done.out, done.err))
    unset = cli("test", "-i", "cases.jsonl", "-n", "mine:")
    assert unset.code == 2
    assert "MY_TOKEN" in unset.err


def test_check_finds_faults_and_asks_nobody(cli: Cli) -> None:
    cli.write("agent.py", "raise SystemExit('never imported')\n")
    cli.write("assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n')
    cli.cases(
        "tests/good.jsonl", {"id": "a", "input": "x", "expected": 1}, {"id": "b", "input": ""}
    )
    good = cli("check", "-i", "tests/good.jsonl")
    assert good.code == 0, good.err
    assert "tests/good.jsonl: 2 cases" in good.out
    cli.cases("tests/bad.jsonl", {"id": "a"}, {"id": "a", "input": "x", "timeout": "soon"})
    bad = cli("check", "-i", "tests")
    assert bad.code == 2
    assert [line.split(": ")[0] for line in bad.err.splitlines()] == [
        "Error",
        "tests/bad.jsonl:1 input",
        "tests/bad.jsonl:2 timeout",
        "tests/bad.jsonl:2 id",
    ]
    assert cli.files() == ["agent.py", "assay.toml", "tests/bad.jsonl", "tests/good.jsonl"]


def test_the_schema_is_one_of_case_lines(cli: Cli) -> None:
    import jsonschema

    done = cli("schema")
    assert (done.code, done.err) == (0, "")
    schema = json.loads(done.out)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    good = {
        "id": "a",
        "input": [{"role": "user", "content": "x"}],
        "assert": [{"type": "contains", "value": "x"}, {"type": "script", "script": "a.b"}],
        "timeout": "1m30s",
    }
    assert validator.is_valid(good)
    assert not validator.is_valid({"id": "a"})
    assert not validator.is_valid({**good, "assert": {"type": "contians", "value": "x"}})
    assert not validator.is_valid({**good, "assert": {"type": "contains", "valeu": "x"}})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli: Cli, shell: str) -> None:
    script = cli(env={"_ASSAY_COMPLETE": f"{shell}_source"})
    assert script.code == 0, script.err
    assert "_ASSAY_COMPLETE" in script.out


def test_completed_words(cli: Cli) -> None:
    words = {"COMP_WORDS": "assay test --fail", "COMP_CWORD": "2"}
    done = cli(env={"_ASSAY_COMPLETE": "bash_complete", **words})
    assert "--fail-fast" in done.out
    commands = {"COMP_WORDS": "assay ", "COMP_CWORD": "1"}
    done = cli(env={"_ASSAY_COMPLETE": "bash_complete", **commands})
    assert {"plain,test", "plain,plugins", "plain,report"} <= set(done.out.split())


def test_variables_stand_for_flags_of_what_is_shown(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "T1", "input": "hello"})
    dry = cli("test", "-i", "cases.jsonl", "-n", "echo:", env={"ASSAY_DRY_RUN": "1"})
    assert (dry.code, cli.files()) == (0, ["cases.jsonl"])
    assert dry.out.endswith("1 case would run; no agent was asked\n")
    lines = cli("test", "-i", "hello", "-n", "echo:", env={"ASSAY_JSON": "1"}).lines
    assert [line["type"] for line in lines] == ["start", "result", "summary"]
