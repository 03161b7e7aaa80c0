"""A thousand turns at the same time, over real connections."""

from __future__ import annotations

from typing import Any

from yao_server import ALICE, Agent, Call, Heard, Hold, Say, YaoServer


def slow(heard: Heard) -> Any:
    """Answer with what was asked, once everybody is here."""
    return (
        Say(text="Let me see. "),
        Call(name="a__x", arguments={"n": heard.text}, result=heard.text),
        Hold(gate="all"),
        Say(text=f"answer {heard.text}", pieces=5),
    )


def test_a_thousand_streams_at_once(cli: Any) -> None:
    number = 1000
    cli.cases(
        "cases.jsonl",
        *({"id": f"T{n}", "input": str(n), "expected": f"answer {n}"} for n in range(number)),
    )
    with YaoServer(Agent(id="a", script=slow)) as server:
        variables = {"ASSAY_YAO_SERVER": server.url, "ASSAY_YAO_TOKEN": ALICE.token}
        running = cli.start(
            *("test", "-i", "cases.jsonl", "-n", "a", "--parallel", str(number), "-o", "r.json"),
            env=variables,
        )
        server.log.wait(lambda: server.log.most_open >= number, "all turns at once")
        server.open("all")
        done = running.end()

    assert done.code == 0, done.err[-2000:]
    report = cli.json("r.json")
    assert report["summary"]["passed"] == number
    assert report["summary"]["errors"] == 0
    assert {turn.ending for turn in server.log.turns} == {"answered"}
    assert len(server.log.turns) == number
