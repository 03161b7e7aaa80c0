"""How attempts are carried out: how many, at once, how long, again, and which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

MEETING = """
    import threading

    lock = threading.Lock()
    here = most = 0

    def meet(together):
        barrier = threading.Barrier(together)

        def reply(request):
            global here, most
            with lock:
                here += 1
                most = max(most, here)
            barrier.wait(30)
            with lock:
                here -= 1
            return str(most)

        return reply

    two = meet(2)
    three = meet(3)
    one = meet(1)
"""


def numbered(count: int, **fields: Any) -> list[dict[str, Any]]:
    return [{"id": f"c{number}", "input": "x", **fields} for number in range(count)]


def test_one_attempt_at_a_time_by_default_in_the_order_of_the_file(cli: Cli) -> None:
    cli.write("agent.py", MEETING)
    cli.cases("cases.jsonl", *numbered(6), {"id": "skipped", "input": "x", "skip": True})
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:one")
    assert list(results) == ["c0", "c1", "c2", "c3", "c4", "c5", "skipped"]
    assert {line["output"] for line in results.values() if "output" in line} == {"1"}


def test_parallel_cases(cli: Cli) -> None:
    cli.write("agent.py", MEETING)
    cli.cases("cases.jsonl", *numbered(6))
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:two", "--parallel", "2")
    assert {line["status"] for line in results.values()} == {"passed"}
    assert {line["output"] for line in results.values()} == {"2"}


def test_parallel_runs_of_one_case(cli: Cli) -> None:
    cli.write("agent.py", MEETING)
    cli.cases("cases.jsonl", *numbered(1))
    results = cli.results(
        *("-i", "cases.jsonl", "-n", "python:agent.py:three", "--parallel", "3", "--runs", "6")
    )
    assert results["c0"]["passed"] == 6
    assert {detail["output"] for detail in results["c0"]["run_details"]} == {"3"}


def test_each_attempt_is_a_conversation_of_its_own(cli: Cli) -> None:
    cli.write("agent.py", "def reply(request): return request.chat_id\n")
    cli.cases("cases.jsonl", *numbered(2))
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:reply", "--runs", "3")
    chats = [detail["output"] for line in results.values() for detail in line["run_details"]]
    assert len(set(chats)) == 6


HANGING = """
    import asyncio, threading
    from pathlib import Path

    def thread(request):
        if request.text == "hang":
            threading.Event().wait()
        return "good"

    async def task(request):
        if request.text == "hang":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                Path("cancelled").touch()
                raise
        return "good"

    async def stubborn(request):
        while request.text == "hang":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                Path("asked to stop").touch()
                return "late"
        return "good"
"""


@pytest.mark.parametrize(
    ("function", "left"), [("thread", []), ("task", ["cancelled"]), ("stubborn", ["asked to stop"])]
)
def test_an_attempt_that_takes_too_long_is_ended(cli: Cli, function: str, left: list[str]) -> None:
    cli.write("agent.py", HANGING)
    cli.cases(
        "cases.jsonl",
        {"id": "flag", "input": "hang", "expected": "good"},
        {"id": "case", "input": "hang", "timeout": "150ms"},
        {"id": "next", "input": "x", "expected": "good"},
    )
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", f"python:agent.py:{function}", "--json", "-q"),
        *("--timeout", "300ms"),
    )
    assert done.code == 1
    _, *results, summary = done.lines
    assert [(line["id"], line["status"]) for line in results] == [
        ("flag", "timeout"),
        ("case", "timeout"),
        ("next", "passed"),
    ]
    assert results[0]["error"] == "timeout after 300ms"
    assert results[1]["error"] == "timeout after 150ms"
    assert results[0]["duration_ms"] >= 300
    assert "output" not in results[0]
    assert (summary["failed"], summary["timeouts"], summary["errors"]) == (2, 2, 0)
    assert sorted(set(cli.files()) - {"agent.py", "cases.jsonl"}) == left


FLAKY = """
    from collections import Counter
    from assay import AgentError, RateLimited, TransportError

    asked = Counter()

    def reply(request):
        word = request.text
        asked[word] += 1
        if word == "limited" and asked[word] <= 2:
            raise RateLimited("slow down", retry_after=0)
        if word == "broken" and asked[word] == 1:
            raise TransportError("broken pipe", retryable=True)
        if word == "always":
            raise RateLimited("full", retry_after=0)
        if word == "for good":
            raise TransportError("no such host")
        if word == "agent":
            raise AgentError("will not")
        if word == "much later":
            raise RateLimited("come back", retry_after=700)
        return f"asked {asked[word]}"
