"""Several runs of each case: figures, classes, the gate, and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

AGENT = """
    from collections import Counter

    asked = Counter()

    def reply(request):
        # "4 of 5" is good four times in five runs, the bad ones last.
        word = request.text
        asked[word] += 1
        if word == "same data":
            return {"a": 1, "b": 2.0} if asked[word] % 2 else {"b": 2, "a": 1}
        if word == "same text":
            return "good" if asked[word] % 2 else "  good\\n"
        if word == "other outputs":
            return f"good {asked[word]}"
        if word == "errors":
            raise ValueError("no good")
        good = int(word.split()[0])
        return "good" if asked[word] <= good else "bad"
"""

FIGURES = ("runs", "passed", "failed", "pass_rate", "consistency", "stable", "stability_class")


def run(cli: Cli, words: list[str], *flags: str, code: int = 1) -> tuple[dict[str, Any], Any]:
    cli.write("agent.py", AGENT)
    checks: dict[str, Any] = {"assert": {"type": "contains", "value": "good"}}
    cases = [{"id": word, "input": word, **({} if "data" in word else checks)} for word in words]
    cli.cases("cases.jsonl", *cases)
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "--json", "-q"), *flags
    )
    assert done.code == code, done.err
    return {line["id"]: line for line in done.lines if line["type"] == "result"}, done.lines


def figures(result: dict[str, Any]) -> list[Any]:
    return [result[name] for name in FIGURES]


def test_figures_and_classes(cli: Cli) -> None:
    words = ["5 of 5", "4 of 5", "3 of 5", "2 of 5", "0 of 5", "errors"]
    results, lines = run(cli, words, "--runs", "5")
    assert {name: figures(result) for name, result in results.items()} == {
        "5 of 5": [5, 5, 0, 100.0, 1.0, True, "stable"],
        "4 of 5": [5, 4, 1, 80.0, 0.8, False, "mostly_stable"],
        "3 of 5": [5, 3, 2, 60.0, 0.6, False, "unstable"],
        "2 of 5": [5, 2, 3, 40.0, 0.6, False, "highly_unstable"],
        "0 of 5": [5, 0, 5, 0.0, 1.0, False, "highly_unstable"],
        "errors": [5, 0, 5, 0.0, 0.0, False, "highly_unstable"],
    }
    # The 95 % Wilson intervals, as tables have them.
    assert {name: results[name]["pass_rate_interval"] for name in words[:3]} == {
        "5 of 5": [56.6, 100.0],
        "4 of 5": [37.6, 96.4],
        "3 of 5": [23.1, 88.2],
    }
    summary = lines[-1]
    names = (
        *("total_cases", "total_runs", "runs_per_case", "overall_pass_rate"),
        *("stable_cases", "unstable_cases", "passed_runs"),
        *("total", "passed", "failed", "errors", "pass_rate"),
    )
    assert {name: summary[name] for name in names} == {
        "total_cases": 6,
        "total_runs": 30,
        "runs_per_case": 5,
        "overall_pass_rate": 46.7,
        "stable_cases": 1,
        "unstable_cases": 5,
        "passed_runs": 14,
        "total": 6,
        "passed": 1,
        "failed": 5,
        "errors": 1,
        "pass_rate": 16.7,
    }


def test_thirds_are_rounded_to_one_decimal(cli: Cli) -> None:
    results, lines = run(cli, ["2 of 3", "1 of 3"], "--runs", "3")
    assert figures(results["2 of 3"]) == [3, 2, 1, 66.7, 0.67, False, "unstable"]
    assert figures(results["1 of 3"]) == [3, 1, 2, 33.3, 0.67, False, "highly_unstable"]
    assert lines[-1]["overall_pass_rate"] == 50.0


def test_times_are_those_of_the_runs(cli: Cli) -> None:
    results, _ = run(cli, ["2 of 3"], "--runs", "3")
    result = results["2 of 3"]
    times = [detail["duration_ms"] for detail in result["run_details"]]
    mean = sum(times) / len(times)
    deviation = (sum((time - mean) ** 2 for time in times) / len(times)) ** 0.5
    assert result["min_duration_ms"] == min(times)
    assert result["max_duration_ms"] == max(times)
    assert result["avg_duration_ms"] == pytest.approx(mean, abs=0.51)
    assert result["std_deviation_ms"] == pytest.approx(deviation, abs=0.051)


def test_outputs_are_compared_as_json_or_trimmed_text(cli: Cli) -> None:
    results, _ = run(cli, ["same data", "same text", "other outputs"], "--runs", "4", code=0)
    consistency = {name: result["consistency"] for name, result in results.items()}
    assert consistency == {"same data": 1.0, "same text": 1.0, "other outputs": 0.25}
    assert {result["stability_class"] for result in results.values()} == {"stable"}


def test_each_run_has_a_line_and_a_detail(cli: Cli) -> None:
    results, lines = run(cli, ["1 of 2"], "--runs", "2")
    assert [line["type"] for line in lines] == ["start", "attempt", "attempt", "result", "summary"]
    attempts = [line for line in lines if line["type"] == "attempt"]
    shown = [
        {key: attempt[key] for key in ("id", "run", "status", "output")} for attempt in attempts
    ]
    assert shown == [
        {"id": "1 of 2", "run": 1, "status": "passed", "output": "good"},
        {"id": "1 of 2", "run": 2, "status": "failed", "output": "bad"},
    ]
    details = results["1 of 2"]["run_details"]
    own = ("type", "id", "suite", "index", "hash")
    assert details == [
        {key: value for key, value in attempt.items() if key not in own} for attempt in attempts
    ]


@pytest.mark.parametrize(
    ("gate", "statuses", "code"),
    [
        ("100", ["passed", "failed", "failed"], 1),
        ("80", ["passed", "passed", "failed"], 1),
        ("60", ["passed", "passed", "passed"], 0),
        ("60.1", ["passed", "passed", "failed"], 1),
    ],
)
def test_the_gate(cli: Cli, gate: str, statuses: list[str], code: int) -> None:
    words = ["5 of 5", "4 of 5", "3 of 5"]
    results, lines = run(cli, words, "--runs", "5", "--min-pass-rate", gate, code=code)
    assert [results[word]["status"] for word in words] == statuses
    # The gate changes what counts as passed, never the figures.
    assert [results[word]["pass_rate"] for word in words] == [100.0, 80.0, 60.0]
    assert lines[-1]["stable_cases"] == 1


def test_the_gate_is_measured_exactly(cli: Cli) -> None:
    results, _ = run(cli, ["2 of 3"], "--runs", "3", "--min-pass-rate", "66.7")
    assert results["2 of 3"]["pass_rate"] == 66.7
    assert results["2 of 3"]["status"] == "failed"


def test_suites_may_run_differently_often(cli: Cli) -> None:
    cli.cases("one/cases.jsonl", {"id": "a", "input": "x"})
    cli.cases("two/cases.jsonl", {"id": "a", "input": "x"})
    cli.write("two/assay.toml", "[test]\nruns = 3\n")
    done = cli("test", "-i", "*/cases.jsonl", "-n", "echo:", "--json", "-q")
    assert done.code == 0, done.err
    start, *_, summary = done.lines
    assert [suite["runs_per_case"] for suite in start["suites"]] == [1, 3]
    assert start["runs_per_case"] is None
    assert summary["runs_per_case"] is None
    assert summary["total_runs"] == 4
