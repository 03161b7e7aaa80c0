"""Where results go: files by suffix and by name, the default file, standard output, the screen."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Cli

HOSTILE = "```\n## no heading\n```\n\x1b[31mred\x07 <b>bold</b> | bar"

CASES = (
    {"id": "T001", "input": "hello", "expected": "hello"},
    {"id": "T002", "input": HOSTILE, "expected": "hello", "user": "admin"},
    {"id": "T003", "input": "x", "skip": True},
)


def run(cli: Cli, *flags: str, code: int = 1, **how: Any) -> Any:
    cli.cases("cases.jsonl", *CASES)
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", *flags, **how)
    assert done.code == code, done.err
    return done


def expected(name: str) -> str:
    """Read what a command is expected to have written."""
    return (Path(__file__).parent / "expected" / name).read_text(encoding="utf-8")


def test_json_lines_in_full(cli: Cli, steadily: Any) -> None:
    done = run(cli, "--json", "-q", "-o", "results.jsonl")
    assert cli.lines("results.jsonl") == done.lines
    start, first, second, skipped, summary = done.lines
    # The names of the original design stand first, in its order.
    assert list(start)[:4] == ["type", "timestamp", "agent_id", "total_cases"]
    assert list(first)[:5] == ["type", "id", "status", "duration_ms", "output"]
    assert list(second)[:6] == ["type", "id", "status", "duration_ms", "output", "error"]
    assert list(summary)[:6] == ["type", "total", "passed", "failed", "skipped", "duration_ms"]
    environment = {
        "user_id": "test-user",
        "team_id": "test-team",
        "locale": "en-us",
        "client_type": "test",
        "client_ip": "127.0.0.1",
        "referer": "test",
        "accept": "standard",
    }
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", start["timestamp"])
    assert steadily(start) == {
        "type": "start",
        "agent_id": "echo",
        "total_cases": 3,
        "format": 1,
        "connector": None,
        "runs_per_case": 1,
        "parallel": 1,
        "deselected": 0,
        "environment": environment,
        "suites": [
            {
                "source": "cases.jsonl",
                "file": "cases.jsonl",
                "agent_id": "echo",
                "connector": None,
                "transport": "echo",
                "target": "",
                "total_cases": 3,
                "runs_per_case": 1,
                "min_pass_rate": 100.0,
                "environment": environment,
            }
        ],
        "command": "assay test -i cases.jsonl -n echo: --json -q",
    }
    assert steadily(first) == {
        "type": "result",
        "id": "T001",
        "status": "passed",
        "duration_ms": 0,
        "output": "hello",
        "assertions": [
            {
                "type": "equals",
                "passed": True,
                "message": "equal",
                "expected": "hello",
                "actual": "hello",
            }
        ],
        "index": 0,
        "suite": "cases.jsonl",
        "agent_id": "echo",
        "where": {"file": "cases.jsonl", "line": 1},
        "input": "hello",
        "expected": "hello",
        "runs": 1,
        "passed": 1,
        "failed": 0,
        "pass_rate": 100.0,
        "stable": True,
        "response": {},
    }
    assert second["output"] == HOSTILE
    assert second["error"] == second["assertions"][0]["message"]
    assert second["request"] == {"environment": {"user_id": "admin"}}
    assert steadily(skipped) == {
        "type": "result",
        "id": "T003",
        "status": "skipped",
        "duration_ms": 0,
        "reason": "skip is set in the case",
        "index": 2,
        "suite": "cases.jsonl",
        "agent_id": "echo",
        "where": {"file": "cases.jsonl", "line": 3},
        "input": "x",
        "skip": True,
    }
    counts = {
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
    whose = {"agent_id": "echo", "connector": None}
    assert steadily(summary) == {
        "type": "summary",
        "duration_ms": 0,
        "runs_per_case": 1,
        "deselected": 0,
        **counts,
        **whose,
        "suites": [{"source": "cases.jsonl", **counts, **whose}],
        "exit_code": 1,
    }


def test_each_line_is_there_as_it_happens(cli: Cli) -> None:
    cli.write(
        "agent.py",
        """
        from pathlib import Path

        def reply(request):
            return len(Path("results.jsonl").read_text().splitlines())
        """,
    )
    cli.cases("cases.jsonl", *({"id": str(number), "input": "x"} for number in range(3)))
    done = cli("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-o", "results.jsonl")
    assert done.code == 0
    assert [line["output"] for line in cli.lines("results.jsonl")[1:-1]] == [1, 2, 3]


def test_without_o_a_file_beside_the_input(cli: Cli) -> None:
    cli.cases("deep/tests/cases.jsonl", CASES[0])
    done = cli("test", "-i", "deep/tests/cases.jsonl", "-n", "echo:", cwd="")
    assert (done.code, done.out) == (0, "")
    (written,) = [name for name in cli.files() if "output-" in name]
    assert re.fullmatch(r"deep/tests/output-\d{14}\.jsonl", written)
    assert done.err.splitlines()[-1] == f"Report  {written}"
    assert [line["type"] for line in cli.lines(written)] == ["start", "result", "summary"]


def test_the_default_file_never_replaces_another(cli: Cli) -> None:
    cli.cases("cases.jsonl", CASES[0])
    program = """
    import datetime, runpy, sys

    class Noon(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2024, 12, 17, 10, 0, 0, tzinfo=tz)

    datetime.datetime = Noon
    sys.argv = ["assay", "test", "-i", "cases.jsonl", "-n", "echo:", "-q"]
    runpy.run_module("assay", run_name="__main__", alter_sys=True)
    """
    cli.write("noon.py", program)
    for _ in range(3):
        command = [sys.executable, "noon.py"]
        done = subprocess.run(command, cwd=cli.root, env=cli.env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert [name for name in cli.files() if name.startswith("output-")] == [
        "output-20241217100000-2.jsonl",
        "output-20241217100000-3.jsonl",
        "output-20241217100000.jsonl",
    ]


def test_several_suites_get_a_file_each(cli: Cli, steadily: Any) -> None:
    cli.cases("one/cases.jsonl", CASES[0])
    cli.cases("two/cases.jsonl", CASES[1], CASES[0])
    done = cli("test", "-i", "one/cases.jsonl", "-i", "two/cases.jsonl", "-n", "echo:")
    assert done.code == 1
    one, two = [name for name in cli.files() if "output-" in name]
    assert (one.split("/")[0], two.split("/")[0]) == ("one", "two")
    assert [line.get("id") for line in cli.lines(one)] == [None, "T001", None]
    assert [line.get("id") for line in cli.lines(two)] == [None, "T002", "T001", None]
    assert cli.lines(two)[0]["total_cases"] == 2
    counts = {key: cli.lines(two)[-1][key] for key in ("total", "passed", "failed")}
    assert counts == {"total": 2, "passed": 1, "failed": 1}
    assert [name for name in done.err.splitlines() if name.startswith("Report")] == [
        f"Report  {one}",
        f"Report  {two}",
    ]


def test_several_files_by_suffix(cli: Cli) -> None:
    flags = ("-o", "new/folder/r.json", "-o", "r.jsonl", "-o", "r.md", "-o", "r.txt")
    done = run(cli, *flags)
    assert done.out == ""
    assert cli.files() == ["cases.jsonl", "new/folder/r.json", "r.jsonl", "r.md", "r.txt"]
    assert cli.json("new/folder/r.json")["summary"]["total"] == 3
    assert cli.lines("r.jsonl")[-1]["type"] == "summary"
    assert cli.read("r.md").startswith("# Agent Test Report\n")
    assert cli.read("r.txt").startswith("FAILED: echo\n")
    if sys.platform != "win32":
        mask = os.umask(0)
        os.umask(mask)
        modes = {stat.S_IMODE((cli.root / name).stat().st_mode) for name in cli.files()}
        assert modes == {0o666 & ~mask}


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("report.json", '{\n"summary": {'),
        ("report.jsonl", '{"type": "start"'),
        ("report.markdown", "# Agent Test Report"),
        ("report.summary", "FAILED: echo\n"),
        ("summary", "FAILED: echo\n"),
    ],
)
def test_reporters_by_name(cli: Cli, name: str, starts: str) -> None:
    run(cli, "-q", "-r", name, "-o", "any.thing", "-o", "other.txt")
    assert cli.read("any.thing").startswith(starts)
    assert cli.read("other.txt").startswith("FAILED: echo\n")
    assert cli.files() == ["any.thing", "cases.jsonl", "other.txt"]


def test_a_reporter_without_a_file_writes_to_standard_output(cli: Cli) -> None:
    done = run(cli, "-q", "-r", "report.json")
    assert json.loads(done.out)["summary"]["total"] == 3


@pytest.mark.parametrize(
    ("flags", "code", "problem"),
    [
        (
            ("-o", "r.xyz"),
            2,
            "-o r.xyz: no reporter writes .xyz files; use a suffix of an installed reporter, or "
            "name one with -r: ",
        ),
        (("-r", "report.markdwn"), 2, "-r report.markdwn: there is no such reporter; did you mean"),
        (("-o", "cases.jsonl"), 2, "-o cases.jsonl: it is a file of cases too; name another"),
        (("-o", "folder"), 2, "-o folder: it is a folder; name a file in it"),
        (("-o", "r.md", "-o", "./r.md"), 2, "-o ./r.md: it is written by another -o too; name"),
        (("-o", "cases.jsonl/r.md"), 3, ""),
    ],
)
def test_a_report_that_cannot_be(cli: Cli, flags: tuple[str, ...], code: int, problem: str) -> None:
    (cli.root / "folder").mkdir()
    before = len(CASES)
    done = run(cli, *flags, code=code)
    assert done.out == ""
    assert done.err.startswith(f"Error: {problem}"), done.err
    if "r.xyz" in flags:
        for known in ("json (.json)", "jsonl (.jsonl)", "markdown (.md .markdown)"):
            assert known in done.err
    assert cli.files() == ["cases.jsonl"]
    assert len(cli.lines("cases.jsonl")) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such device")
def test_a_full_disk_costs_no_other_report(cli: Cli) -> None:
    if not os.path.exists("/dev/full"):  # noqa: PTH110
        pytest.skip("there is no /dev/full")
    done = run(cli, "-r", "report.markdown", "-o", "/dev/full", "-o", "r.json", code=3)
    assert "/dev/full" in done.err
    assert "Traceback" not in done.err
    assert cli.json("r.json")["summary"]["total"] == 3


def test_markdown_in_full(cli: Cli) -> None:
    run(cli, "-q", "-o", "r.md")
    page = cli.read("r.md")
    page = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "0000-00-00T00:00:00Z", page)
    page = re.sub(r"\d+ms", "0ms", page)
    page = re.sub(r"assay \d+\.\d+\.\d+\S*", "assay 0.0.0", page)
    # Columns may be as wide as a duration or a version.
    page = re.sub(r" +\|", " |", page)
    page = re.sub(r"-{3,}", "---", page)
    assert page.strip() == expected("report.md").strip()


def test_the_screen_in_full_when_piped(cli: Cli) -> None:
    done = run(cli, "-o", "r.json")
    assert done.out == ""
    assert "\x1b" not in done.err
    shown = re.sub(r"assay \d\S*", "assay 0.0.0", done.seen)
    assert shown == expected("screen.txt")


def test_failures_show_the_part_that_differs(cli: Cli) -> None:
    long = [f"line {number}" for number in range(400)]
    changed = [*long[:200], "another line", *long[201:]]
    cli.cases("answers.jsonl", {"match": "", "output": "\n".join(changed)})
    cli.cases("cases.jsonl", {"id": "a", "input": "x", "expected": "\n".join(long)})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:answers.jsonl", "-o", "r.json")
    assert done.code == 1
    assert "another line" in done.err
    assert "line 200" in done.err
    assert "line 100" not in done.err
    assert len(done.err.splitlines()) < 40


def test_quiet_shows_the_verdict_alone(cli: Cli) -> None:
    done = run(cli, "-q", "-o", "r.json")
    assert re.sub(" +", " ", done.seen) == (
        "FAILED 1 passed, 1 failed, 1 skipped, 1 unasserted in 0ms\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such terminals")
@pytest.mark.parametrize(
    ("env", "colored", "live"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"CI": "true"}, True, False),
        ({"TERM": "dumb"}, False, False),
    ],
)
def test_on_a_terminal(cli: Cli, env: dict[str, str], colored: bool, live: bool) -> None:
    import pty

    cli.write(
        "agent.py",
        """
        import threading
        def reply(request):
            threading.Event().wait(0.3)
            return request.text
        """,
    )
    cli.cases("cases.jsonl", *CASES)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        cli.command("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-o", "r.json"),
        cwd=cli.root,
        env={**cli.env, "TERM": "xterm-256color", **env},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:
        pass  # Linux ends a terminal so, when nobody writes to it any more.
    finally:
        os.close(ours)
    assert process.wait(60) == 1
    text = shown.decode()
    assert (re.search(r"\x1b\[[0-9;]*3[0-9]", text) is not None) is colored
    # A live line goes back to where it began, to be drawn again.
    assert (re.search(r"\x1b\[\d*[AK]|\x1b\[2K", text) is not None) is live
    assert "\x1b[31mred" not in text
    assert "\x07" not in text
    assert "1 passed, 1 failed" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_any_locale(cli: Cli, locale: str) -> None:
    cli.cases("cases.jsonl", {"id": "é 🎉", "input": "你好", "expected": "x"})
    env = {"LANG": locale, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "--json", "-o", "r.md", env=env)
    assert done.code == 1
    assert done.lines[1]["output"] == "你好"
    assert "é 🎉" in done.err
    assert "你好" in cli.read("r.md")


@pytest.mark.skipif(sys.platform == "win32", reason="the pipe is made by bash")
def test_a_reader_that_has_seen_enough(shell: Cli) -> None:
    shell.cases("cases.jsonl", *({"id": str(number), "input": "x" * 5000} for number in range(99)))
    command = "assay test -i cases.jsonl -n echo: -q --json -o r.json | head -n 1"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=shell.root,
        env=shell.env,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.startswith('{"type": "start"')
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert shell.json("r.json")["summary"]["passed"] == 99


def test_a_traceback_is_for_those_who_ask_for_it(cli: Cli) -> None:
    for place in (("--debug", "test"), ("test", "--debug")):
        done = cli(*place, "-i", "gone.jsonl", "-n", "echo:")
        assert done.code == 2
        assert "Traceback" in done.err
        assert done.err.splitlines()[-1] == "Error: gone.jsonl: no such file; check the path"
    assert cli("test", "-i", "gone.jsonl", "-n", "echo:").err == (
        "Error: gone.jsonl: no such file; check the path\n"
    )
