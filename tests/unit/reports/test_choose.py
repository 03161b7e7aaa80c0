"""From ``-o`` and ``-r`` to what is written."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import ConfigError
from assay.journal.file import Place
from assay.model.case import Suite
from assay.reports.choose import Chooser

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.reports.installed import InstalledReporter

NOW = datetime(2024, 12, 17, 10, 0, 0)


@pytest.fixture
def chooser(
    tmp_path: Path, reporters: dict[str, Any], install: Callable[..., InstalledReporter]
) -> Chooser:
    return Chooser(installed=[install(reporter) for reporter in reporters.values()], cwd=tmp_path)


def suite(path: Path | None, key: str = "tests/inputs.jsonl", message: str | None = None) -> Suite:
    return Suite(key=key, path=path, entries=lambda: iter(()), message=message)


def chosen(chooser: Chooser, *outputs: str, r: str | None = None, **more: Any) -> list[Any]:
    choice = chooser.choose(outputs, r, **more)
    return [choice.journal, [(page.reporter.word, page.name) for page in choice.pages]]


def test_a_file_of_lines_is_the_journal(chooser: Chooser, tmp_path: Path) -> None:
    assert chosen(chooser, "x.ids", "out/a.jsonl", "b.JSONL") == [
        Place(tmp_path / "out/a.jsonl"),
        [("ids", "x.ids"), ("lines", "b.JSONL")],
    ]


def test_without_a_file_of_lines_the_journal_is_hidden_beside_the_first(
    chooser: Chooser, tmp_path: Path
) -> None:
    assert chosen(chooser, "out/a.ids", "b.txt") == [
        Place(tmp_path / "out", "hidden"),
        [("ids", "out/a.ids"), ("ids", "b.txt")],
    ]


def test_the_default_file_stands_beside_the_input(chooser: Chooser, tmp_path: Path) -> None:
    inputs = [suite(tmp_path / "a/tests/inputs.jsonl")]
    assert chosen(chooser, suites=inputs, now=NOW) == [
        Place(tmp_path / "a/tests/output-20241217100000.jsonl", "beside"),
        [],
    ]


def test_standard_input_gets_its_default_file_in_the_working_directory(
    chooser: Chooser, tmp_path: Path
) -> None:
    journal = chooser.choose((), None, suites=[suite(None, "-")], now=NOW).journal
    assert journal == Place(tmp_path / "output-20241217100000.jsonl", "beside")


def test_each_of_several_suites_gets_its_default_file(chooser: Chooser, tmp_path: Path) -> None:
    suites = [suite(tmp_path / f"{name}/tests/in.jsonl", name) for name in ("a", "b")]
    choice = chooser.choose((), None, suites=suites, now=NOW)
    assert choice.suites == {
        name: Place(tmp_path / name / "tests/output-20241217100000.jsonl", "beside")
        for name in ("a", "b")
    }
    assert choice.journal == Place(tmp_path / "a/tests", "hidden")


def test_a_message_gets_no_default_file(chooser: Chooser) -> None:
    choice = chooser.choose((), None, suites=[suite(None, "message", message="hello")], now=NOW)
    assert choice.journal == Place(Path(tempfile.gettempdir()), "hidden")
    assert choice.suites == {}


def test_lines_on_standard_output_take_the_place_of_the_default_file(
    chooser: Chooser, tmp_path: Path
) -> None:
    inputs = [suite(tmp_path / "in.jsonl")]
    for choice in (
        chooser.choose((), None, suites=inputs, now=NOW, is_live=True),
        chooser.choose((), "lines", suites=inputs, now=NOW),
    ):
        assert choice.is_live
        assert choice.journal.how == "hidden"
        assert choice.pages == ()
    choice = chooser.choose(["a.jsonl"], None, suites=inputs, now=NOW, is_live=True)
    assert choice.is_live
    assert choice.journal == Place(tmp_path / "a.jsonl")


def test_a_reporter_by_word_writes_the_first_file(chooser: Chooser, tmp_path: Path) -> None:
    assert chosen(chooser, "a.jsonl", "b.ids", r="ids") == [
        Place(tmp_path, "hidden"),
        [("ids", "a.jsonl"), ("ids", "b.ids")],
    ]
    assert chosen(chooser, "a.xyz", "b.jsonl", r="report.lines") == [
        Place(tmp_path / "a.xyz"),
        [("lines", "b.jsonl")],
    ]


def test_a_reporter_by_word_without_a_file_writes_to_standard_output(
    chooser: Chooser, tmp_path: Path
) -> None:
    choice = chooser.choose((), "ids", suites=[suite(tmp_path / "in.jsonl")], now=NOW)
    assert [(page.reporter.word, page.path) for page in choice.pages] == [("ids", None)]
    assert choice.journal.how == "beside"
    with pytest.raises(ConfigError, match="-r ids: it and --json would both write"):
        chooser.choose((), "ids", is_live=True)


def test_a_reporter_that_shows_the_run_leaves_the_files_to_suffixes(
    chooser: Chooser, tmp_path: Path
) -> None:
    choice = chooser.choose(["a.ids"], "shows")
    assert [one.word for one in choice.streams] == ["shows"]
    assert [(page.reporter.word, page.name) for page in choice.pages] == [("ids", "a.ids")]


@pytest.mark.parametrize(
    ("outputs", "reporter", "message"),
    [
        (
            ["report.html"],
            None,
            "-o report.html: no reporter writes .html files; use a suffix of an installed"
            " reporter, or name one with -r: crashes (.crash), ids (.ids .txt), lines (.jsonl)",
        ),
        (["report"], None, "-o report: the name has no suffix; use a suffix"),
        (["folder"], "ids", "-o folder: it is a folder; name a file in it"),
        (["new.ids/"], None, "-o new.ids/: it is a folder"),
        (["a.ids", "./x/../a.ids"], None, "-o ./x/../a.ids: it is written by another -o too"),
        (["in.jsonl"], None, "-o in.jsonl: it is a file of cases too; name another file"),
        (["-"], "ids", "-o '-': name a file; without -o, -r NAME writes to standard output"),
        ([""], None, "-o '': name a file"),
        (["x" * 300 + ".ids"], None, f"-o {'x' * 300}.ids: [Errno 36] File name too long"),
        (["a\0.ids"], None, "-o a\0.ids: "),
        (["a.ids"], "shwos", "-r shwos: there is no such reporter; did you mean 'shows'?"),
    ],
)
def test_what_is_wrong_is_told(
    chooser: Chooser, tmp_path: Path, outputs: list[str], reporter: str | None, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "x").mkdir()
    (tmp_path / "in.jsonl").write_text("")
    with pytest.raises(ConfigError) as raised:
        chooser.choose(outputs, reporter, suites=[suite(tmp_path / "in.jsonl")], now=NOW)
    assert str(raised.value).startswith(message)


def test_a_broken_reporter_says_why(tmp_path: Path) -> None:
    chooser = Chooser(installed=[], cwd=tmp_path, why_missing={"html": "it cannot be imported"}.get)
    with pytest.raises(ConfigError, match=r"-r report\.html: it cannot be imported"):
        chooser.choose([], "report.html")


def test_ours_keeps_a_suffix_and_strangers_must_be_named(
    tmp_path: Path, reporters: dict[str, Any], install: Callable[..., InstalledReporter]
) -> None:
    strangers = [
        install(type("Stranger", (reporters["ids"],), {"name": name}), f"assay-{name}")
        for name in ("other", "third")
    ]
    ours = install(reporters["ids"])
    mixed = Chooser(installed=[strangers[0], ours, strangers[1]], cwd=tmp_path)
    assert mixed.by_suffix("a.ids").word == "ids"
    alone = Chooser(installed=strangers, cwd=tmp_path)
    with pytest.raises(ConfigError) as raised:
        alone.by_suffix("a.ids")
    assert str(raised.value) == (
        "-o a.ids: other of assay-other 1.0 and third of assay-third 1.0 write such files;"
        " choose one with -r"
    )


def test_without_the_reporter_of_lines_there_is_no_default_file(
    tmp_path: Path, reporters: dict[str, Any], install: Callable[..., InstalledReporter]
) -> None:
    chooser = Chooser(installed=[install(reporters["ids"])], cwd=tmp_path)
    choice = chooser.choose((), None, suites=[suite(tmp_path / "in.jsonl")], now=NOW)
    assert choice.journal.how == "hidden"


def test_a_device_is_a_page_and_never_the_journal(chooser: Chooser) -> None:
    choice = chooser.choose(["/dev/null"], "lines")
    assert choice.journal == Place(Path(tempfile.gettempdir()), "hidden")
    assert [page.name for page in choice.pages] == ["/dev/null"]


def test_pages_of_a_run_that_is_over(chooser: Chooser, tmp_path: Path) -> None:
    pages = chooser.pages(["a.jsonl", "b.ids"], None)
    assert [(page.reporter.word, page.path) for page in pages] == [
        ("lines", tmp_path / "a.jsonl"),
        ("ids", tmp_path / "b.ids"),
    ]
    assert [page.path for page in chooser.pages([], "lines")] == [None]
    with pytest.raises(ConfigError, match="nothing to write"):
        chooser.pages([], None)
    with pytest.raises(ConfigError, match="-r shows: it shows a run as it happens"):
        chooser.pages(["a.ids"], "shows")
