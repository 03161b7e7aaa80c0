"""Runs that are recorded and replayed with the installed command, against real servers."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pytest

from scripted_server import Asked, Script, ScriptedServer, whole
from yao_server import ALICE, Act, Agent, Call, Heard, Hold, Say, Use, YaoServer

KEY = "sk-0123456789-secret"
VOLATILE = ("duration_ms", "chat_id", "ids")
AGENT = """
import os, sys, time
from pathlib import Path
from assay import AgentError, RateLimited, TransportError

asked = Path("asked.txt")

def reply(request):
    text = request.text
    with asked.open("a") as file:
        file.write(text + "\\n")
    tries = asked.read_text().split("\\n").count(text)
    if text == "down" and tries == 1:
        raise TransportError("the line is down", retryable=True)
    if text == "busy" and tries == 1:
        raise RateLimited("too many", retry_after=0.3)
    if text == "broken":
        raise AgentError("I fail", partial="I was saying")
    if text == "gone":
        raise TransportError("nobody there")
    if text == "bug":
        raise KeyError("oops")
    if text == "slow":
        time.sleep(30)
    if text == "null":
        return None
    return {"said": text, "time": time.monotonic_ns()}
"""
CASES: tuple[dict[str, Any], ...] = (
    {"id": "json", "input": "hi", "assert": {"type": "json_path", "path": "said", "value": "hi"}},
    {"id": "down", "input": "down"},
    {"id": "busy", "input": "busy"},
    {"id": "broken", "input": "broken"},
    {"id": "gone", "input": "gone"},
    {"id": "bug", "input": "bug"},
    {"id": "slow", "input": "slow", "timeout": "200ms"},
    {"id": "null", "input": "null", "expected": None},
    {"id": "wrong", "input": "bye", "assert": {"type": "contains", "value": "hello"}},
)
RUN = ("test", "-i", "cases.jsonl", "-n", "python:agent.py:reply", "-q")


@pytest.fixture
def agent(cli: Any) -> Callable[[], list[str]]:
    """Cases and an agent; gives what it was asked."""
    cli.write("agent.py", AGENT)
    cli.cases("cases.jsonl", *CASES)

    def asked() -> list[str]:
        return cli.read("asked.txt").split() if "asked.txt" in cli.files() else []

    return asked


def results(cli: Any, name: str) -> dict[str, dict[str, Any]]:
    """The result lines by case, without what differs from run to run."""
    lines = [line for line in cli.lines(name) if line["type"] == "result"]
    return {line["id"]: {key: line[key] for key in line if key != "chat_id"} for line in lines}


def alike(line: dict[str, Any]) -> dict[str, Any]:
    """A result without what a replay adds or does not repeat."""
    left = {key: line[key] for key in line if key not in ("replayed", "duration_ms")}
    if "response" in left:
        response = {key: left["response"][key] for key in left["response"]}
        response.pop("replayed_ms", None)
        left["response"] = response
    if "tries" in left:
        left["tries"] = [each["error"] for each in left["tries"]]
    return left


def sends(cli: Any, name: str) -> list[dict[str, Any]]:
    return [line for line in cli.lines(name) if line["type"] == "send"]


def steady(lines: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines of a record without what stands at their end."""
    return [{key: line[key] for key in line if key not in VOLATILE} for line in lines]


