"""What an [agent] table says of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import AgentClue, ConfigError
from assay_plugins.agents.assay_toml import assay_describe_folder

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """
name = "Keyword"
description = "Finds keywords"
transport = "python"
target = "agent.py:reply"
connector = "none"
"""


def test_assay_toml_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "assistants" / "workers" / "keyword"
    folder.mkdir(parents=True)
    (folder / "assay.toml").write_text(f"[test]\nruns = 3\n[agent]{TABLE}")

    assert assay_describe_folder(folder) == AgentClue(
        id="workers.keyword",
        name="Keyword",
        description="Finds keywords",
        transport="python",
        target="agent.py:reply",
        connector="none",
        root=folder,
        source="assistants/workers/keyword/assay.toml",
    )


def test_pyproject_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.assay.agent]{TABLE}")

    clue = assay_describe_folder(tmp_path)

    assert clue is not None
    assert (clue.id, clue.target, clue.root) == (tmp_path.name, "agent.py:reply", None)
    assert clue.source.endswith("pyproject.toml")


def test_assay_toml_comes_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.assay.agent]\nname = "p"')
    (tmp_path / "assay.toml").write_text('[agent]\nname = "a"')
    clue = assay_describe_folder(tmp_path)
    assert clue is not None
    assert clue.name == "a"

    (tmp_path / "assay.toml").write_text("[test]")
    clue = assay_describe_folder(tmp_path)
    assert clue is not None
    assert clue.name == "p"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("assay.toml", ""),
        ("assay.toml", "[test]\nruns = 2"),
        ("pyproject.toml", "[tool.assay.test]\nruns = 2"),
        ("pyproject.toml", '[project]\nname = "assay"'),
        ("pyproject.toml", "this is [not TOML, and none of ours"),
        ("other.toml", "[agent]"),
    ],
)
def test_a_folder_without_the_table_says_nothing(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)

    assert assay_describe_folder(tmp_path) is None


def test_an_empty_table_makes_an_agent(tmp_path: Path) -> None:
    (tmp_path / "assay.toml").write_text("[agent]")

    clue = assay_describe_folder(tmp_path)

    assert clue is not None
    assert (clue.id, clue.transport, clue.target) == (tmp_path.name, None, None)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("assay.toml", "[agent]\nname = oops", r"assay\.toml:2:8: not TOML: Invalid value; mend"),
        ("pyproject.toml", "[tool.assay.agent]\n=", r"pyproject\.toml:2:1: not TOML: "),
        ("assay.toml", 'agent = "x"', r"assay\.toml agent: must be a table; write \[agent\]$"),
        ("pyproject.toml", "[tool]\nassay = 1", r"tool\.assay: must be a table"),
        ("assay.toml", '[agent]\ntrasport = "x"', r"\[agent\] trasport: unknown key; .*transport"),
        ("assay.toml", "[agent]\nname = 5", r"assay\.toml \[agent\] name: must be text, not int"),
        ("assay.toml", '[agent]\ntransport = ""', r"transport: must not be empty"),
        ("assay.toml", "a = " + "[" * 100_000, r"assay\.toml"),
    ],
)
def test_a_broken_file_is_an_error_with_its_place(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)

    with pytest.raises(ConfigError, match=message):
        assay_describe_folder(tmp_path)
