"""Runs against servers that speak chat completions, or any JSON, on real sockets."""

from __future__ import annotations

import socket
from typing import Any

from scripted_server import Asked, Script, ScriptedServer, Silence, event, stream, whole

KEY = "sk-0123456789-secret"
CASE = {"id": "a", "input": "hello", "assert": {"type": "contains", "value": "hello"}}


def completion(text: str, reason: str = "stop", **message: object) -> dict[str, Any]:
    return {
        "model": "m-2026",
        "choices": [{"message": {"content": text, **message}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


def echo(asked: Asked) -> Script:
    """Say what the user said, in the way that is asked for."""
    text = asked.json["messages"][-1]["content"]
    if not asked.json.get("stream"):
        return [whole(completion(text))]
    pieces = [event({"choices": [{"delta": {"content": sign}}]}) for sign in text]
    usage = event({"choices": [], "usage": completion("")["usage"], "model": "m-2026"})
    return stream(*pieces, event({"choices": [{"finish_reason": "stop"}]}), usage, event("[DONE]"))


def environment(server: ScriptedServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": KEY}


def check_secret(cli: Any, *done: Any) -> None:
    """See that the key stands nowhere."""
    for each in done:
        assert KEY not in each.out + each.err
    for name in cli.files():
        assert KEY not in cli.read(name), name


def test_a_run(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE, {**CASE, "id": "b", "input": "bye"})
    cli.write("assay.toml", '[transport.openai]\ntemperature = 0\nsystem_file = "system.md"\n')
    cli.write("system.md", "Be brief.")
    with ScriptedServer(echo) as server:
        env = environment(server)
        done = cli(
            "test", "-i", "cases.jsonl", "-n", "openai:m", "-o", "r.jsonl", "-o", "r.md", env=env
        )
    assert done.code == 1
    lines = {line["id"]: line for line in cli.lines("r.jsonl") if line["type"] == "result"}
    assert lines["a"]["status"] == "passed"
    assert lines["b"]["status"] == "failed"
    response = lines["a"]["response"]
    assert response["model"] == "m-2026"
    assert response["usage"]["total_tokens"] == 7
    assert server.asked[0].json == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "hello"},
        ],
        "temperature": 0,
    }
    assert not server.faults
    check_secret(cli, done)


def test_streams_in_parallel(cli: Any) -> None:
    cli.cases("cases.jsonl", *({**CASE, "id": f"c{number}"} for number in range(200)))
    with ScriptedServer(echo) as server:
        done = cli(
            *("test", "-i", "cases.jsonl", "-n", "openai:m", "--parallel", "64", "-c", "other"),
            *("--set", "transport.openai.stream=true", "-o", "r.jsonl"),
            env=environment(server),
        )
    assert done.code == 0, done
    assert server.asked[0].json["model"] == "other"
    assert server.asked[0].json["stream"] is True
    # Connections are used again: there are no more of them than requests at a time.
    assert server.most_open <= 64
    assert server.connections < 130


def test_what_an_answer_was_cut_off_by_is_shown(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE, {"id": "b", "input": "empty"})

    def answer(asked: Asked) -> Script:
        text = asked.json["messages"][-1]["content"]
        return [whole(completion("" if text == "empty" else text, "length"))]

    with ScriptedServer(answer) as server:
        results = cli.results(
            "-i", "cases.jsonl", "-n", "openai:m", "-o", "r.jsonl", env=environment(server)
        )
    assert results["a"]["status"] == "passed"
    assert results["a"]["response"]["finish_reason"] == "length"
    assert "cut off at the token limit" in results["a"]["response"]["notes"][0]
    assert results["b"]["status"] == "error"
    assert results["b"]["error"] == "the agent answered nothing (finish_reason length)"


def test_a_key_that_a_server_repeats_is_shown_nowhere(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE, {**CASE, "id": "b"}, {**CASE, "id": "c"})

    def answer(asked: Asked) -> Script:
        key = asked.headers["authorization"].removeprefix("Bearer ")
        if len(server.asked) == 1:
            return [whole({"error": {"message": f"Incorrect API key provided: {key}."}}, 401)]
        if len(server.asked) == 2:
            return stream(event({"choices": [{"delta": {"content": key}}]}))
        return [whole(completion(f"your key is {key}", reasoning_content=key))]

    with ScriptedServer(answer) as server:
        outputs = ("-o", "r.jsonl", "-o", "r.md", "-o", "r.json", "-o", "r.txt")
        done = cli("test", "-i", "cases.jsonl", "-n", "openai:m", *outputs, env=environment(server))
    assert done.code == 1
    results = [line for line in cli.lines("r.jsonl") if line["type"] == "result"]
    assert "HTTP 401: Incorrect API key provided: ***." in results[0]["error"]
    assert results[1]["output"] == "***"
    assert results[2]["output"] == "your key is ***"
    check_secret(cli, done)


def test_nobody_listens(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE)
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        done = cli(
            *("test", "-i", "cases.jsonl", "-n", "openai:m", "--retries", "1", "-o", "r.jsonl"),
            env={"OPENAI_BASE_URL": url},
        )
    assert done.code == 3
    (result,) = (line for line in cli.lines("r.jsonl") if line["type"] == "result")
    assert result["error"] == (
        f"{url}/chat/completions: connection refused; is the server running there?"
    )
    assert len(result["tries"]) == 2


def test_no_key(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE)
    done = cli("test", "-i", "cases.jsonl", "-n", "openai:m")
    assert done.code == 2
    assert "no API key; set OPENAI_API_KEY" in done.err


def test_a_rate_limit(cli: Any) -> None:
    cli.cases("cases.jsonl", *({**CASE, "id": f"c{number}"} for number in range(8)))

    def answer(asked: Asked) -> Script:
        if len(server.asked) <= 2:
            return [whole({"error": {"message": "slow down"}}, 429, "Retry-After: 1")]
        return echo(asked)

    with ScriptedServer(answer) as server:
        results = cli.results(
            *("-i", "cases.jsonl", "-n", "openai:m", "--parallel", "2", "-o", "r.jsonl"),
            env=environment(server),
        )
    assert {result["status"] for result in results.values()} == {"passed"}
    tried = [result["tries"] for result in results.values() if "tries" in result]
    assert len(tried) == 2
    for (tries,) in tried:
        assert "HTTP 429: slow down" in tries["error"]
        assert tries["waited_ms"] >= 900
    # Waiting is no part of a duration.
    assert all(result["duration_ms"] < 900 for result in results.values())


def test_a_pause_that_is_longer_than_allowed(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE)
    with ScriptedServer(lambda _: [whole("", 429, "Retry-After: 3600")]) as server:
        done = cli(
            *("test", "-i", "cases.jsonl", "-n", "openai:m", "--max-wait", "1s", "-o", "r.jsonl"),
            env=environment(server),
        )
    assert done.code == 3
    (result,) = (line for line in cli.lines("r.jsonl") if line["type"] == "result")
    assert "it asks for a pause of 1h; --max-wait allows 1s" in result["error"]


def test_a_silent_server(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE)

    def silent(_: Asked) -> Script:
        return stream(event({"choices": [{"delta": {"content": "half"}}]}), Silence())

    with ScriptedServer(silent) as server:
        results = cli.results(
            *("-i", "cases.jsonl", "-n", "openai:m", "--timeout", "500ms", "-o", "r.jsonl"),
            env=environment(server),
        )
        assert server.closed.wait(20)
    assert results["a"]["status"] == "timeout"


def test_a_message(cli: Any) -> None:
    with ScriptedServer(echo) as server:
        done = cli("test", "-i", "hello there", "-n", "openai:m", env=environment(server))
    assert (done.code, done.out) == (0, "hello there\n")


def test_any_endpoint(cli: Any) -> None:
    cli.cases("cases.jsonl", CASE)
    cli.write(
        "assay.toml",
        """\
        [transport.http]
        headers = {Authorization = "Bearer $MY_TOKEN"}
        body = {question = "$input", who = "$user"}
        answer = "$.data.reply"
        """,
    )

    def answer(asked: Asked) -> Script:
        said = f"{asked.json['question']}, {asked.json['who']}, {asked.headers['authorization']}"
        return [whole({"data": {"reply": said}})]

    with ScriptedServer(answer) as server:
        done = cli(
            *("test", "-i", "cases.jsonl", "-n", f"{server.url}/ask", "-u", "me", "-o", "r.jsonl"),
            env={"MY_TOKEN": KEY},
        )
    assert done.code == 0, done
    (result,) = (line for line in cli.lines("r.jsonl") if line["type"] == "result")
    assert result["output"] == "hello, me, Bearer ***"
    assert result["response"]["unknown"] == ["reasoning", "tool_calls", "tool_results", "usage"]
    check_secret(cli, done)