"""


def test_only_what_the_transport_calls_retryable_is_tried_again(cli: Cli) -> None:
    cli.write("agent.py", FLAKY)
    words = ("limited", "broken", "always", "for good", "agent", "much later")
    cli.cases("cases.jsonl", *({"id": word, "input": word} for word in words))
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "-q")
    assert done.code == 1
    results = {line["id"]: line for line in done.lines if line["type"] == "result"}
    told = {
        name: (line["status"], line.get("output"), line.get("error"))
        for name, line in results.items()
    }
    assert told == {
        "limited": ("passed", "asked 3", None),
        "broken": ("passed", "asked 2", None),
        "always": ("error", None, "full"),
        "for good": ("error", None, "no such host"),
        "agent": ("error", None, "will not"),
        "much later": (
            "error",
            None,
            "come back: it asks for a pause of 11m40s; --max-wait allows 10m",
        ),
    }
    assert [each["error"] for each in results["limited"]["tries"]] == ["slow down"] * 2
    assert [each["error"] for each in results["always"]["tries"]] == ["full"] * 3
    (broken,) = results["broken"]["tries"]
    assert broken["error"] == "broken pipe"
    assert 0 < broken["waited_ms"] <= 500


def test_without_retries(cli: Cli) -> None:
    cli.write("agent.py", FLAKY)
    cli.cases("cases.jsonl", {"id": "a", "input": "limited"}, {"id": "b", "input": "fine"})
    results = cli.results("-i", "cases.jsonl", "-n", "python:agent.py:reply", "--retries", "0")
    assert (results["a"]["status"], results["a"]["error"]) == ("error", "slow down")
    assert results["b"]["output"] == "asked 1"


TAGGED = (
    {"id": "T001 login", "input": "x", "tags": ["smoke", "auth"]},
    {"id": "T002 logout", "input": "x", "tags": ["auth"]},
    {"id": "T003 search", "input": "x", "tags": ["slow"]},
    {"id": "T004 plain", "input": "x"},
)


@pytest.mark.parametrize(
    ("flags", "ids"),
    [
        (("--run", "^T00[13]"), ["T001 login", "T003 search"]),
        (("--run", "log"), ["T001 login", "T002 logout"]),
        (("--tag", "auth"), ["T001 login", "T002 logout"]),
        (("--tag", "smoke", "--tag", "slow"), ["T001 login", "T003 search"]),
        (("--tag", "auth", "--run", "out"), ["T002 logout"]),
    ],
)
def test_a_part_of_the_cases(cli: Cli, flags: tuple[str, ...], ids: list[str]) -> None:
    cli.cases("cases.jsonl", *TAGGED)
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--json", "-q", *flags)
    assert done.code == 0
    start, *results, summary = done.lines
    assert [line["id"] for line in results] == ids
    assert start["total_cases"] == summary["total"] == len(ids)
    assert start["deselected"] == summary["deselected"] == 4 - len(ids)


def test_a_pattern_that_is_none(cli: Cli) -> None:
    cli.cases("cases.jsonl", *TAGGED)
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--run", "(")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: --run: ")


def test_a_dry_run_lists_what_would_run_and_asks_nobody(cli: Cli) -> None:
    cli.write("agent.py", "raise SystemExit('never imported')\n")
    cli.write("near.py", "def check(output, input, expected): return True\n")
    cli.cases(
        "cases.jsonl",
        {"id": "first", "input": "x", "expected": 1, "tags": ["a", "b"], "timeout": "1m30s"},
        {"id": "second", "input": "x", "assert": {"type": "script", "script": "near.py:check"}},
        {"id": "third", "input": "x", "skip": True},
        {"id": "other", "input": "x"},
    )
    flags = ("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--dry-run")
    done = cli(*flags, "--run", "^(first|second|third)$", "--runs", "3")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "cases.jsonl: 3 cases, 3 runs each, agent python:agent.py:reply over python",
        "  needs script near.py:check (near.py:check)",
        "  first  equals; timeout 1m30s; #a; #b",
        "  second  script",
        "  third  no checks; skipped",
        "2 cases would run, 1 skipped, 1 left out; no agent was asked",
    ]
    as_json = cli(*flags, "--json", "--run", "first")
    assert as_json.lines == [
        {
            "type": "case",
            "id": "first",
            "suite": "cases.jsonl",
            "agent_id": "python:agent.py:reply",
            "runs": 1,
            "skip": False,
            "file": "cases.jsonl",
            "line": 1,
        }
    ]
    assert cli.files() == ["agent.py", "cases.jsonl", "near.py"]


def test_verbose_shows_input_and_output_of_every_case(cli: Cli) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "hello there", "expected": "hello there"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "-v", "-o", "report.json")
    assert (done.code, done.out) == (0, "")
    shown = done.seen.splitlines()
    start = shown.index("✓ a passed (0ms) · cases.jsonl:1")
    assert shown[start + 1 : start + 4] == [
        "  input     hello there",
        "  output    hello there",
        "  ✓ equals: equal",
    ]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["good", "good"], 0),
        (["good", "bad"], 1),
        (["raises", "raises"], 1),
        (["dead", "dead"], 3),
        (["dead", "bad"], 1),
    ],
)
def test_the_exit_code(cli: Cli, words: list[str], code: int) -> None:
    cli.write(
        "agent.py",
        """
        from assay import TransportError

        def reply(request):
            if request.text == "dead":
                raise TransportError("no such host")
            if request.text == "raises":
                raise ValueError("no good")
            return request.text
        """,
    )
    cases = [
        {"id": str(number), "input": word, "expected": "good"} for number, word in enumerate(words)
    ]
    cli.cases("cases.jsonl", *cases)
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "-q")
    assert done.code == code
    assert done.lines[-1]["exit_code"] == code


def test_a_source_that_changes_in_between(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        from pathlib import Path

        def reply(request):
            file = Path("cases.jsonl")
            file.write_text(file.read_text().replace("later", "changed"))
            return "good"
        """,
    )
    filler = [{"id": f"f{number}", "input": "x" * 10_000} for number in range(100)]
    cli.cases("cases.jsonl", {"id": "a", "input": "x"}, *filler, {"id": "b", "input": "later"})
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-o", "r.jsonl")
    assert done.code == 2
    assert done.err.splitlines()[-1] == (
        "Error: cases.jsonl: it changed while it was being run; run it again when it is at rest"
    )
    assert [line["type"] for line in cli.lines("r.jsonl")][:2] == ["start", "result"]


def test_a_rate_limit_spaces_the_tries(cli: Cli) -> None:
    cli.write("agent.py", "import time\ndef reply(request): return time.monotonic()\n")
    cli.cases("cases.jsonl", *numbered(4))
    results = cli.results(
        *("-i", "cases.jsonl", "-n", "python:agent.py:reply", "--rate", "10/s", "--parallel", "4")
    )
    times = sorted(line["output"] for line in results.values())
    assert times[-1] - times[0] >= 0.25
