"""A run in parts, on as many machines, and its parts put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.conftest import Cli

RUN = ("test", "-i", "x.jsonl", "-i", "y.jsonl", "-n", "echo:", "-q")
PARTS = ("1.jsonl", "2.jsonl", "3.jsonl")


@pytest.fixture
def parted(cli: Cli) -> Cli:
    """Two suites, run in three parts."""
    for suite in ("x", "y"):
        cli.cases(
            f"{suite}.jsonl",
            *({"id": f"T{number}", "input": "good", "expected": "good"} for number in range(9)),
            {"id": "bad", "input": "bad", "expected": "good"},
            {"id": "skip", "input": "x", "skip": True},
        )
    for number, name in enumerate(PARTS, 1):
        done = cli(*RUN, "--shard", f"{number}/3", "-o", name)
        assert done.code in (0, 1), done
    return cli


def test_the_parts_are_the_run(parted: Cli, steadily: Callable[[Any], Any]) -> None:
    whole = parted(*RUN, "-o", "whole.jsonl", "-o", "whole.json")

    done = parted("merge", *PARTS, "-o", "all.jsonl", "-o", "all.json", "-o", "all.html")

    assert (done.code, done.out) == (whole.code, "")
    assert done.err == "report: all.jsonl\nreport: all.json\nreport: all.html\n"
    lines, expected = (
        # Each part has a command of its own; no command repeats them all.
        [steadily({**line, "command": None}) for line in parted.lines(name)]
        for name in ("all.jsonl", "whole.jsonl")
    )
    assert lines == expected
    assert "command" not in parted.lines("all.jsonl")[0]
    merged, once = (steadily(parted.json(name)) for name in ("all.json", "whole.json"))
    assert merged["results"] == once["results"]
    assert merged["summary"] == once["summary"]


def test_each_case_runs_in_one_part(parted: Cli) -> None:
    found = [
        (line["suite"], line["id"])
        for name in PARTS
        for line in parted.lines(name)
        if line["type"] == "result"
    ]
    assert len(found) == len(set(found)) == 22
    for name in PARTS:
        start, summary = parted.lines(name)[0], parted.lines(name)[-1]
        assert start["shard"] == f"{name[0]}/3"
        assert summary["total"] + summary["deselected"] == 22


def test_the_report_of_a_part_says_so(parted: Cli) -> None:
    run = RUN[:-1]
    done = parted(*run, "--shard", "2/3", "-o", "part.md", "-o", "part.txt")

    heading = done.err.splitlines()[1]
    assert ", part 2/3, " in heading
    assert " left out by filters" in heading
    assert "| Part | 2/3 |" in " ".join(parted.read("part.md").split())
    assert "\nPart 2/3 of a run\n" in parted.read("part.txt")
    parted("merge", *PARTS, "-o", "all.md", "-o", "all.txt")
    assert "| Part |" not in " ".join(parted.read("all.md").split())
    assert "Part " not in parted.read("all.txt")


def test_a_missing_part_is_told(parted: Cli) -> None:
    done = parted("merge", "1.jsonl", "3.jsonl", "-r", "summary")
    assert done.code == 3
    assert done.err == "warning: parts of --shard are missing: 2/3\n"
    assert "Stopped: parts of --shard are missing: 2/3" in done.out


def test_a_killed_part_goes_on_and_is_merged(parted: Cli) -> None:
    lines = parted.read("2.jsonl").splitlines(keepends=True)
    parted.write("2.jsonl", "".join(lines[:2]) + lines[2][:20])
    broken = parted("merge", *PARTS, "-r", "summary")
    assert broken.code == 3
    assert "2.jsonl:3: the last line is torn; it is left out" in broken.err
    assert "have no result: a part broke off" in broken.err

    assert parted(*RUN, "--shard", "2/3", "--resume", "2.jsonl").code in (0, 1)

    done = parted("merge", *PARTS, "-r", "summary")
    assert (done.code, done.err) == (1, "")


def test_one_part_cannot_go_on_as_another(parted: Cli) -> None:
    done = parted(*RUN, "--shard", "1/3", "--resume", "2.jsonl")
    assert done.code == 2
    assert "part (--shard): 2/3 then, 1/3 now" in done.err


def test_an_empty_part_passes_with_a_note(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    run = ("test", "-i", "cases.jsonl", "-n", "echo:", "-q")
    codes: list[int] = []
    notes: list[str] = []
    for number in (1, 2):
        done = cli(*run, "--shard", f"{number}/2", "-o", f"{number}.jsonl", "-o", f"{number}.html")
        codes.append(done.code)
        notes += [line for line in done.err.split("\n") if line.startswith("note:")]

    assert codes == [0, 0]
    assert notes == ["note: --shard 1/2: no case falls into it"]
    assert cli("merge", "1.jsonl", "2.jsonl", "-o", "all.json").code == 0
    assert cli.json("all.json")["summary"]["total"] == 1


def test_a_dry_run_lists_a_part(parted: Cli) -> None:
    listed = [
        (line["suite"], line["id"])
        for number in (1, 2, 3)
        for line in parted(*RUN, "--shard", f"{number}/3", "--dry-run", "--json").lines
    ]
    assert len(listed) == len(set(listed)) == 22


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b", ""])
def test_what_is_no_part_is_told(cli: Cli, shard: str) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", f"--shard={shard}")
    assert done.code == 2
    assert "write K/N, from 1/N to N/N, such as 2/4" in done.err


def test_files_of_other_runs_are_refused(parted: Cli) -> None:
    parted(*RUN, "--shard", "2/3", "--runs", "2", "-o", "2.jsonl")
    done = parted("merge", *PARTS, "-o", "all.json")
    assert done.code == 2
    assert "2.jsonl: it is of a run that was started otherwise than that of 1.jsonl" in done.err
    assert "runs (--runs): 2, but 1 in 1.jsonl" in done.err
    assert not (parted.root / "all.json").exists()


def test_agents_text_starts_no_command(cli: Cli) -> None:
    """A case id is text of a user, and stands in warnings that a pipeline reads."""
    cli.cases("cases.jsonl", {"id": "\n::error::no", "input": "x"})
    for name in ("1.jsonl", "2.jsonl"):
        cli("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "-o", name)

    done = cli("merge", "1.jsonl", "2.jsonl", "-r", "summary", env={"GITHUB_ACTIONS": "true"})

    assert done.code == 0
    assert "stands in a later file too" in done.err
    assert not [line for line in done.err.split("\n") if line.startswith("::")]
