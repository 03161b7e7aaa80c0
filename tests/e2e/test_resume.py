"""A run that was killed goes on from its lines alone, and ends as if nothing had happened."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.conftest import Cli, Result

AGENT = """
    import asyncio, os, assay

    async def reply(request):
        if request.text == "wait" and "GO_ON" not in os.environ:
            print("waiting", flush=True)
            await asyncio.Event().wait()
        if request.text == "boom" and "MENDED" not in os.environ:
            raise assay.AgentError("boom")
        return "good"
"""

CASES = (
    {"id": "a", "input": "x", "expected": "good"},
    {"id": "b", "input": "x", "expected": "other"},
    {"id": "c", "input": "boom"},
    {"id": "d", "input": "x", "skip": True},
    {"id": "e", "input": "wait", "expected": "good", "tags": ["slow"]},
    {"id": "f", "input": "x"},
)
LIMITED = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
"""
PAGES = ("run.json", "run.md", "run.xml", "run.csv", "run.txt", "run.html")
RUN = ("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply")
ON = {"GO_ON": "1"}


@pytest.fixture
def killed(cli: Cli) -> Cli:
    """A run that was killed while its fifth case waited: ``run.jsonl``."""
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)
    running = cli.start(*RUN, "-o", "run.jsonl")
    running.wait_for("waiting", "err")
    running.process.kill()
    running.end()
    return cli


def whole(cli: Cli, *flags: str) -> Result:
    done = cli(*RUN, "-q", "-o", "whole.jsonl", *flags, env=ON)
    assert done.code == 1, done
    return done


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes in another way")
def test_a_killed_run_ends_as_one_that_was_never_killed(
    killed: Cli, steadily: Callable[[Any], Any]
) -> None:
    cli = killed
    assert [line["type"] for line in cli.lines("run.jsonl")] == ["start", *["result"] * 4]

    outputs = [flag for page in PAGES for flag in ("-o", page)]
    done = cli(*RUN, "--resume", "run.jsonl", *outputs, env=ON)

    assert done.code == 1, done
    assert done.err.startswith("--resume run.jsonl: 4 of 6 cases have their results there\n")
    assert "Report  run.jsonl" in done.err
    whole(cli)
    lines, expected = (
        # The command tells -q, which was given to one of them.
        [{key: value for key, value in steadily(line).items() if key != "command"} for line in each]
        for each in (cli.lines("run.jsonl"), cli.lines("whole.jsonl"))
    )
    assert lines == expected
    assert cli.lines("run.jsonl")[0]["command"] == "assay " + " ".join(RUN)
    again = [flag for page in PAGES for flag in ("-o", f"again/{page}")]
    assert cli("report", "run.jsonl", *again).code == 0
    for page in PAGES:
        assert cli.read(page) == cli.read(f"again/{page}"), page


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_goes_on_too(cli: Cli, number: int, steadily: Callable[[Any], Any]) -> None:
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)
    running = cli.start(*RUN, "-q", "-o", "run.jsonl", "--runs", "2")
    running.wait_for("waiting", "err")
    running.signal(number)
    assert running.end().code in (130, 143)
    assert cli.lines("run.jsonl")[-1]["stopped"]

    done = cli(*RUN, "-q", "--resume", "run.jsonl", "--runs", "2", env=ON)

    assert done.code == 1, done
    whole(cli, "--runs", "2")
    resumed, expected = (
        [
            steadily({**line, "command": None})
            for line in cli.lines(name)
            if line["type"] != "attempt"
        ]
        for name in ("run.jsonl", "whole.jsonl")
    )
    assert [line["type"] for line in resumed] == ["start", *["result"] * 6, "summary"]
    assert resumed == expected


def test_one_that_is_killed_while_it_goes_on_goes_on(killed: Cli) -> None:
    before = killed.lines("run.jsonl")
    running = killed.start(*RUN, "--resume", "run.jsonl")
    running.wait_for("waiting", "err")
    # Before anything is asked, the file holds all that it held.
    assert killed.lines("run.jsonl") == before
    running.process.kill()
    running.end()
    assert killed.lines("run.jsonl") == before

    assert killed(*RUN, "--resume", "run.jsonl", env=ON).code == 1
    assert [line["type"] for line in killed.lines("run.jsonl")][-1] == "summary"
    assert killed.files() == ["agent.py", "cases.jsonl", "run.jsonl"]


def test_quiet_says_only_what_changed(killed: Cli) -> None:
    done = killed(*RUN, "--resume", "run.jsonl", "-q", env=ON)
    assert done.seen == "FAILED   3 passed, 2 failed (1 error), 1 skipped, 3 unasserted in 0ms\n"
    killed.cases("cases.jsonl", {"id": "a", "input": "y", "expected": "good"}, *CASES[2:])

    done = killed(*RUN, "--resume", "run.jsonl", "-q", env=ON)

    assert done.err.splitlines()[:2] == [
        "1 case was changed since and will run again: a",
        "1 case is no longer part of the run and left out of its reports",
    ]
    assert [line["id"] for line in killed.lines("run.jsonl")[1:-1]] == [*"cdefa"]


def test_errors_are_asked_for_again(killed: Cli) -> None:
    assert killed(*RUN, "-q", "--resume", "run.jsonl", env=ON).code == 1

    done = killed(*RUN, "--retry-errors", "run.jsonl", env={"MENDED": "1"})

    assert done.code == 1
    assert done.err.startswith("--retry-errors run.jsonl: 5 of 6 cases have their results there\n")
    found = {line["id"]: line["status"] for line in killed.lines("run.jsonl")[1:-1]}
    assert found == {
        **dict.fromkeys("acef", "passed"),
        "b": "failed",
        "d": "skipped",
    }


