"""The workflows of the page on CI do what they say."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

PAGE = Path(__file__).parents[2] / "docs" / "ci.md"

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="the workflows run on Linux"),
    pytest.mark.skipif(shutil.which("jq") is None, reason="one of them uses jq"),
]

AGENT = """
    from collections import Counter

    asked = Counter()

    def reply(request):
        asked[request.text] += 1
        good = int(request.text)
        return "good" if asked[request.text] <= good else "bad"
"""


def workflow(name: str) -> dict[str, Any]:
    """Read a workflow of the page."""
    blocks = re.findall(r"^```yaml\n# \S+/(\S+)\n(.*?)^```", PAGE.read_text("utf-8"), re.S | re.M)
    read = yaml.safe_load(dict(blocks)[name])
    assert isinstance(read, dict)
    return read


def job_passes(cli: Cli, name: str, job: str = "test", commands: int = 1, **values: object) -> bool:
    """Run the steps of a workflow's job as GitHub does; what is not ours is left out.

    Args:
        cli: Where.
        name: Of the workflow.
        job: Its name in the workflow.
        commands: How many steps are to run.
        values: What stands for expressions, such as ``part`` for ``${{ matrix.part }}``.
    """
    passes = True
    ran = 0
    for step in workflow(name)["jobs"][job]["steps"]:
        if "pip install" in step.get("run", "pip install"):
            continue
        if not passes and step.get("if") != "always()":
            continue
        script = re.sub(r"\$\{\{ matrix\.(\w+) \}\}", lambda key: str(values[key[1]]), step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=cli.root,
            env={**cli.env, "CI": "true", "GITHUB_STEP_SUMMARY": str(cli.root / "summary.md")},
            capture_output=True,
            check=False,
            timeout=60,
        )
        ran += 1
        if done.returncode and not step.get("continue-on-error"):
            passes = False
    assert ran == commands
    return passes


@pytest.mark.parametrize(("name", "commands"), [("agents.yml", 1), ("two-steps.yml", 2)])
def test_a_workflow_tells_stable_agents_from_others(shell: Cli, name: str, commands: int) -> None:
    cli = shell
    cli.write("assistants/kind/agent.py", AGENT)
    cli.write(
        "assistants/kind/assay.toml", '[agent]\ntransport = "python"\ntarget = "agent.py:reply"\n'
    )
    for good, passes in (("3", True), ("2", False)):
        cli.cases(
            "assistants/kind/tests/inputs.jsonl",
            {"id": "always", "input": "9", "expected": "good"},
            {"id": "sometimes", "input": good, "expected": "good"},
        )
        assert job_passes(cli, name, commands=commands) is passes
    results = {result["id"]: result for result in cli.json("report.json")["results"]}
    assert results["sometimes"]["pass_rate"] == 66.7
    if name == "agents.yml":
        assert (cli.root / "report.md").exists()


@pytest.mark.parametrize(("answer", "passes"), [("good", True), ("bad", False)])
def test_parts_are_put_together(shell: Cli, answer: str, *, passes: bool) -> None:
    cli = shell
    cli.write("assistants/kind/assay.toml", '[agent]\ntransport = "echo"\ntarget = ""\n')
    cases = [{"id": f"T{number}", "input": "good", "expected": "good"} for number in range(12)]
    cli.cases(
        "assistants/kind/tests/inputs.jsonl",
        *cases,
        {"id": "last", "input": answer, "expected": "good"},
    )
    parts = workflow("parts.yml")["jobs"]["part"]["strategy"]["matrix"]["part"]

    for part in parts:
        assert job_passes(cli, "parts.yml", "part", part=part)

    assert job_passes(cli, "parts.yml", "together", commands=2) is passes
    assert cli.json("report.json")["summary"]["total"] == 13
    assert cli.read("summary.md").count("# Agent Test Report") == 1
    (cli.root / f"part-{parts[-1]}.jsonl").unlink()
    assert not job_passes(cli, "parts.yml", "together", commands=2)


def test_a_part_that_could_not_run_fails(shell: Cli) -> None:
    shell.cases("assistants/kind/tests/inputs.jsonl", {"id": "a", "input": "x"})
    assert not job_passes(shell, "parts.yml", "part", part=1)
