"""``--fail-fast``: the first case that cannot pass any more ends the run, truthfully."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

AGENT = """
    import asyncio
    from collections import Counter
    from pathlib import Path

    asked = Counter()
    hanging = asyncio.Event()
    passed_once = asyncio.Event()

    def note(name, text):
        with Path(name).open("a") as file:
            file.write(text + "\\n")

    async def reply(request):
        word = request.text
        asked[word] += 1
        note("asked", f"{word} {asked[word]}")
        if word == "hang":
            hanging.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                note("cancelled", word)
                raise
        if word == "second run hangs":
            if asked[word] == 1:
                return "good"
            hanging.set()
            await asyncio.Event().wait()
        if word == "bad when another hangs":
            await hanging.wait()
            return "bad"
        if word == "second run bad":
            return "bad" if asked[word] == 2 else "good"
        if word == "raises":
            raise ValueError("no good")
        if word == "never":
            await asyncio.Event().wait()
        return word
"""


def run(cli: Cli, words: list[str], *flags: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run one case per word with ``--fail-fast``; give the results by id, and the summary."""
    cli.write("agent.py", AGENT)
    cases = [
        {"id": f"{number} {word}", "input": word, "expected": "good"}
        for number, word in enumerate(words, 1)
    ]
    cli.cases("cases.jsonl", *cases)
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "-q"),
        *("--fail-fast", *flags),
    )
    assert done.code == 1, done.err
    results = {line["id"]: line for line in done.lines if line["type"] == "result"}
    assert sorted(results) == [str(case["id"]) for case in cases]
    summary = done.lines[-1]
    assert summary["total"] == summary["passed"] + summary["failed"] + summary["skipped"]
    assert summary["total"] == len(cases)
    return results, summary


def statuses(results: dict[str, Any]) -> dict[str, str]:
    return {name: line["status"] for name, line in results.items()}


def test_nobody_is_asked_after_the_first_failure(cli: Cli) -> None:
    results, summary = run(cli, ["good", "bad", "good", "good"])
    assert statuses(results) == {
        "1 good": "passed",
        "2 bad": "failed",
        "3 good": "skipped",
        "4 good": "skipped",
    }
    assert list(results) == ["1 good", "2 bad", "3 good", "4 good"]
    reason = "stopped by --fail-fast after 2 bad"
    assert {results[name]["reason"] for name in ("3 good", "4 good")} == {reason}
    assert summary["stopped"] == reason
    assert (summary["passed"], summary["failed"], summary["skipped"]) == (1, 1, 2)
    assert cli.read("asked").splitlines() == ["good 1", "bad 1"]


@pytest.mark.parametrize(
    ("word", "status", "flags"),
    [("raises", "error", ()), ("never", "timeout", ("--timeout", "200ms"))],
)
def test_errors_and_timeouts_are_failures(
    cli: Cli, word: str, status: str, flags: tuple[str, ...]
) -> None:
    results, _ = run(cli, [word, "good"], *flags)
    assert statuses(results) == {f"1 {word}": status, "2 good": "skipped"}


def test_attempts_under_way_are_cancelled(cli: Cli) -> None:
    results, summary = run(cli, ["hang", "bad when another hangs", "good"], "--parallel", "2")
    assert statuses(results) == {
        "1 hang": "skipped",
        "2 bad when another hangs": "failed",
        "3 good": "skipped",
    }
    assert cli.read("cancelled") == "hang\n"
    assert cli.read("asked").splitlines() == ["hang 1", "bad when another hangs 1"]
    assert summary["total_runs"] == 1


def test_runs_that_are_left_are_not_asked(cli: Cli) -> None:
    results, summary = run(cli, ["second run bad", "good"], "--runs", "4")
    case = results["1 second run bad"]
    assert (case["status"], case["incomplete"]) == ("failed", True)
    assert (case["runs"], case["passed"], case["failed"]) == (2, 1, 1)
    assert case["pass_rate"] == 50.0
    assert [detail["status"] for detail in case["run_details"]] == ["passed", "failed"]
    assert results["2 good"]["status"] == "skipped"
    assert (summary["total_runs"], summary["runs_per_case"]) == (2, 4)
    assert cli.read("asked").splitlines() == ["second run bad 1", "second run bad 2"]


def test_a_case_that_can_still_reach_its_rate_goes_on(cli: Cli) -> None:
    words = ["second run bad", "bad", "good"]
    results, _ = run(cli, words, "--runs", "4", "--min-pass-rate", "75")
    assert statuses(results) == {
        "1 second run bad": "passed",
        "2 bad": "failed",
        "3 good": "skipped",
    }
    assert results["1 second run bad"]["runs"] == 4
    assert results["2 bad"]["runs"] == 2


def test_a_case_whose_finished_runs_all_passed_is_not_called_passed(cli: Cli) -> None:
    words = ["second run hangs", "bad when another hangs"]
    results, summary = run(cli, words, "--runs", "2", "--parallel", "3")
    assert statuses(results) == {
        "1 second run hangs": "skipped",
        "2 bad when another hangs": "failed",
    }
    assert summary["passed"] == 0


def test_a_run_without_failures_is_whole(cli: Cli) -> None:
    cli.cases("cases.jsonl", *({"id": str(number), "input": "x"} for number in range(5)))
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--fail-fast", "--json", "-q")
    assert done.code == 0
    assert "stopped" not in done.lines[-1]
    assert done.lines[-1]["passed"] == 5