def test_all_lines_are_shown(killed: Cli) -> None:
    done = killed(*RUN, "-q", "--json", "--resume", "run.jsonl", env=ON)

    assert done.lines == killed.lines("run.jsonl")


def test_a_dry_run_lists_what_is_left(killed: Cli) -> None:
    before = killed.read("run.jsonl")

    done = killed(*RUN, "--resume", "run.jsonl", "--dry-run")

    assert done.out.splitlines() == [
        "cases.jsonl: 6 cases, agent python:agent.py:reply over python",
        "  e  equals; #slow",
        "  f  no checks",
        "--resume run.jsonl: 4 of 6 cases have their results there",
        "2 cases would run; no agent was asked",
    ]
    done = killed(*RUN, "--retry-errors", "run.jsonl", "--dry-run", "--json")
    assert [(line["id"], line["runs"]) for line in done.lines] == [("c", 1)]
    assert killed.read("run.jsonl") == before


def test_a_dry_run_names_the_attempts_that_are_left(killed: Cli) -> None:
    whole(killed, "--runs", "3")
    lines = killed.read("whole.jsonl").splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if '"id": "b"' in line)
    killed.write("part.jsonl", "".join(lines[: place + 1]))

    done = killed(*RUN, "--runs", "3", "--resume", "part.jsonl", "--dry-run", "--tag", "none")
    assert done.code == 2
    done = killed(*RUN, "--runs", "3", "--resume", "part.jsonl", "--dry-run")

    assert any(
        line.startswith("  b  ") and line.endswith("run 2, 3") for line in done.out.split("\n")
    )
    done = killed(*RUN, "--runs", "3", "--resume", "part.jsonl", "--dry-run", "--json")
    assert [(line["id"], line["runs"]) for line in done.lines][:2] == [("b", 2), ("c", 3)]


def test_standard_input_is_read_again(cli: Cli) -> None:
    cases = "".join(f"{json.dumps(case)}\n" for case in CASES)
    cli.write("agent.py", AGENT)
    run = ("test", "-i", "-", "-n", "python:agent.py:reply", "-q")
    cli(*run, "-o", "run.jsonl", stdin=cases, env=ON)
    whole_run = cli.read("run.jsonl").splitlines(keepends=True)
    cli.write("run.jsonl", "".join(whole_run[:4]))

    assert cli(*run, "--resume", "run.jsonl", stdin=cases, env=ON).code == 1

    assert [line["id"] for line in cli.lines("run.jsonl")[1:-1]] == [*"abcdef"]


def test_a_variable_names_the_file_too(killed: Cli) -> None:
    done = killed(*RUN, env={"ASSAY_RESUME": "run.jsonl", **ON})
    assert done.err.startswith("ASSAY_RESUME run.jsonl: 4 of 6 cases have their results there\n")


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--resume", "gone.jsonl"), "--resume gone.jsonl: it cannot be read: No such file"),
        (("--resume", "rum.jsonl"), "No such file or directory; did you mean run.jsonl?"),
        (("--resume", "cases.jsonl"), "--resume cases.jsonl: it holds no run"),
        (("--resume", "run.jsonl", "--runs", "2"), "runs (--runs): 1 then, 2 now"),
        (("--resume", "run.jsonl", "--tag", "slow"), "filters (--run, --tag): none then, --tag"),
        (("--resume", "run.jsonl", "-n", "echo:"), "then, echo over echo now"),
        (("--resume", "run.jsonl", "--retry-errors", "run.jsonl"), "exclude each other"),
        (("--resume", "run.jsonl", "-r", "json", "-o", "run.jsonl"), "name another file first"),
    ],
)
def test_what_cannot_go_on_is_told_and_left_alone(
    killed: Cli, flags: tuple[str, ...], told: str
) -> None:
    before = {name: killed.read(name) for name in killed.files()}

    done = killed(*RUN, *flags)

    assert done.code == 2, done
    assert told in done.err
    assert {name: killed.read(name) for name in killed.files()} == before


def test_from_another_folder_the_cases_are_others(killed: Cli) -> None:
    (killed.root / "sub").mkdir()
    run = ("test", "-i", "../cases.jsonl", "-n", "python:../agent.py:reply")

    done = killed(*run, "--resume", "../run.jsonl", cwd="sub")

    assert done.code == 2
    assert (
        "it is of a run of cases.jsonl; give the -i of that run, from the same folder" in done.err
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_one_run_at_a_time_writes_a_file(killed: Cli) -> None:
    running = killed.start(*RUN, "--resume", "run.jsonl")
    running.wait_for("waiting", "err")
    before = killed.read("run.jsonl")

    second = killed(*RUN, "--resume", "run.jsonl", env=ON)
    fresh = killed(*RUN, "-o", "run.jsonl", env=ON)

    assert (second.code, fresh.code) == (2, 3)
    assert (
        second.err
        == "Error: --resume run.jsonl: another run is still writing it; wait until it is over\n"
    )
    assert "another run is writing it; name another place with -o" in fresh.err
    assert killed.read("run.jsonl") == before
    running.signal(signal.SIGINT)
    assert running.end().code == 130
    assert killed(*RUN, "--resume", "run.jsonl", env=ON).code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_full_disk_leaves_the_file_as_it_was(killed: Cli) -> None:
    """A limit of the file's size stands for the disk."""
    before = killed.read("run.jsonl")
    killed.write("sitecustomize/sitecustomize.py", LIMITED)
    env = {**ON, "PYTHONPATH": str(killed.root / "sitecustomize")}

    done = killed(*RUN, "--resume", "run.jsonl", env=env)

    assert done.code == 3, done
    assert "File too large; move the file of the earlier run to a place with room" in done.err
    assert killed.read("run.jsonl") == before
    assert not [name for name in killed.files() if name.startswith(".")]
