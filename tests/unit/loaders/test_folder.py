"""The loader of folders and globs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import ConfigError, LoadContext
from assay.testing import check_loader
from assay_plugins.loaders.folder import Folder

if TYPE_CHECKING:
    from pathlib import Path

LOADER = Folder()


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An application with two agents, and files that are no cases."""
    for name in (
        "app/assistants/b/tests/two.jsonl",
        "app/assistants/b/tests/one.jsonl",
        "app/assistants/b/tests/output-20240101000000.jsonl",
        "app/assistants/b/tests/deep/three.jsonl",
        "app/assistants/b/tests/notes.txt",
        "app/assistants/b/tests/.hidden.jsonl",
        "app/assistants/b/data.jsonl",
        "app/assistants/a/tests/four.jsonl",
        "app/assistants/a/node_modules/x/tests/no.jsonl",
        "app/.git/tests/no.jsonl",
        "app/.venv/tests/no.jsonl",
        "app/env/tests/no.jsonl",
        "app/env/pyvenv.cfg",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text('{"id": "a"}\n')
    return tmp_path


def keys(source: str, cwd: Path) -> list[str]:
    context = LoadContext(cwd=cwd)
    assert LOADER.accepts(source, context)
    return [suite.key for suite in LOADER.load(source, context)]


def test_every_case_file_below_tests_is_a_suite_in_order(app: Path) -> None:
    assert keys("app", app) == [
        "app/assistants/a/tests/four.jsonl",
        "app/assistants/b/tests/deep/three.jsonl",
        "app/assistants/b/tests/one.jsonl",
        "app/assistants/b/tests/two.jsonl",
    ]


def test_a_suite_reads_its_file(app: Path) -> None:
    first = next(LOADER.load("app", LoadContext(cwd=app)))

    assert first.path == app / "app/assistants/a/tests/four.jsonl"
    assert first.folder == app / "app/assistants/a/tests"
    assert [entry.value for entry in first.entries()] == [{"id": "a"}]


@pytest.mark.parametrize("source", [".", "./", "deep/.."])
def test_a_folder_at_tests_gives_its_files(app: Path, source: str) -> None:
    found = keys(source, app / "app/assistants/b/tests")

    assert found == ["deep/three.jsonl", "one.jsonl", "two.jsonl"]


def test_a_folder_below_tests_gives_its_files(app: Path) -> None:
    assert keys("deep", app / "app/assistants/b/tests") == ["deep/three.jsonl"]


def test_an_absolute_folder_elsewhere_keeps_absolute_keys(app: Path) -> None:
    (app / "elsewhere").mkdir()
    folder = app / "app/assistants/a"

    assert keys(str(folder), app / "elsewhere") == [f"{folder.as_posix()}/tests/four.jsonl"]
    assert keys("../app/assistants/a", app / "elsewhere") == [
        "../app/assistants/a/tests/four.jsonl"
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("app/assistants/*/tests/*.jsonl", ["a/tests/four", "b/tests/one", "b/tests/two"]),
        ("app/**/one.jsonl", ["b/tests/one"]),
        ("app/assistants/?/tests/t[wx]o.jsonl", ["b/tests/two"]),
        ("app/assistants/*", ["a/tests/four", "b/tests/deep/three", "b/tests/one", "b/tests/two"]),
        ("app/assistants/b/*.jsonl", ["b/data"]),
        ("**/deep", ["b/tests/deep/three"]),
        ("app/**/**/deep/**", ["b/tests/deep/three"]),
    ],
)
def test_a_glob_gives_what_it_matches(app: Path, source: str, found: list[str]) -> None:
    assert keys(source, app) == [f"app/assistants/{name}.jsonl" for name in found]


@pytest.mark.parametrize(
    "source",
    [
        "hello",
        "",
        "What is this?",
        "2*3/4",
        "yes/no?",
        "/search what?",
        "https://example.com/?q=1",
        "a [link](b/c)",
        "nul\0 *",
        "long? " + "x" * 10_000,
        "long/" + "x" * 10_000 + "*",
        "app/assistants/b/tests/one.jsonl",
    ],
)
def test_messages_and_files_are_left_to_others(app: Path, source: str) -> None:
    assert not LOADER.accepts(source, LoadContext(cwd=app))


def test_a_file_whose_name_has_wildcards_is_a_file(app: Path) -> None:
    (app / "[a].jsonl").write_text("")

    assert not LOADER.accepts("[a].jsonl", LoadContext(cwd=app))


def test_a_folder_without_case_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as told:
        keys(".", tmp_path)

    assert str(told.value) == (
        ".: no case files; looked for *.jsonl in folders named tests (output-*.jsonl are reports)"
    )


def test_the_error_names_a_file_outside_of_tests(app: Path) -> None:
    (app / "other").mkdir()
    (app / "other" / "cases.jsonl").write_text("")

    with pytest.raises(ConfigError, match=r"to run other/cases\.jsonl, name it with -i"):
        keys("other", app)


@pytest.mark.parametrize("source", ["app/*/nothing", "*.jsonl", "app/assistants/b/tests/output-*"])
def test_a_glob_without_matches_is_an_error(app: Path, source: str) -> None:
    with pytest.raises(ConfigError, match="matches no case files; looked for"):
        keys(source, app)


def test_loops_of_links_end(app: Path) -> None:
    tests = app / "app/assistants/a/tests"
    (tests / "self").symlink_to(tests)
    (tests / "up").symlink_to(app)
    for number in range(30):
        (tests / f"b{number}").symlink_to(app / "app/assistants/b")

    assert keys("app/assistants/a", app) == [
        "app/assistants/a/tests/b0/data.jsonl",
        "app/assistants/a/tests/b0/tests/deep/three.jsonl",
        "app/assistants/a/tests/b0/tests/one.jsonl",
        "app/assistants/a/tests/b0/tests/two.jsonl",
        "app/assistants/a/tests/four.jsonl",
    ]
    assert keys("app/**/four.jsonl", app) == ["app/assistants/a/tests/four.jsonl"]


def test_a_link_named_tests_makes_cases_of_a_folder(app: Path) -> None:
    (app / "app/assistants/c").mkdir()
    (app / "app/assistants/c/cases").mkdir()
    (app / "app/assistants/c/cases/five.jsonl").write_text("")
    (app / "app/assistants/c/tests").symlink_to(app / "app/assistants/c/cases")

    assert keys("app/assistants/c", app) == ["app/assistants/c/tests/five.jsonl"]


def test_a_broken_link_is_passed_by(app: Path) -> None:
    (app / "app/assistants/a/tests/gone.jsonl").symlink_to(app / "nowhere")
    (app / "app/assistants/a/tests/away").symlink_to(app / "nowhere")

    assert keys("app/assistants/a", app) == ["app/assistants/a/tests/four.jsonl"]


def test_one_file_under_two_names_is_one_suite(app: Path) -> None:
    tests = app / "app/assistants/a/tests"
    (tests / "zero.jsonl").symlink_to(tests / "four.jsonl")

    assert keys("app/assistants/a", app) == ["app/assistants/a/tests/four.jsonl"]


def test_it_keeps_the_contract_of_loaders(app: Path) -> None:
    check_loader(Folder, "app", cwd=app, rejects=["hello", "app/assistants/b/data.jsonl"])
    check_loader(Folder, "app/**/tests", cwd=app)
