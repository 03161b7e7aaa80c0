"""How many files may be open, and how many requests that allows at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

from scripted_server import Asked, Script, ScriptedServer, Until, whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")


def limited(cli: Any, limit: str, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    """Run the command below a limit of open files."""
    command = subprocess.list2cmdline(cli.command("test", "-i", "cases.jsonl", *args))
    return subprocess.run(
        ["bash", "-c", f"ulimit {limit}; {command}"],
        cwd=cli.root,
        env={**cli.env, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_limit_is_raised_to_what_is_needed(cli: Any) -> None:
    cli.cases("cases.jsonl", *({"id": f"c{number}", "input": "x"} for number in range(200)))
    everyone = threading.Event()

    def answer(_: Asked) -> Script:
        if len(server.asked) == 200:
            everyone.set()
        return [Until(everyone), whole("ok")]

    with ScriptedServer(answer) as server:
        args = ("-n", server.url, "--parallel", "200", "-o", "r.jsonl")
        done = limited(cli, "-Sn 100", *args)
    assert done.returncode == 0, done
    assert server.most_open == 200


def test_a_limit_that_cannot_be_raised(cli: Any) -> None:
    cli.cases("cases.jsonl", {"id": "a", "input": "x"})
    done = limited(cli, "-n 100", "-n", "echo:", "--parallel", "200", "-o", "r.jsonl")
    assert done.returncode == 2
    assert done.stderr == (
        "Error: --parallel 200: it needs 264 open files at least, and the system allows 100; "
        "lower it, or raise the limit (ulimit -n)\n"
    )
    assert cli.files() == ["cases.jsonl"]
