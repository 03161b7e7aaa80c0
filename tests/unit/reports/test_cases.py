"""Cases in files of their own: whatever their names are, no file takes the place of another."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from assay.discovery.manager import make_plugins
from assay.errors import ConfigError, RunError
from assay.model.report import Report, SuiteInfo
from assay.model.result import CaseResult
from assay.reports.cases import case_reporter, folder_beside, write_each
from assay.reports.installed import InstalledReporter
from assay.testing import HOSTILE_TEXTS


class OnePage:
    """Writes a case as JSON: its suite, id and index."""

    name = "one"
    suffixes = (".one", ".other")

    def __init__(self, settings: object) -> None:
        self.settings = settings

    def write(self, report: Report, out: IO[str]) -> None: ...

    def write_case(self, result: CaseResult, out: IO[str]) -> None:
        out.write(json.dumps([result.suite, result.case.id, result.index]))


def installed(cls: Any = OnePage) -> InstalledReporter:
    return InstalledReporter(word="one", type=cls, distribution="other", version="1.0")


def named(result: CaseResult, name: str, index: int, suite: str = "tests/inputs.jsonl") -> Any:
    case = evolve(result.case, id=name)
    return evolve(result, case=case, index=index, suite=suite)


def with_suites(report: Report, *suites: str) -> Report:
    (first,) = report.info.suites
    infos: tuple[SuiteInfo, ...] = tuple(evolve(first, source=suite) for suite in suites)
    return evolve(report, info=evolve(report.info, suites=infos))


def files(folder: Path) -> dict[str, Any]:
    return {
        path.relative_to(folder).as_posix(): json.loads(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_file_has_the_name_of_its_case(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    whole = report(result(0), result(1, status="failed"), result(2, status="skipped"))
    assert write_each(whole, tmp_path / "new" / "folder", installed(), None) == 3
    assert files(tmp_path / "new" / "folder") == {
        f"T00{index}.one": ["tests/inputs.jsonl", f"T00{index}", index] for index in range(3)
    }


def test_suites_have_folders_where_there_are_several(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    one, two, odd = "a.jsonl", "A.jsonl", "../../c.jsonl"
    results = [
        named(result(0), "T001", index, suite) for index, suite in enumerate((one, two, odd))
    ]
    write_each(with_suites(report(*results), one, two, odd), tmp_path, installed(), None)
    found = files(tmp_path)
    assert found["a.jsonl/T001.one"] == [one, "T001", 0]
    assert sorted(value[2] for value in found.values()) == [0, 1, 2]
    folders = [name.partition("/")[0] for name in found]
    assert len({folder.casefold() for folder in folders}) == 3


NAMES = st.lists(
    st.text(st.sampled_from("abAB./\\:* é\x00\u202e")) | st.sampled_from([*HOSTILE_TEXTS.values()]),
    min_size=1,
    max_size=12,
)


@given(NAMES)
def test_every_case_has_a_file_of_its_own_on_any_disk(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    from tests.unit.reports.conftest import make_report, make_result

    folder = tmp_path_factory.mktemp("cases")
    results = [named(make_result(0), name, index) for index, name in enumerate(names)]
    assert write_each(make_report(*results), folder, installed(), None) == len(names)
    found = files(folder)
    assert sorted(value[2] for value in found.values()) == list(range(len(names)))
    assert len({name.casefold() for name in found}) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in found)


def test_an_id_that_comes_again_and_again_has_a_file_each_time(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    results = [named(result(0), "T001", index) for index in range(5)]
    write_each(report(*results), tmp_path, installed(), None)
    assert len(files(tmp_path)) == 5


def test_a_reporter_that_fails_is_named(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("no such key")

    bad = type("Bad", (OnePage,), {"write_case": fail})
    with pytest.raises(RunError, match=r"reporter one of other 1\.0 failed: KeyError"):
        write_each(report(result(0)), tmp_path, installed(bad), None)
    assert files(tmp_path) == {}


def test_a_folder_that_cannot_be_made(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(RunError, match="cannot be written"):
        write_each(report(result(0)), tmp_path / "taken", installed(), None)
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("run.jsonl", "run"),
        ("a/output-20260102.jsonl", "a/output-20260102"),
        ("run", "run-cases"),
        (".jsonl", ".jsonl-cases"),
    ],
)
def test_the_folder_beside_a_file(name: str, folder: str) -> None:
    assert folder_beside(Path(name)) == Path(folder)


def test_reporters_that_write_single_cases() -> None:
    plugins = make_plugins()
    assert case_reporter(plugins, "markdown").word == "markdown"
    assert case_reporter(plugins, "report.json").word == "json"
    with pytest.raises(ConfigError, match=r"--format markdwn: .* did you mean 'markdown'"):
        case_reporter(plugins, "markdwn")
    with pytest.raises(ConfigError, match="--format csv: no such reporter writes single cases"):
        case_reporter(plugins, "csv")
