"""The transport that answers without an agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from assay import AgentError, AgentRef, ConfigError, Message, Request, Response
from assay.testing import check_transport
from assay_plugins.transports.echo import Echo

if TYPE_CHECKING:
    from pathlib import Path


def asked(*messages: Message, target: str = "", base: Path | None = None) -> Response:
    async def go() -> Response:
        agent = AgentRef(transport="echo", target=target, name="echo", base=base)
        async with Echo(agent) as transport:
            assert await transport.info() is None
            return await transport.send(Request(messages=messages))

    return asyncio.run(go())


def answers(folder: Path, text: str) -> Path:
    file = folder / "answers.jsonl"
    file.write_text(text)
    return file


def test_the_last_user_message_comes_back() -> None:
    response = asked(
        Message(content="first"),
        Message(content=({"type": "text", "text": "a"}, {"type": "text", "text": "b"})),
        Message(role="assistant", content="answer"),
    )

    assert response == Response(text="a\nb")


def test_the_first_canned_answer_that_matches_is_given(tmp_path: Path) -> None:
    answers(
        tmp_path,
        '// canned\n{"match": "weather in Oslo", "output": {"city": "Oslo"}}\n'
        '{"match": "weather", "output": "Sunny."}\n{"match": "no", "output": null}\n',
    )

    def answer(text: str) -> Response:
        return asked(Message(content=text), target="answers.jsonl", base=tmp_path)

    assert answer("weather") == Response(text="Sunny.")
    assert answer("The weather in Oslo?") == Response(data={"city": "Oslo"})
    assert answer("no") == Response(data=None)
    with pytest.raises(AgentError, match=r"echo:answers\.jsonl has no answer to 'Hi!'"):
        answer("Hi!")


def test_an_empty_match_answers_everything(tmp_path: Path) -> None:
    answers(tmp_path, '{"match": "a", "output": 1}\n{"match": "", "output": 2}\n')

    response = asked(Message(content="b"), target="answers.jsonl", base=tmp_path)

    assert response.output == 2


def test_a_file_without_a_base_is_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers(tmp_path, '{"match": "", "output": "here"}')
    monkeypatch.chdir(tmp_path)

    assert asked(Message(content="x"), target="answers.jsonl").text == "here"


def test_all_faults_of_a_file_are_told_with_their_lines(tmp_path: Path) -> None:
    answers(
        tmp_path,
        'oops\n[]\n{"match": "a"}\n{"output": 1}\n{"match": 1, "output": 1}\n'
        '{"match": "a", "output": 1, "ouput": 2}\n{"match": "fine", "output": 1}\n',
    )

    with pytest.raises(ConfigError) as told:
        asked(target="answers.jsonl", base=tmp_path)

    assert told.value.message == "echo:answers.jsonl: the canned answers cannot be read"
    assert [line.partition(": ")[0] for line in told.value.details] == [
        f"answers.jsonl:{number}" for number in (1, 2, 3, 4, 5, 6)
    ]
    assert "not JSON at column 1" in told.value.details[0]
    assert "'output' is missing" in told.value.details[2]
    assert "'match' must be text" in told.value.details[4]
    assert "unknown key 'ouput'" in told.value.details[5]


@pytest.mark.parametrize("text", [None, "", "// nothing\n"])
def test_a_file_without_answers_is_an_error(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        answers(tmp_path, text)

    with pytest.raises(ConfigError, match=r"^answers\.jsonl: (cannot be read|holds no canned)"):
        asked(target="answers.jsonl", base=tmp_path)


def test_it_keeps_the_contract_of_transports(tmp_path: Path) -> None:
    answers(tmp_path, '{"match": "hello", "output": [1]}')

    check_transport(Echo)
    check_transport(
        Echo,
        "answers.jsonl",
        base=tmp_path,
        failing=[Request(messages=(Message(content="something else"),))],
    )
