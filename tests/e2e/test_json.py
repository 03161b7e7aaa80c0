"""The JSON report, and the expression over it that CI uses."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

EXPRESSION = ".results | all(.pass_rate >= 80)"

AGENT = """
    from collections import Counter

    asked = Counter()

    def reply(request):
        asked[request.text] += 1
        good = int(request.text)
        return "good" if asked[request.text] <= good else "bad"
"""


def report(cli: Cli, *good: int, runs: int) -> dict[str, Any]:
    """Run one case per number, which says how many of its runs are good; a skipped one beside."""
    cli.write("agent.py", AGENT)
    cases = [{"id": str(number), "input": str(number), "expected": "good"} for number in good]
    cli.cases("cases.jsonl", *cases, {"id": "later", "input": "x", "skip": True})
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q"),
        *("--runs", str(runs), "-o", "report.json"),
    )
    assert done.code in (0, 1), done.err
    return cli.json("report.json")


@pytest.mark.parametrize(
    ("good", "runs", "holds"),
    [((5, 4), 5, True), ((5, 3), 5, False), ((1, 2), 1, True), ((1, 0), 1, False)],
)
def test_the_expression_of_the_design(
    cli: Cli, good: tuple[int, ...], runs: int, holds: bool
) -> None:
    results = report(cli, *good, runs=runs)["results"]
    assert len(results) == len(set(good))
    assert all(result["pass_rate"] >= 80 for result in results) is holds
    jq = shutil.which("jq")
    if jq is not None:
        done = subprocess.run(
            [jq, "-e", EXPRESSION, "report.json"], cwd=cli.root, capture_output=True, check=False
        )
        assert (done.returncode == 0) is holds


def test_a_single_run_in_full(cli: Cli, steadily: Any) -> None:
    assert steadily(report(cli, 1, 0, runs=1)) == {
        "summary": {
            "total": 3,
            "passed": 1,
            "failed": 1,
            "skipped": 1,
            "duration_ms": 0,
            "agent_id": "python:agent.py:reply",
            "connector": None,
            "runs_per_case": 1,
            "errors": 0,
            "timeouts": 0,
            "unasserted": 1,
            "pass_rate": 50.0,
            "overall_pass_rate": 50.0,
            "total_cases": 3,
            "total_runs": 2,
            "passed_runs": 1,
            "stable_cases": 1,
            "unstable_cases": 1,
            "deselected": 0,
            "suites": [
                {
                    "source": "cases.jsonl",
                    "agent_id": "python:agent.py:reply",
                    "connector": None,
                    "total": 3,
                    "passed": 1,
                    "failed": 1,
                    "skipped": 1,
                    "errors": 0,
                    "timeouts": 0,
                    "unasserted": 1,
                    "pass_rate": 50.0,
                    "overall_pass_rate": 50.0,
                    "total_cases": 3,
                    "total_runs": 2,
                    "passed_runs": 1,
                    "stable_cases": 1,
                    "unstable_cases": 1,
                }
            ],
        },
        "environment": {
            "user_id": "test-user",
            "team_id": "test-team",
            "locale": "en-us",
            "client_type": "test",
            "client_ip": "127.0.0.1",
            "referer": "test",
            "accept": "standard",
        },
        "results": [
            {
                "id": "1",
                "status": "passed",
                "input": "1",
                "output": "good",
                "expected": "good",
                "duration_ms": 0,
                "error": None,
                "assertions": [
                    {
                        "type": "equals",
                        "passed": True,
                        "message": "equal",
                        "expected": "good",
                        "actual": "good",
                    }
                ],
                "index": 0,
                "suite": "cases.jsonl",
                "agent_id": "python:agent.py:reply",
                "where": {"file": "cases.jsonl", "line": 1},
                "runs": 1,
                "passed": 1,
                "failed": 0,
                "pass_rate": 100.0,
                "stable": True,
                "response": {},
            },
            {
                "id": "0",
                "status": "failed",
                "input": "0",
                "output": "bad",
                "expected": "good",
                "duration_ms": 0,
                "error": 'expected "good", got "bad"',
                "assertions": [
                    {
                        "type": "equals",
                        "passed": False,
                        "message": 'expected "good", got "bad"',
                        "expected": "good",
                        "actual": "bad",
                    }
                ],
                "index": 1,
                "suite": "cases.jsonl",
                "agent_id": "python:agent.py:reply",
                "where": {"file": "cases.jsonl", "line": 2},
                "runs": 1,
                "passed": 0,
                "failed": 1,
                "pass_rate": 0.0,
                "stable": False,
                "response": {},
            },
        ],
        "skipped": [{"id": "later", "reason": "skip is set in the case", "suite": "cases.jsonl"}],
        "metadata": {
            "command": "assay test -i cases.jsonl -n python:agent.py:reply -q --runs 1",
            "parallel": 1,
        },
    }


def test_metadata_and_several_runs(cli: Cli) -> None:
    written = report(cli, 2, 1, runs=2)
    metadata = written["metadata"]
    assert list(metadata)[:3] == ["started_at", "completed_at", "version"]
    assert metadata["started_at"] <= metadata["completed_at"]
    assert metadata["started_at"].endswith("Z")
    assert metadata["command"] == ("assay test -i cases.jsonl -n python:agent.py:reply -q --runs 2")
    assert (written["summary"]["total_runs"], written["summary"]["runs_per_case"]) == (4, 2)
    second = written["results"][1]
    assert [detail["status"] for detail in second["run_details"]] == ["passed", "failed"]
    assert second["stability_class"] == "unstable"


def test_results_stand_in_the_order_of_the_cases(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        import asyncio
        second = asyncio.Event()

        async def reply(request):
            if request.text == "first":
                await second.wait()
            second.set()
            return "good"
        """,
    )
    cli.cases("cases.jsonl", {"id": "1", "input": "first"}, {"id": "2", "input": "second"})
    done = cli(
        *("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q", "--parallel", "2"),
        *("-o", "report.json", "-o", "results.jsonl"),
    )
    assert done.code == 0, done.err
    as_they_completed = [line["id"] for line in cli.lines("results.jsonl")[1:-1]]
    assert as_they_completed == ["2", "1"]
    assert [result["id"] for result in cli.json("report.json")["results"]] == ["1", "2"]
