"""Scripts in TypeScript and JavaScript, as users of Yao write them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.e2e.conftest import Cli, Result

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "assistants" / "keyword"

SCRIPT = """
import { Process } from "@yao/runtime";
import { words } from "./words";

interface Verdict { pass: boolean; message: string; score?: number }

function ValidateOutput(output: string, input: string, expected: unknown): Verdict {
  console.log("looks at", { output });
  const found = words(output).length;
  return { pass: found === expected, message: `${found} words`, score: found / 10 };
}

async function Later(output: string): Promise<boolean> {
  await new Promise((done) => setTimeout(done, 1));
  return output === "hello there";
}

function AsksServer(): boolean {
  return Process("models.user.Find", 1) !== null;
}

function Hangs(): boolean {
  for (;;);
}

export default (output: string): boolean => output.length > 3;
"""


@pytest.fixture
def app(cli: Cli) -> Cli:
    """An application of Yao's shape: its scripts lie below its root, its cases below an agent."""
    cli.write("app.yao", "{}")
    cli.write("assistants/greeter/package.yao", '{"name": "Greeter"}')
    cli.write("scripts/test.ts", SCRIPT)
    cli.write("scripts/words.ts", "export const words = (text: string) => text.split(' ');")
    cli.write("scripts/plain.js", "function Check(output) { return output === 'hello there' }")
    return cli


CASES = "assistants/greeter/tests/cases.jsonl"


def check(app: Cli, *args: str, env: Mapping[str, str] | None = None, **scripts: Any) -> Result:
    """Check the answer ``hello there`` by one script for each case."""
    cases = [
        {"id": id_, "input": "hello there", "assert": {"type": "script", **fields}}
        for id_, fields in scripts.items()
    ]
    app.cases(CASES, *cases)
    return app("test", "-i", CASES, "-n", "echo:", "--json", *args, env=env)


def results(done: Result) -> dict[str, Any]:
    return {line["id"]: line for line in done.lines if line["type"] == "result"}


def test_functions_of_a_yao_application(app: Cli) -> None:
    done = check(
        app,
        "-v",
        good={"script": "scripts.test.ValidateOutput", "value": 2},
        bad={"script": "scripts.test.ValidateOutput", "value": 3},
        later={"script": "scripts.test.Later"},
        default={"script": "scripts.test.default"},
        script={"script": "scripts.plain.Check"},
        path={"script": "scripts/plain.js:Check"},
        negated={"script": "scripts.plain.Check", "negate": True},
        server={"script": "scripts.test.AsksServer"},
        negated_server={"script": "scripts.test.AsksServer", "negate": True},
    )
    assert done.code == 1
    found = results(done)
    assert {name: line["status"] for name, line in found.items()} == {
        "good": "passed",
        "bad": "failed",
        "later": "passed",
        "default": "passed",
        "script": "passed",
        "path": "passed",
        "negated": "failed",
        "server": "error",
        "negated_server": "error",
    }
    assert found["good"]["assertions"][0]["message"] == "2 words"
    assert found["good"]["assertions"][0]["score"] == 0.2
    assert "Process is a global of the Yao server, which is not there in assay's worker" in str(
        found["server"]["assertions"]
    )
    # What scripts print is shown on stderr; --json has stdout for itself.
    assert 'looks at { output: "hello there" }' in done.err


def test_a_function_that_never_ends_times_out_and_the_next_is_called(app: Cli) -> None:
    done = check(
        app,
        *("-q", "--timeout", "3s"),
        hangs={"script": "scripts.test.Hangs"},
        later={"script": "scripts.test.Later"},
    )
    found = results(done)
    assert {name: line["status"] for name, line in found.items()} == {
        "hangs": "timeout",
        "later": "passed",
    }


def test_faults_are_found_when_cases_load(app: Cli) -> None:
    app.write("scripts/broken.ts", "function Check(output) {\n  return output ===;\n}\n")
    done = check(
        app,
        near={"script": "scripts.test.ValidateOutptu"},
        broken={"script": "scripts.broken.Check"},
        nowhere={"script": "scripts.nowhere.Check"},
    )
    assert done.code == 2
    assert done.out == ""
    _, near, broken, nowhere = done.err.splitlines()
    assert near.endswith(
        "script 'scripts.test.ValidateOutptu': scripts/test.ts has no function "
        "'ValidateOutptu'; did you mean 'ValidateOutput'?"
    )
    assert "scripts/broken.ts:2 is not TypeScript: Expression expected" in broken
    assert "tried: scripts/nowhere.py, scripts/nowhere.ts, scripts/nowhere.js, " in nowhere


def test_without_deno_no_agent_is_asked_and_the_extra_is_named(app: Cli) -> None:
    # As if the package were not installed, and no program of this name on the path.
    app.write("hidden/deno.py", "raise ImportError('hidden')")
    (app.root / "bin").mkdir()
    env = {"PYTHONPATH": str(app.root / "hidden"), "PATH": str(app.root / "bin")}
    done = check(app, env=env, script={"script": "scripts.test.Later"})
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[1:] == [
        f"{CASES}:1 assert: script 'scripts.test.Later': "
        "TypeScript and JavaScript scripts are run by Deno, which is not installed; "
        "install it with: pip install 'assay[typescript]'"
    ]


def test_without_the_engine_it_is_said_that_none_runs_such_files(app: Cli) -> None:
    app.cases(
        CASES, {"id": "a", "input": "x", "assert": {"type": "script", "script": "scripts.test.A"}}
    )
    done = app("-p", "no:script.typescript", "test", "-i", CASES, "-n", "echo:")
    assert done.code == 2
    assert "no installed script engine runs scripts/test.ts" in done.err


def test_the_example_of_the_documentation(cli: Cli) -> None:
    shutil.copytree(EXAMPLE, cli.root / "keyword", ignore=shutil.ignore_patterns("output-*"))
    cases = os.path.join("keyword", "tests", "typescript.jsonl")  # noqa: PTH118 - a text
    done = cli("test", "-i", cases, "--json", "-q")
    assert done.code == 0, done
    assert [line["status"] for line in results(done).values()] == ["passed", "passed"]
