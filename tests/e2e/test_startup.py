"""What a command imports: starting is part of the product."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripted_server import ScriptedServer, whole

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

HEAVY = {
    *("aiohttp", "asyncio", "cattrs", "httpx", "jinja2", "jsonpath_rfc9535", "markdown_it"),
    *("re2", "regex", "rich", "yaml", "importlib.metadata"),
}

PROGRAM = """
import atexit, runpy, sys

def tell():
    with open("modules", "w") as file:
        file.write("\\n".join(sys.modules))

atexit.register(tell)
sys.argv = ["assay", *sys.argv[1:]]
runpy.run_module("assay", run_name="__main__", alter_sys=True)
"""


def imported(cli: Cli, *args: str) -> set[str]:
    """Run a command and give the modules that it has imported."""
    cli.write("program.py", PROGRAM)
    done = subprocess.run(
        [cli.python, "program.py", *args],
        cwd=cli.root,
        env=cli.env,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return set(cli.read("modules").split("\n"))


@pytest.mark.parametrize(
    "args", [("--help",), ("test", "--help"), ("plugins",), ("plugins", "--json"), ("--version",)]
)
def test_nothing_heavy_is_imported(cli: Cli, args: tuple[str, ...]) -> None:
    modules = imported(cli, *args)
    assert "assay.cli" in modules
    assert not modules & HEAVY
    assert "assay.model.case" not in modules


def test_a_list_of_plugins_imports_none(cli: Cli) -> None:
    cli.install("x-one", reporter__mine="raise SystemExit('imported')\n")
    modules = imported(cli, "plugins")
    assert not [name for name in modules if name.startswith("assay_plugins.")]
    assert "x_one_reporter__mine" not in modules


def test_a_run_imports_what_it_needs_alone(cli: Cli) -> None:
    cli.cases(
        "cases.jsonl", {"id": "a", "input": "x", "assert": {"type": "contains", "value": "x"}}
    )
    modules = imported(cli, "test", "-i", "cases.jsonl", "-n", "echo:", "-o", "r.json")
    own = {name for name in modules if name.startswith("assay_plugins.")}
    assert {"assay_plugins.transports.echo", "assay_plugins.assertions.contains"} <= own
    assert "assay_plugins.transports.python" not in own
    assert "assay_plugins.assertions.regex" not in own
    assert not modules & {"aiohttp", "httpx", "jinja2", "markdown_it", "re2", "regex", "yaml"}


NOT_FOR_ONE_CASE = {
    *(HEAVY - {"asyncio"}),
    *("httptools", "httpcore", "anyio", "pygments", "tomllib", "html.entities"),
    *("assay.remote", "assay.merging", "assay.scripts.worker", "assay.reports.agent"),
    *("assay.testing", "assay.codec.schema"),
    *("assay_plugins.reporters._brief", "assay_plugins.reporters._diff"),
    *("assay_plugins.reporters._xml", "assay_plugins.reporters._sections"),
    *("assay_plugins.reporters.csv.rows", "assay_plugins.reporters.github.publication"),
    *("assay_plugins.reporters.junit.document", "assay_plugins.reporters.markdown.page"),
    *("assay_plugins.reporters.html.index", "assay_plugins.reporters.html.rendered"),
    *("assay_plugins.reporters.terminal.failures", "assay_plugins.reporters.terminal.live"),
}
"""What a run of a case that passes has no use for."""


@pytest.mark.parametrize("name", ["a message", "a file"])
def test_a_run_of_one_case_imports_nothing_heavy(cli: Cli, name: str) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    given = "hello" if name == "a message" else "cases.jsonl"
    modules = imported(cli, "test", "-i", given, "-n", "echo:")
    assert "assay_plugins.transports.echo" in modules
    assert sorted(modules & NOT_FOR_ONE_CASE) == []


@pytest.mark.parametrize("transport", ["http", "openai"])
def test_a_run_over_http_imports_no_other_client(cli: Cli, transport: str) -> None:
    said = {"choices": [{"message": {"role": "assistant", "content": "hi"}}]}
    with ScriptedServer(lambda asked: [whole(said)]) as server:
        words = {
            "http": ["-n", f"{server.url}/ask"],
            "openai": ["-n", "openai:m", "--set", f"transport.openai.base_url={server.url}/v1"],
        }
        modules = imported(cli, "test", "-i", "hello", *words[transport])
        assert len(server.asked) == 1
    assert {"httptools", "httpx"} <= modules
    # httpx imports a command line of its own where it can: hence rich and pygments.
    needed = {"cattrs", "html.entities", "httptools", "httpx", "pygments", "rich", "tomllib"}
    assert sorted(modules & (NOT_FOR_ONE_CASE - needed)) == []


def test_a_message_imports_nothing_that_shows_a_run(cli: Cli) -> None:
    modules = imported(cli, "test", "-i", "hello", "-n", "echo:")
    assert "assay_plugins.reporters.terminal" in modules
    assert "assay_plugins.reporters.terminal.show" not in modules


def test_importing_assay_is_cheap_and_silent(cli: Cli) -> None:
    program = "import assay, sys; print(len(dir(assay)) > 50, *sorted(sys.modules))"
    done = subprocess.run(
        [cli.python, "-c", program],
        cwd=cli.root,
        env=cli.env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    many, *modules = done.stdout.split()
    assert many == "True"
    assert done.stderr == ""
    assert not set(modules) & HEAVY
    assert not {"attr", "click", "pluggy"} & set(modules)


def test_the_script_and_the_module_are_the_same(cli: Cli) -> None:
    script = Path(sys.executable).with_name("assay")
    assert script.is_file()
    done = subprocess.run(
        [str(script), "--version"],
        cwd=cli.root,
        env=cli.env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout == cli("--version").out
    assert done.stdout.startswith("assay ")
