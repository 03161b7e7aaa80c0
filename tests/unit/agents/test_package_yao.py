"""What a package.yao says of its folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import AgentClue, ConfigError
from assay_plugins.agents.package_yao import assay_describe_folder

if TYPE_CHECKING:
    from pathlib import Path

PACKAGE = """{
  // The name that users see.
  "name": "Keyword // finder",
  "description": "Finds keywords",
  "connector": "gpt-4o", /* the default */
}
"""


def described(folder: Path, package: str = PACKAGE) -> AgentClue:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.yao").write_text(package)
    clue = assay_describe_folder(folder)
    assert clue is not None
    return clue


def test_a_folder_without_the_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "package.yao").mkdir()

    assert assay_describe_folder(tmp_path) is None


def test_the_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert described(tmp_path / "keyword") == AgentClue(
        id="keyword",
        name="Keyword // finder",
        description="Finds keywords",
        target="keyword",
        connector="gpt-4o",
        source="keyword/package.yao",
    )


@pytest.mark.parametrize(
    ("root", "agent", "expected"),
    [
        ("app", "app/assistants/workers/system/keyword", "workers.system.keyword"),
        ("app", "app/assistants/a/assistants/b", "a.assistants.b"),
        ("assistants/app", "assistants/app/agents/b", "b"),
        (None, "assistants/a/assistants/b/c", "b.c"),
        (None, "assistants/keyword", "keyword"),
        (None, "agents/keyword", "keyword"),
        (None, "x/assistants", "assistants"),
    ],
)
def test_the_id_is_the_path_below_assistants(
    tmp_path: Path, root: str | None, agent: str, expected: str
) -> None:
    if root is not None:
        (tmp_path / root).mkdir(parents=True)
        (tmp_path / root / "app.yao").write_text("{}")

    clue = described(tmp_path / agent)

    assert (clue.id, clue.target, clue.transport) == (expected, expected, None)
    assert clue.root == (None if root is None else tmp_path / root)


@pytest.mark.parametrize("mark", ["app.yao", "app.json", "app.jsonc", "assay.toml"])
def test_the_nearest_mark_is_the_application_root(tmp_path: Path, mark: str) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / mark).write_text("")
    (tmp_path / "app.yao").write_text("")

    clue = described(tmp_path / "app/assistants/a/b")

    assert (clue.root, clue.id) == (tmp_path / "app", "a.b")


def test_settings_in_the_agents_own_folder_do_not_change_its_id(tmp_path: Path) -> None:
    agent = tmp_path / "assistants/workers/keyword"
    agent.mkdir(parents=True)
    (agent / "assay.toml").write_text("")

    clue = described(agent)

    assert (clue.id, clue.root) == ("workers.keyword", agent)


def test_a_connector_may_name_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = '{"connector": "$ENV.ASSAY_TEST_CONNECTOR"}'
    monkeypatch.delenv("ASSAY_TEST_CONNECTOR", raising=False)
    assert described(tmp_path, package).connector == "$ENV.ASSAY_TEST_CONNECTOR"

    monkeypatch.setenv("ASSAY_TEST_CONNECTOR", "gpt-5")
    assert described(tmp_path, package).connector == "gpt-5"


def test_fields_may_be_absent_or_null(tmp_path: Path) -> None:
    clue = described(tmp_path, '\ufeff{"name": null}')

    assert (clue.name, clue.description, clue.connector) == (None, None, None)


@pytest.mark.parametrize(
    ("package", "message"),
    [
        ('{\n  "name": oops\n}', r"package\.yao:2:11: not JSON: Expecting value; mend the file$"),
        ("{\n/* open", r"package\.yao:2:1: not JSON: a comment is never closed"),
        ("[1]", r"package\.yao: must hold a JSON object"),
        ('{"name": 5}', r"package\.yao name: must be text, not int; put it in quotes$"),
        ("", r"package\.yao:1:1: not JSON"),
    ],
)
def test_a_broken_file_is_an_error_with_its_place(
    tmp_path: Path, package: str, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        described(tmp_path, package)


def test_a_file_that_is_not_utf_8_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "package.yao").write_bytes(b'{\n"name": "caf\xe9"}')

    with pytest.raises(ConfigError, match=r"package\.yao:2: not UTF-8; save the file as UTF-8"):
        assay_describe_folder(tmp_path)
