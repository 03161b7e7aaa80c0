"""Agents of a Yao server, tested with the installed command."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from yao_server import (
    ALICE,
    BOB,
    KEY,
    Act,
    Agent,
    Call,
    Fail,
    Heard,
    Hold,
    Next,
    Options,
    Say,
    Use,
    YaoServer,
    rate_limited,
)

PACKAGE = (
    '{\n  // An agent of an application.\n  "name": "Weather", "connector": "$ENV.MODEL",\n}\n'
)
LOOKING = (
    Say(text="Let me look. "),
    Call(name="weather__now", arguments={"city": "Oslo"}, result={"celsius": 4}),
    Say(text="It is **4 °C** in Oslo."),
    Use(prompt_tokens=20, completion_tokens=9),
)
WEATHER = Agent(
    id="tests.weather", name="Weather", description="Tells the weather.", script=LOOKING
)


def echo(heard: Heard) -> Iterable[Act]:
    return [Say(text=heard.text)]


@pytest.fixture
def server(cli: Any) -> Iterator[YaoServer]:
    """A server that the command knows by its variables."""
    with YaoServer(WEATHER, Agent(id="echo", script=echo)) as server:
        cli.env |= {"ASSAY_YAO_SERVER": server.url, "ASSAY_YAO_TOKEN": ALICE.token}
        yield server


def test_the_suite_of_an_agent_in_its_folder(cli: Any, server: YaoServer) -> None:
    cli.write("app/app.yao", "{}")
    cli.write("app/assistants/tests/weather/package.yao", PACKAGE)
    cli.cases(
        "app/assistants/tests/weather/tests/inputs.jsonl",
        {"id": "T1", "input": "Oslo?", "assert": {"type": "contains", "value": "4 °C"}},
        {"id": "T2", "input": "Oslo?", "assert": {"type": "equals", "value": "warm"}},
    )

    done = cli("test", "-i", "app", "-o", "report.json", "-o", "report.md", "--retries", "0")

    assert done.code == 1, done.err
    report = cli.json("report.json")
    assert report["summary"]["agent_id"] == "tests.weather"
    assert report["summary"]["connector"] == "openai.gpt-4o"
    assert [result["status"] for result in report["results"]] == ["passed", "failed"]
    assert report["results"][0]["output"] == "It is **4 °C** in Oslo."
    assert report["environment"]["identity"] == "server"
    assert [turn.ending for turn in server.log.turns] == ["answered"] * 2
    page = cli.read("report.md")
    for known in ("tests.weather", "openai.gpt-4o", "Weather"):
        assert known in page


def test_a_direct_message(cli: Any, server: YaoServer) -> None:
    done = cli("test", "-i", "Oslo?", "-n", "tests.weather")

    assert (done.code, done.out) == (0, "It is **4 °C** in Oslo.\n")
    assert server.log.turns[0].json["messages"] == [{"role": "user", "content": "Oslo?"}]


def test_a_direct_message_with_a_check(cli: Any, server: YaoServer) -> None:
    asked = ("test", "-i", "Oslo?", "-n", "tests.weather", "--assert")

    assert cli(*asked, "contains:4 °C").code == 0
    assert cli(*asked, "contains:5 °C").code == 1


def test_what_is_known_of_an_answer_is_in_the_lines(cli: Any, server: YaoServer) -> None:
    server.add(Agent(id="a", script=(*LOOKING, Next(data={"celsius": 4}))))
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi"})

    line = cli.results("-i", "cases.jsonl", "-n", "a")["T1"]

    turn = server.log.turn("a", "answered")
    assert line["output"] == {"celsius": 4}
    written = json.dumps(line)
    for known in ("weather__now", turn.trace_id, turn.context_id, turn.param("chat_id") or "-"):
        assert known in written
    assert '"total_tokens": 29' in written


@pytest.mark.parametrize(
    ("variables", "arguments", "code", "said"),
    [
        ({}, ("-n", "nobody"), 2, "no agent 'nobody'"),
        ({"ASSAY_YAO_TOKEN": ""}, ("-n", "echo"), 2, "ASSAY_YAO_TOKEN"),
        ({"ASSAY_YAO_TOKEN": "no.such.token"}, ("-n", "echo"), 2, "ASSAY_YAO_TOKEN"),
        ({"ASSAY_YAO_SERVER": "localhost"}, ("-n", "echo"), 2, "no address"),
        ({"ASSAY_YAO_SERVER": "http://127.0.0.1:1"}, ("-n", "echo"), 3, "refused"),
        ({}, ("-n", "echo", "--set", "transport.yao.accept=html"), 2, "accept"),
        ({}, ("-n", "echo", "--set", "transport.yao.sever=x"), 2, "server"),
        ({}, ("-n", "echo", "-p", "no:transport.yao"), 2, "yao"),
    ],
)
def test_what_a_user_must_mend_is_said_before_any_case_runs(
    cli: Any,
    server: YaoServer,
    variables: dict[str, str],
    arguments: tuple[str, ...],
    code: int,
    said: str,
) -> None:
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi"})
    taken = [value for value in arguments if value in ("-p", "no:transport.yao")]
    rest = [value for value in arguments if value not in taken]

    done = cli(*taken, "test", "-i", "cases.jsonl", *rest, env=variables)

    assert done.code == code, done.err
    assert said in done.err
    assert "Traceback" not in done.err
    assert server.log.turns == []
    assert cli.files() == ["cases.jsonl"]


def test_settings_of_a_file_beside_the_agent(cli: Any, server: YaoServer) -> None:
    cli.env.pop("ASSAY_YAO_SERVER")
    cli.env.pop("ASSAY_YAO_TOKEN")
    cli.write(
        "agent/assay.toml",
        f"""
        [agent]
        target = "echo"
        [test]
        user = "bob"
        team = "blue"
        [transport.yao]
        server = "{server.url}"
        token = "$MINE"
        trace = "off"
        accept = "standard"
        [transport.yao.identities]
        "bob@blue" = "BOBS"
        """,
    )
    cli.cases(
        "agent/tests/cases.jsonl",
        {"id": "T1", "input": "hi", "expected": "hi"},
        {"id": "T2", "input": "hi", "expected": "hi", "user": "alice", "team": "red"},
    )

    results = cli.results(
        "-i", "agent/tests/cases.jsonl", env={"MINE": ALICE.token, "BOBS": BOB.token}
    )

    assert [line["status"] for line in results.values()] == ["passed", "passed"]
    assert [turn.account for turn in server.log.turns] == [BOB, ALICE]
    assert {turn.param("accept") for turn in server.log.turns} == {"standard"}
    assert not [seen for seen in server.log.all if "/trace/" in seen.path]


def test_a_literal_token_in_a_file_is_a_warning(cli: Any, server: YaoServer) -> None:
    cli.write("assay.toml", f'[transport.yao]\ntoken = "{ALICE.token}"\n')
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi"})

    done = cli("test", "-i", "cases.jsonl", "-n", "echo", env={"ASSAY_YAO_TOKEN": ""})

    assert done.code == 0, done.err
    assert "variable" in done.err
    assert ALICE.token not in done.out + done.err


def test_who_asks_is_said_once(cli: Any, server: YaoServer) -> None:
    cases = [{"id": f"T{number}", "input": "hi"} for number in range(3)]
    cli.cases("cases.jsonl", *cases)

    done = cli("test", "-i", "cases.jsonl", "-n", "echo", "-u", "carol", "-o", "r.json")

    assert done.code == 0, done.err
    assert done.err.count("the server decides who asks") == 1
    environment = cli.json("r.json")["environment"]
    assert (environment["user_id"], environment["identity"]) == ("carol", "server")
    metadata = [turn.json["metadata"] for turn in server.log.turns]
    assert metadata == [{"assay_user": "carol"}] * 3


def test_a_connector_is_asked_for_and_told(cli: Any, server: YaoServer) -> None:
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi"})

    done = cli(
        "test", "-i", "cases.jsonl", "-n", "echo", "-c", "openai.gpt-4o-mini", "-o", "r.json"
    )

    assert done.code == 0, done.err
    assert server.log.turn("echo").connector == "openai.gpt-4o-mini"
    assert cli.json("r.json")["summary"]["connector"] == "openai.gpt-4o-mini"


def test_attachments_arrive_as_the_server_takes_them(cli: Any, server: YaoServer) -> None:
    cli.write("app.yao", "{}")
    cli.write("a/note.md", "# hello")
    (cli.root / "a" / "dot.png").write_bytes(b"\x89PNG")
    (cli.root / "a" / "say it.wav").write_bytes(b"RIFF")
    cli.write("data.csv", "a,b")
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": "file://dot.png"},
        {"type": "image_url", "image_url": {"url": "file://dot.png", "detail": "low"}},
        {"type": "audio", "source": "file://say%20it.wav"},
        {"type": "file", "source": "file://note.md"},
        {"type": "file", "file": {"url": "file://../data.csv", "filename": "d.csv"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
    ]
    cli.cases("a/cases.jsonl", {"id": "T1", "input": [{"role": "user", "content": parts}]})

    results = cli.results("-i", "a/cases.jsonl", "-n", "echo")

    assert results["T1"]["output"] == "see"
    png = "data:image/png;base64,iVBORw=="
    asked = server.log.turn("echo").asked
    assert asked is not None
    (message,) = asked.messages
    assert message["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": png, "detail": "auto"}},
        {"type": "image_url", "image_url": {"url": png, "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {
            "type": "file",
            "file": {"url": "data:text/markdown;base64,IyBoZWxsbw==", "filename": "note.md"},
        },
        {"type": "file", "file": {"url": "data:text/csv;base64,YSxi", "filename": "d.csv"}},
        {"type": "image_url", "image_url": {"url": "https://example.org/x.png"}},
    ]
    assert "iVBORw" not in json.dumps(results)


def test_attachments_that_cannot_be_used_are_faults_of_the_case(
    cli: Any, server: YaoServer
) -> None:
    cli.write("secret.txt", "x")
    cli.write("a/big.txt", "x" * 2000)
    cli.cases(
        "a/cases.jsonl",
        *(
            {
                "id": f"<{name}>",
                "input": {"content": [{"type": "file", "source": f"file://{name}"}]},
            }
            for name in ("../secret.txt", "none.txt", "big.txt", "")
        ),
    )

    done = cli(
        "test", "-i", "a/cases.jsonl", "-n", "echo", "--set", "transport.yao.max_file_size=1KB"
    )

    assert done.code == 2
    for row, said in ((1, "--allow-files"), (2, "no file"), (3, "max_file_size"), (4, "file://")):
        (line,) = [line for line in done.err.splitlines() if f"cases.jsonl:{row} " in line]
        assert said in line
    assert server.log.all == []


def test_a_timeout_is_one_and_the_turn_is_stopped(cli: Any, server: YaoServer) -> None:
    server.add(Agent(id="slow", script=(Say(text="Well"), Hold())))
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi", "timeout": "500ms"})

    done = cli("test", "-i", "cases.jsonl", "-n", "slow", "-o", "r.json")

    assert done.code == 1, done.err
    (result,) = cli.json("r.json")["results"]
    assert (result["status"], result["error"]) == ("timeout", "timeout after 500ms")
    turn = server.log.turn("slow")
    server.log.wait(lambda: turn.ending != "open", "the end of the turn")
    assert len(server.log.to("/append")) == 1


def test_ctrl_c_ends_the_turns(cli: Any, server: YaoServer) -> None:
    server.add(Agent(id="slow", script=(Say(text="Well"), Hold())))
    cli.cases("cases.jsonl", *({"id": f"T{n}", "input": "hi"} for n in range(4)))
    running = cli.start(
        "test", "-i", "cases.jsonl", "-n", "slow", "--parallel", "4", "-o", "r.json"
    )
    server.log.wait(lambda: sum(bool(t.wire_bytes or t.context_id) for t in server.log.turns) == 4)

    running.signal(signal.SIGINT)
    done = running.end()

    assert done.code == 130, done
    server.log.wait(lambda: all(turn.ending != "open" for turn in server.log.turns))
    assert cli.json("r.json")["summary"]["total"] == 4


def test_runs_against_an_agent_that_is_not_stable(cli: Any, server: YaoServer) -> None:
    script = (Say(text="fine"),)
    server.add(Agent(id="flaky", script=script, first=(rate_limited("0"),)))
    server.add(Agent(id="failing", script=(Say(text="Well"), Fail(message="overloaded"))))
    cli.cases("cases.jsonl", {"id": "T1", "input": "hi", "expected": "fine"})

    flaky = cli(
        "test", "-i", "cases.jsonl", "-n", "flaky", "--runs", "3", "--parallel", "3", "-o", "r.json"
    )
    failing = cli("test", "-i", "cases.jsonl", "-n", "failing", "--runs", "2", "-o", "s.json")

    assert (flaky.code, failing.code) == (0, 1)
    (result,) = cli.json("r.json")["results"]
    assert (result["pass_rate"], result["stability_class"]) == (100, "stable")
    assert sum(len(run.get("tries", ())) for run in result["run_details"]) == 1
    (result,) = cli.json("s.json")["results"]
    assert [run["status"] for run in result["run_details"]] == ["error", "error"]
    assert all("overloaded" in run["error"] for run in result["run_details"])


def test_experts_with_an_api_key_on_a_server_that_keeps_no_traces(cli: Any) -> None:
    with YaoServer(WEATHER, options=Options(traces=False)) as server:
        variables = {"ASSAY_YAO_SERVER": server.url, "ASSAY_YAO_TOKEN": KEY.token}

        done = cli(
            *("test", "-i", "Oslo?", "-n", "tests.weather", "-v"),
            *("--set", "transport.yao.route=experts"),
            env=variables,
        )

    assert (done.code, done.out) == (0, "It is **4 °C** in Oslo.\n"), done.err
    assert "may not look at the agent" in re.sub(r"\s+", " ", done.err)
    assert [turn.account for turn in server.log.turns] == [KEY]
