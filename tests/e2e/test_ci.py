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


def job_passes(cli: Cli, name: str) -> bool:
    """Run the steps of a workflow's job as GitHub does; what is not ours is left out."""
    passes = True
    ran = 0
    for step in workflow(name)["jobs"]["test"]["steps"]:
        if "pip install" in step.get("run", "pip install"):
            continue
        if not passes and step.get("if") != "always()":
            continue
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=cli.root,
            env={**cli.env, "CI": "true", "GITHUB_STEP_SUMMARY": str(cli.root / "summary.md")},
            capture_output=True,
            check=False,
            timeout=60,
        )
        ran += 1
        if done.returncode and not step.get("continue-on-error"):
            passes = False
    assert ran == 2
    return passes


@pytest.mark.parametrize("name", ["agents.yml", "two-steps.yml"])
def test_a_workflow_tells_stable_agents_from_others(shell: Cli, name: str) -> None:
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
        assert job_passes(cli, name) is passes
    results = {result["id"]: result for result in cli.json("report.json")["results"]}
    assert results["sometimes"]["pass_rate"] == 66.7
    if name == "agents.yml":
        assert cli.read("summary.md").count("# Agent Test Report") == 2
