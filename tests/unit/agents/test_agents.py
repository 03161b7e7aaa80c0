"""Which agent is meant: the forms of ``-n``, and the nearest folder that is one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.agents import found_agent, merged, named_agent
from assay.errors import ConfigError
from assay.model.case import AgentClue, AgentRef

WORDS = ("echo", "python", "http")
HERE = Path("/srv")


def named(name: str, why: dict[str, str] | None = None) -> AgentRef:
    return named_agent(
        name,
        transports=WORDS,
        default_transport="yao",
        cwd=HERE,
        why_missing=(why or {}).get,
    )


@pytest.mark.parametrize(
    ("name", "transport", "target", "shown"),
    [
        ("keyword", "yao", "keyword", "keyword"),
        ("workers.system.keyword", "yao", "workers.system.keyword", "workers.system.keyword"),
        ("python:agent.py:reply", "python", "agent.py:reply", "python:agent.py:reply"),
        (r"python:C:\a\agent.py:reply", "python", r"C:\a\agent.py:reply", None),
        ("echo:", "echo", "", "echo"),
        ("echo:answers.jsonl", "echo", "answers.jsonl", "echo:answers.jsonl"),
        ("https://example.com/a?b=c:d", "http", "https://example.com/a?b=c:d", None),
        ("http:", "http", "", "http"),
        (r"C:\agents\keyword", "yao", r"C:\agents\keyword", None),
        ("x:y", "yao", "x:y", "x:y"),
        ("unlike:anything", "yao", "unlike:anything", None),
    ],
)
def test_the_forms_of_a_name(name: str, transport: str, target: str, shown: str | None) -> None:
    agent = named(name)
    assert (agent.transport, agent.target) == (transport, target)
    assert agent.name == (shown or name)
    assert agent.base == HERE


def test_names_that_are_none() -> None:
    with pytest.raises(ConfigError, match="-n: the agent's name is empty"):
        named("")
    with pytest.raises(ConfigError, match="no transport 'pyton'; did you mean 'python'"):
        named("pyton:agent.py:reply")
    with pytest.raises(ConfigError, match="-n openai:gpt: no transport 'openai': it is broken"):
        named("openai:gpt", {"openai": "it is broken"})


@given(name=st.text(min_size=1))
@example(name="a:")
@example(name=":")
@settings(deadline=None)
def test_any_name_is_an_agent_or_a_config_error(name: str) -> None:
    try:
        agent = named(name)
    except ConfigError:
        return
    assert agent.target in name
    assert agent.name


def tree(clues: dict[Path, list[AgentClue]]) -> tuple[list[Path], AgentRef | None]:
    """Look for an agent from ``/srv/app/agent/tests``; gives the folders that were asked."""
    asked: list[Path] = []

    def describe(folder: Path) -> Sequence[tuple[str, AgentClue]]:
        asked.append(folder)
        return [("word", clue) for clue in clues.get(folder, [])]

    start = HERE / "app/agent/tests"
    return asked, found_agent(start, describe=describe, default_transport="yao")


def test_the_nearest_folder_that_is_described(tmp_path: Path) -> None:
    folder = HERE / "app/agent"
    asked, agent = tree(
        {
            folder: [AgentClue(id="app.agent", connector="c"), AgentClue(name="N", connector="d")],
            HERE: [AgentClue(id="outer", description="never looked at")],
        }
    )
    assert asked == [folder / "tests", folder]
    assert agent == AgentRef(
        transport="yao",
        target="app.agent",
        name="app.agent",
        title="N",
        path=folder,
        base=folder,
        connector="c",
    )


def test_no_folder_is_described() -> None:
    asked, agent = tree({})
    assert agent is None
    assert asked[-1] == Path(HERE.anchor)


@pytest.mark.parametrize(
    ("clue", "transport", "target"),
    [
        (AgentClue(), "yao", "agent"),
        (AgentClue(id="my.id"), "yao", "my.id"),
        (AgentClue(transport="python", target="a.py:f"), "python", "a.py:f"),
        (AgentClue(transport="echo", target=""), "echo", ""),
        (AgentClue(id="my.id", transport="openai"), "openai", "my.id"),
    ],
)
def test_the_target_is_the_id_where_none_is_written(
    clue: AgentClue, transport: str, target: str
) -> None:
    _, agent = tree({HERE / "app/agent": [clue]})
    assert agent is not None
    assert (agent.transport, agent.target) == (transport, target)


def test_another_transport_asks_for_the_id() -> None:
    clue = AgentClue(id="my.id", transport="python", target="a.py:f")

    def agent(transport: str) -> AgentRef:
        found = found_agent(
            HERE, describe=lambda _: [("word", clue)], default_transport="yao", transport=transport
        )
        assert found is not None
        return found

    assert (agent("yao").transport, agent("yao").target) == ("yao", "my.id")
    assert agent("python").target == "a.py:f"


CLUES = st.lists(
    st.builds(
        AgentClue,
        id=st.none() | st.text(),
        name=st.none() | st.text(),
        transport=st.none() | st.text(),
        target=st.none() | st.text(),
        connector=st.none() | st.text(),
    ),
    min_size=1,
    max_size=4,
)


@given(clues=CLUES)
@settings(deadline=None)
def test_the_first_to_give_a_field_wins(clues: list[AgentClue]) -> None:
    whole = merged(clues)
    for field in ("id", "name", "transport", "target", "connector"):
        given_ = [getattr(clue, field) for clue in clues if getattr(clue, field) is not None]
        assert getattr(whole, field) == (given_[0] if given_ else None)