def test_a_replay_gives_the_same_results_and_asks_nobody(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    first = cli(*RUN, "--record", "run.rec", "-o", "first.jsonl")
    asked = agent()
    assert first.code == 1
    assert len(asked) == len(CASES) + 2
    second = cli(*RUN, "--replay", "run.rec", "-o", "second.jsonl")
    third = cli(*RUN, "--replay", "run.rec", "-o", "third.jsonl", "--parallel", "4")
    assert (second.code, third.code) == (1, 1)
    assert agent() == asked
    one, two = results(cli, "first.jsonl"), results(cli, "second.jsonl")
    assert {name: alike(line) for name, line in two.items()} == {
        name: alike(line) for name, line in one.items()
    }
    assert two == results(cli, "third.jsonl")
    assert {line["status"] for line in two.values()} == {"passed", "failed", "error", "timeout"}
    assert two["slow"]["error"] == "timeout after 200ms"
    assert two["slow"]["duration_ms"] >= 180
    assert two["gone"]["unreached"]
    assert two["broken"]["output"] == "I was saying"
    assert two["busy"]["tries"][0]["waited_ms"] == 0
    assert all(line["replayed"] for line in two.values())
    assert not any("replayed" in line for line in one.values())
    took = {line["case"]: line["duration_ms"] for line in sends(cli, "run.rec")}
    assert two["json"]["duration_ms"] == took["json"]
    assert two["json"]["response"]["replayed_ms"] == took["json"]


def test_two_recordings_of_a_run_differ_at_the_ends_of_lines_alone(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.write("agent.py", AGENT.replace("time.monotonic_ns()", "0"))
    cli(*RUN, "--record", "one.rec", "--runs", "2")
    (cli.root / "asked.txt").unlink()
    cli(*RUN, "--record", "two.rec", "--runs", "2", "--parallel", "1")
    one, two = cli.lines("one.rec"), cli.lines("two.rec")
    assert len(one) > 2 * len(CASES)
    assert steady(one) == steady(two)
    for line in cli.read("one.rec").splitlines()[2:]:
        keys = list(json.loads(line))
        assert [key for key in keys if key in VOLATILE] == keys[9:]


def test_lines_are_in_case_order_although_answers_come_in_any(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli(*RUN, "--record", "run.rec", "--parallel", "4", "--runs", "2")
    order = [(line["case"], line["attempt"]) for line in sends(cli, "run.rec")]
    wanted = [(case["id"], attempt) for case in CASES for attempt in (1, 2)]
    assert list(dict.fromkeys(order)) == wanted


def test_a_record_of_a_replay_is_the_record(cli: Any, agent: Callable[[], list[str]]) -> None:
    cli(*RUN, "--record", "run.rec")
    asked = agent()
    cli(*RUN, "--replay", "run.rec", "--record", "copy.rec")
    cli(*RUN, "--replay", "run.rec", "--record", "run.rec")
    assert agent() == asked
    assert steady(cli.lines("copy.rec")) == steady(cli.lines("run.rec"))
    took = [line["duration_ms"] for line in sends(cli, "run.rec")]
    assert took == [line["duration_ms"] for line in sends(cli, "copy.rec")]


def test_what_is_missing_is_an_error_that_names_the_nearest(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli(*RUN, "--record", "run.rec")
    asked = agent()
    changed = {**CASES[0], "input": "ho"}
    renamed = {**CASES[8], "id": "renamed"}
    cli.cases("cases.jsonl", changed, renamed, {"id": "new", "input": "never asked"})
    done = cli(*RUN, "--replay", "run.rec", "-o", "r.jsonl")
    assert done.code == 1
    found = results(cli, "r.jsonl")
    assert found["json"]["status"] == "error"
    assert found["json"]["error"] == (
        "run.rec does not hold case 'json', attempt 1: the request has changed since it was"
        ' recorded (messages[0].content: expected "hi", got "ho"); record it again, or ask the'
        " agent with --replay-missing=ask"
    )
    assert "replayed" not in found["json"]
    assert found["renamed"]["status"] == "failed"
    assert found["renamed"]["response"]["notes"] == [
        "replayed from case 'wrong', attempt 1, which asked the same"
    ]
    assert "none is of a case like that" in found["new"]["error"]
    assert agent() == asked


def test_what_is_missing_is_asked_and_recorded(cli: Any, agent: Callable[[], list[str]]) -> None:
    cli.cases("cases.jsonl", CASES[0])
    cli(*RUN, "--record", "run.rec")
    cli.cases("cases.jsonl", {"id": "new", "input": "later"}, *CASES[:2])
    done = cli(
        *RUN,
        "--replay",
        "run.rec",
        "--replay-missing",
        "ask",
        "--record",
        "run.rec",
        "-o",
        "r.jsonl",
    )
    assert done.code == 0
    assert agent() == ["hi", "later", "down", "down"]
    found = results(cli, "r.jsonl")
    assert {name: "replayed" in line for name, line in found.items()} == {
        "new": False,
        "json": True,
        "down": False,
    }
    assert [line["case"] for line in sends(cli, "run.rec")] == ["new", "json", "down", "down"]
    assert cli(*RUN, "--replay", "run.rec").code == 0
    assert len(agent()) == 4


def test_an_agent_that_is_not_needed_is_not_even_loaded(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.cases("cases.jsonl", CASES[0])
    cli(*RUN, "--record", "run.rec")
    cli.write("agent.py", 'raise SystemExit("nobody may import me")')
    assert cli(*RUN, "--replay", "run.rec").code == 0
    assert cli(*RUN, "--replay", "run.rec", "--replay-missing", "ask").code == 0
    cli.cases("cases.jsonl", {"id": "new", "input": "later"})
    done = cli(*RUN, "--replay", "run.rec", "--replay-missing", "ask", "-o", "r.jsonl")
    assert done.code in (1, 3)
    assert "the agent cannot be opened: " in results(cli, "r.jsonl")["new"]["error"]


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (("--replay", "none.rec"), "--replay none.rec: it cannot be read: No such file"),
        (("--replay", "rum.rec"), "No such file or directory; did you mean run.rec?"),
        (("--replay", "cases.jsonl"), "--replay cases.jsonl: it is a file of cases too"),
        (("--replay", "agent.py"), "it is not a record"),
        (("--replay", "run.rec", "-n", "echo:"), "it holds nothing of the agent 'echo'; known: "),
        (("--replay-missing", "ask"), "--replay-missing: it is for --replay"),
        (("--replay", "run.rec", "--replay-missing", "as"), "--replay-missing as: did you mean"),
        (("--record", "."), "--record .: it is not a file"),
        (("--record", "cases.jsonl"), "--record cases.jsonl: it is a file of cases too"),
        (("--record", "agent.py"), "--record agent.py: it holds something else than a record"),
        (("--record", "x.jsonl", "-o", "./x.jsonl"), "--record x.jsonl: it is written by -o too"),
        (
            ("--replay", "run.rec", "-r", "json", "-o", "run.rec"),
            "run.rec: it is written by -o too",
        ),
        (("--record", "x", "-p", "no:wrap.record"), "--record: no wrap 'record'"),
        (("--replay", "x", "-p", "no:wrap.replay"), "--replay: no wrap 'replay'"),
        (("--record", ""), "--record: it is empty"),
    ],
)
def test_what_is_wrong_is_told_before_anybody_is_asked(
    cli: Any, agent: Callable[[], list[str]], flags: Sequence[str], told: str
) -> None:
    cli.cases("cases.jsonl", CASES[0])
    cli(*RUN, "--record", "run.rec")
    done = cli(*RUN, *flags)
    assert done.code == 2, done.err
    assert told in done.err
    assert agent() == ["hi"]


def test_other_executors_are_refused(cli: Any, agent: Callable[[], list[str]]) -> None:
    cli.install("assay-other", executor__other=OTHER_EXECUTOR)
    for flag in ("--record", "--replay"):
        done = cli(*RUN, flag, "x.rec", "--executor", "other")
        assert done.code == 2
        assert f"{flag}: it works with --executor local alone" in done.err
    assert agent() == []


OTHER_EXECUTOR = """
from assay import hookimpl

class Other:
    name = "other"
    def __init__(self, context, settings=None):
        self.worker = context.worker
    async def run(self, tasks):
        async for task in tasks:
            yield await self.worker.run(task)

@hookimpl
def assay_executors():
    return [Other]
"""


def test_a_run_that_is_killed_leaves_a_record_that_can_be_replayed(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.cases("cases.jsonl", CASES[0], CASES[3], {"id": "slow", "input": "slow"}, CASES[8])
    running = cli.start(*RUN[:-1], "--record", "run.rec", "--json", "-o", "k.jsonl")
    running.wait_for('"id": "broken"')
    running.signal(signal.SIGKILL)
    running.end()
    assert "run.rec" not in cli.files()
    assert [line["case"] for line in sends(cli, "run.rec.part")] == ["json", "broken"]
    done = cli(*RUN, "--replay", "run.rec.part", "-o", "r.jsonl")
    assert done.code == 1
    assert [line["status"] for line in results(cli, "r.jsonl").values()] == [
        "passed",
        "error",
        "error",
        "error",
    ]


def test_ctrl_c_records_no_timeout_and_replaces_no_record(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.cases("cases.jsonl", CASES[0])
    cli(*RUN, "--record", "run.rec")
    before = cli.read("run.rec")
    cli.cases("cases.jsonl", CASES[0], CASES[3], {"id": "slow", "input": "slow"})
    running = cli.start(*RUN[:-1], "--record", "run.rec", "--json")
    running.wait_for('"id": "broken"')
    running.signal(signal.SIGINT)
    done = running.end()
    assert done.code == 130
    assert "run.rec stays as it was, and run.rec.part holds what was recorded" in done.err
    assert cli.read("run.rec") == before
    assert [line["case"] for line in sends(cli, "run.rec.part")] == ["json", "broken"]


def test_a_record_that_cannot_be_written_is_exit_3(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.cases("cases.jsonl", CASES[0])
    cli.write("file", "no folder")
    done = cli(*RUN, "--record", "file/run.rec")
    assert done.code == 3
    assert "--record file/run.rec: it cannot be written: " in done.err
    assert agent() == []


def test_every_report_says_that_answers_are_replayed(
    cli: Any, agent: Callable[[], list[str]]
) -> None:
    cli.cases("cases.jsonl", CASES[0], CASES[8])
    cli(*RUN, "--record", "run.rec", "--runs", "2")
    names = ("r.jsonl", "r.json", "r.md", "r.html", "r.xml", "r.csv", "r.txt")
    outputs = [part for name in names for part in ("-o", name)]
    env = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(cli.root / "step.md")}
    cli.write("step.md", "")
    done = cli(*RUN[:-1], "--replay", "run.rec", "--runs", "2", *outputs, "-r", "github", env=env)
    assert done.code == 1
    assert "\nanswers are replayed from run.rec\n" in done.err
    assert "Answers     replayed from run.rec\n" in done.err
    assert re.search(r"FAILED   1 passed, 1 failed in \d+ms, replayed\n", done.err)
    assert re.search(r"wrong failed \(0 of 2 runs passed, \d+ms, replayed on average\)", done.err)
    assert re.search(r"::error .*title=wrong failed .*replayed", done.err)
    report = cli.json("r.json")
    assert report["metadata"]["replayed"] == ["run.rec"]
    assert all(result["replayed"] for result in report["results"])
    assert all(run["replayed"] for result in report["results"] for run in result["run_details"])
    for name in ("r.md", "step.md"):
        assert "replayed from run.rec" in cli.read(name), name
    assert re.search(
        r"wrong - Failed \(0 of 2 runs passed, \d+ms, replayed on average\)", cli.read("r.md")
    )
    assert '<property name="replayed" value="run.rec"/>' in cli.read("r.xml")
    assert cli.read("r.xml").count('<property name="replayed" value="true"/>') == 2
    assert all(row.endswith(",replayed") for row in cli.read("r.csv").split("\n")[0:3])
    assert "Answers replayed from run.rec" in cli.read("r.txt")
    assert '"replayed": "run.rec"' in cli.read("r.html")
    again = cli("report", "r.jsonl", "-o", "again.md")
    assert again.code in (0, 1)
    assert cli.read("again.md") == cli.read("r.md")


def test_a_message_is_recorded_and_replayed(cli: Any, agent: Callable[[], list[str]]) -> None:
    message = ("test", "-i", "Good morning", "-n", "python:agent.py:reply")
    first = cli(*message, "--record", "run.rec")
    second = cli(*message, "--replay", "run.rec")
    assert second.out == first.out
    assert "note: answers are replayed from run.rec" in second.err
    assert len(agent()) == 2


def completion(text: str) -> dict[str, Any]:
    return {
        "model": "m-2026",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


def test_chat_completions(cli: Any) -> None:
    asked: list[str] = []

    def answer(request: Asked) -> Script:
        text = request.json["messages"][-1]["content"]
        asked.append(text)
        if text == "busy" and asked.count(text) == 1:
            return [whole({"error": "slower"}, 429, "Retry-After: 1")]
        # An agent may say what it should not.
        return [whole(completion(f"{text}: {request.headers['authorization']}"))]

    cli.cases(
        "cases.jsonl",
        {"id": "a", "input": "hello"},
        {"id": "b", "input": f"is {KEY} my key?"},
        {"id": "c", "input": "busy"},
    )
    run = (
        "test",
        "-i",
        "cases.jsonl",
        "-n",
        "openai:m",
        "-q",
        "--set",
        "transport.openai.stream=false",
    )
    with ScriptedServer(answer) as server:
        env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}
        first = cli(*run, "--record", "run.rec", "-o", "first.jsonl", env=env)
        assert first.code == 0, first.err
    count = len(asked)
    # The server is gone now.
    second = cli(*run, "--replay", "run.rec", "-o", "second.jsonl", env=env)
    assert second.code == 0, second.err
    assert len(asked) == count == 4
    one, two = results(cli, "first.jsonl"), results(cli, "second.jsonl")
    assert {name: alike(line) for name, line in two.items()} == {
        name: alike(line) for name, line in one.items()
    }
    assert two["a"]["response"]["model"] == "m-2026"
    assert two["a"]["output"] == "hello: Bearer ***"
    for name in cli.files():
        if name.endswith((".rec", ".jsonl")) and name != "cases.jsonl":
            assert KEY not in cli.read(name), name
    # Without the key, what is replayed is the same where no secret was asked for.
    del env["OPENAI_API_KEY"]
    third = cli(*run, "--replay", "run.rec", "--run", "[ac]", "-o", "third.jsonl", env=env)
    assert third.code == 0, third.err


def weather(heard: Heard) -> Iterable[Act]:
    if heard.text == "slow":
        return [Say(text="let me"), Hold()]
    return [
        Say(text="Let me look. "),
        Call(name="weather__now", arguments={"city": "Oslo"}, result={"celsius": 4}),
        Say(text="It is **4 °C** in Oslo."),
        Use(prompt_tokens=20, completion_tokens=9),
    ]


@pytest.fixture
def yao(cli: Any) -> Iterator[YaoServer]:
    with YaoServer(Agent(id="tests.weather", name="Weather", script=weather)) as server:
        cli.env |= {"ASSAY_YAO_SERVER": server.url, "ASSAY_YAO_TOKEN": ALICE.token}
        yield server


def test_agents_of_yao(cli: Any, yao: YaoServer) -> None:
    cli.cases(
        "cases.jsonl",
        {"id": "oslo", "input": "weather?", "assert": {"type": "contains", "value": "4 °C"}},
        {"id": "slow", "input": "slow", "timeout": "500ms"},
    )
    run = ("test", "-i", "cases.jsonl", "-n", "tests.weather", "-q")
    first = cli(*run, "--record", "run.rec", "-o", "first.jsonl")
    assert first.code == 1, first.err
    yao.__exit__(None, None, None)
    second = cli(*run, "--replay", "run.rec", "-o", "second.jsonl")
    assert second.code == 1, second.err
    one, two = results(cli, "first.jsonl"), results(cli, "second.jsonl")
    assert {name: alike(line) for name, line in two.items()} == {
        name: alike(line) for name, line in one.items()
    }
    (call,) = two["oslo"]["response"]["tool_calls"]
    assert call["result"] == {"celsius": 4}
    assert two["slow"]["status"] == "timeout"
    heads = [cli.lines(name)[0]["suites"][0] for name in ("first.jsonl", "second.jsonl")]
    assert heads[0]["environment"] == heads[1]["environment"]
    assert heads[0]["environment"]["identity"] == "server"
    assert heads[1]["info"] == {**heads[0]["info"], "replayed": "run.rec"}
    assert ALICE.token not in cli.read("run.rec")


JUDGE = """
from typing import ClassVar
from attrs import frozen
from assay import Agent, Message, Verdict, hookimpl

@frozen(kw_only=True)
class Judged:
    name: ClassVar[str] = "judged"
    agent: str

    def needs(self):
        return [Agent(self.agent)]

    async def check(self, outcome):
        answers = []
        for question in ("fine?", "fine?"):
            answer = await outcome.services.ask(self.agent, [Message(content=question)])
            answers.append(answer.text)
        return Verdict(passed=answers[0] != answers[1], message=" ".join(answers))

@hookimpl
def assay_assertion_types():
    return [Judged]
"""
JUDGING = """
from pathlib import Path

def judge(request):
    file = Path("judged.txt")
    text = file.read_text() if file.exists() else ""
    file.write_text(text + "x")
    return f"verdict {len(text)}"

def report(request):
    file = Path("judged.txt")
    file.write_text(file.read_text() + "r")
    return "# All is well"
"""


def test_judges_and_reporter_agents(cli: Any) -> None:
    cli.install("assay-judged", assertion__judged=JUDGE)
    cli.write("judge.py", JUDGING)
    check = {"type": "judged", "agent": "python:judge.py:judge"}
    cli.cases(
        "cases.jsonl",
        {"id": "a", "input": "x", "assert": check},
        {"id": "b", "input": "y", "assert": check},
    )
    run = ("test", "-i", "cases.jsonl", "-n", "echo:", "-q", "-r", "python:judge.py:report")
    first = cli(*run, "--record", "run.rec", "-o", "first.md")
    assert first.code == 0, first.err
    assert cli.read("judged.txt") == "xxxxr"
    purposes = [line["purpose"] for line in sends(cli, "run.rec")]
    assert purposes == ["test", "judge", "judge", "test", "judge", "judge", "reporter"]
    second = cli(*run, "--replay", "run.rec", "-o", "second.md")
    assert second.code == 0, second.err
    assert cli.read("judged.txt") == "xxxxr"
    assert cli.read("second.md") == cli.read("first.md") == "# All is well\n"
    assert "the report of python:judge.py:report is replayed, too" in second.err


def test_echo_and_files(cli: Any) -> None:
    cli.write("a.txt", "one")
    part = {"type": "file", "file": {"url": "file://a.txt"}}
    content = [{"type": "text", "text": "read this"}, part]
    cli.cases("cases.jsonl", {"id": "a", "input": {"role": "user", "content": content}})
    run = ("test", "-i", "cases.jsonl", "-n", "echo:", "-q")
    assert cli(*run, "--record", "run.rec").code == 0
    (file,) = sends(cli, "run.rec")[0]["request"]["files"]
    assert (file["url"], file["bytes"]) == ("file://a.txt", 3)
    assert cli(*run, "--replay", "run.rec").code == 0
    cli.write("a.txt", "two")
    done = cli(*run, "--replay", "run.rec", "-o", "r.jsonl")
    assert done.code == 1
    assert "files[0].sha256: expected" in results(cli, "r.jsonl")["a"]["error"]


def test_a_rate_does_not_hold_a_replay_up(cli: Any, agent: Callable[[], list[str]]) -> None:
    cli.cases("cases.jsonl", *({"id": f"c{number}", "input": "hi"} for number in range(5)))
    cli(*RUN, "--record", "run.rec")
    # At one request an hour, five would take longer than a command may.
    assert cli(*RUN, "--replay", "run.rec", "--rate", "1/h").code == 0


def test_more_time_than_was_recorded_is_told(cli: Any, agent: Callable[[], list[str]]) -> None:
    cli.cases("cases.jsonl", CASES[6])
    cli(*RUN, "--record", "run.rec")
    cli.cases("cases.jsonl", {**CASES[6], "timeout": "1m"})
    cli(*RUN, "--replay", "run.rec", "-o", "r.jsonl")
    line = results(cli, "r.jsonl")["slow"]
    assert line["status"] == "timeout"
    assert re.fullmatch(
        r"timeout after \d+ms when it was recorded; record it again to give it 1m", line["error"]
    )


def test_runs_that_neither_record_nor_replay_do_not_import_it(cli: Any) -> None:
    code = (
        "import sys, assay\n"
        "assay.run('hello', agent='echo:')\n"
        "print(*sorted(name for name in sys.modules if name.startswith('assay_plugins.wraps')))"
    )

    done = subprocess.run(
        [cli.python, "-c", code],
        cwd=cli.root,
        env=cli.env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [
        "assay_plugins.wraps",
        "assay_plugins.wraps.record",
        "assay_plugins.wraps.replay",
    ]


def test_what_a_missing_plugin_would_do_is_told_before_an_agent_is_reached(cli: Any) -> None:
    cli.cases("cases.jsonl", CASES[0])
    for flag, word in (("--replay", "replay"), ("--record", "record")):
        done = cli(
            "test",
            "-i",
            "cases.jsonl",
            "-n",
            "openai:m",
            flag,
            "x",
            "-p",
            f"no:wrap.{word}",
            env={"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
        )
        assert done.code == 2, done.err
        assert f"{flag}: no wrap '{word}'" in done.err


FAILING = """
from assay import hookimpl

class Failing:
    def __init__(self, inner, context):
        self.inner = inner
        self.context = context
    async def __aenter__(self):
        await self.inner.__aenter__()
        return self
    async def __aexit__(self, *error):
        await self.inner.__aexit__(*error)
        self.context.fail("the tape is full; use another one")
    async def info(self):
        return await self.inner.info()
    async def send(self, request):
        return await self.inner.send(request)

@hookimpl
def assay_wrap_transport(transport, context):
    return Failing(transport, context)
"""


def test_what_a_wrap_cannot_do_is_exit_3_with_all_reports_in_place(cli: Any) -> None:
    cli.install("assay-failing", wrap__failing=FAILING)
    cli.cases("cases.jsonl", {"id": "a", "input": "hi"})
    done = cli("test", "-i", "cases.jsonl", "-n", "echo:", "-o", "r.json")
    assert done.code == 3
    assert "\nthe tape is full; use another one\n" in done.err
    assert done.err.endswith(
        "Error: the run is over, but for this: the tape is full; use another one\n"
    )
    assert cli.json("r.json")["summary"]["passed"] == 1


def test_what_is_missing_is_asked_as_whom_it_is_asked_now(cli: Any, yao: YaoServer) -> None:
    cli.cases("cases.jsonl", {"id": "oslo", "input": "weather?"})
    run = ("test", "-i", "cases.jsonl", "-n", "tests.weather", "-q")
    assert cli(*run, "--record", "run.rec").code == 0
    cli.cases(
        "cases.jsonl", {"id": "oslo", "input": "weather?"}, {"id": "new", "input": "and now?"}
    )
    cli.write("assay.toml", '[transport.yao.identities]\ntest-user = "$ASSAY_YAO_TOKEN"\n')
    ask = ("--replay", "run.rec", "--replay-missing", "ask", "--record", "new.rec")
    done = cli(*run, *ask)
    assert done.code == 0, done.err
    found = {
        line["case"]: line["request"]["environment"]["identity"] for line in sends(cli, "new.rec")
    }
    assert found["new"] == "token"
