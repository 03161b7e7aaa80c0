"""The JSON report and the lines, as files that others read."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from assay.contracts import PageReporter
from assay.journal.file import Place
from assay.journal.read import read_journal
from assay.journal.write import Journal
from assay.model.report import Report
from assay.model.result import CaseResult
from assay.reports.sink import page_file
from assay_plugins.reporters.json import Json
from assay_plugins.reporters.jsonl import Jsonl


def test_a_case_on_its_own_is_its_entry_in_the_report(
    report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    one = result(0, output={"deep": [["é", 10**30]]})
    out = io.StringIO()
    Json().write_case(one, out)
    assert json.loads(out.getvalue()) == read(report(one))["results"][0]
    assert out.getvalue().startswith('{\n  "id": "T000",\n')


HOSTILE = ["\ud800", "\x1b[31m", "\u2028", "</script>", '"', "\\", "\x00", "🎉" * 1000, "NaN"]


def text_of(reporter: PageReporter, report: Report) -> str:
    out = io.StringIO()
    reporter.write(report, out)
    return out.getvalue()


def read(report: Report) -> Any:
    return json.loads(text_of(Json(), report))


def test_the_json_report_has_exactly_the_parts_of_the_design(
    report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    whole = read(report(result(0), result(1, status="failed"), result(2, status="skipped")))
    assert list(whole) == ["summary", "environment", "results", "skipped", "metadata"]
    summary = whole["summary"]
    assert "type" not in summary
    for name, value in {
        "total": 3,
        "passed": 1,
        "failed": 1,
        "skipped": 1,
        "duration_ms": 12,
        "agent_id": "keyword",
        "connector": None,
        "runs_per_case": 1,
        "overall_pass_rate": 50.0,
        "errors": 0,
        "timeouts": 0,
        "unasserted": 0,
    }.items():
        assert summary[name] == value
    assert whole["environment"]["user_id"] == "test-user"
    assert whole["skipped"] == [
        {"id": "T002", "reason": "it says skip", "suite": "tests/inputs.jsonl"}
    ]
    assert whole["metadata"] == {
        "started_at": "2024-12-17T10:00:00Z",
        "completed_at": "2024-12-17T10:00:12Z",
        "version": "1.0",
        "parallel": 1,
    }


def test_each_result_has_the_keys_of_the_design_null_where_there_is_nothing(
    report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    [entry] = read(report(result(0)))["results"]
    assert list(entry.items())[:7] == [
        ("id", "T000"),
        ("status", "passed"),
        ("input", "question 0"),
        ("output", "fine"),
        ("expected", None),
        ("duration_ms", 5),
        ("error", None),
    ]
    assert "type" not in entry
    assert entry["assertions"] == []
    assert entry["pass_rate"] == 100.0


def test_a_run_without_results_is_valid_json(report: Callable[..., Report]) -> None:
    whole = read(report())
    assert whole["results"] == whole["skipped"] == []


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize(("status", "code"), [("passed", 0), ("failed", 1)])
def test_the_step_of_the_design_works_as_printed(
    tmp_path: Path,
    report: Callable[..., Report],
    result: Callable[..., CaseResult],
    runs: int,
    status: str,
    code: int,
) -> None:
    path = tmp_path / "report.json"
    whole = report(
        result(0, runs=runs), result(1, status=status, runs=runs), result(2, status="skipped")
    )
    with page_file(path, str) as out:
        Json().write(whole, out)
    done = subprocess.run(
        ["jq", "-e", ".results | all(.pass_rate >= 80)", str(path)],
        check=False,
        capture_output=True,
    )
    assert done.returncode == code


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_in_its_place(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult], text: str
) -> None:
    whole = report(result(0, text), result(1, {text: [text]}))
    for reporter in (Json(), Jsonl()):
        path = tmp_path / "report"
        with page_file(path, str) as out:
            reporter.write(whole, out)
        written = path.read_bytes().decode()
        assert "\x1b" not in written
        assert len(written.splitlines()) == written.count("\n")
        entries = (
            json.loads(written)["results"]
            if isinstance(reporter, Json)
            else [json.loads(line) for line in written.splitlines()[1:3]]
        )
        assert [entry["output"] for entry in entries] == [text, {text: [text]}]


def test_neither_report_holds_the_results(
    report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    """Each result can be written before the next is read."""
    big = result(0, "x" * 1000)
    out = io.StringIO()
    lags: list[int] = []

    def cases() -> Iterator[CaseResult]:
        for index in range(100):
            yield evolve(big, index=index)
            lags.append((index + 1) * 1000 - out.tell())

    for reporter in (Json(), Jsonl()):
        reporter.write(evolve(report(), read=cases), out)
        assert max(lags) <= 0
        out.seek(0)
        out.truncate()
        lags.clear()


def test_lines_that_were_written_again_are_those_of_the_run(
    tmp_path: Path, report: Callable[..., Report], result: Callable[..., CaseResult]
) -> None:
    whole = report(
        result(0, runs=2), result(1, "no", status="failed", runs=2), result(2, status="skipped")
    )
    path = tmp_path / "run.jsonl"
    with Journal(Place(path), told=print) as journal:
        journal.start(whole.info)
        for one in whole.cases:
            for attempt in one.attempts:
                journal.attempt(one, attempt)
            journal.result(one)
        journal.finish(whole.summary, exit_code=whole.exit_code)
    again = text_of(Jsonl(), read_journal(path).report)
    assert again == path.read_text(encoding="utf-8")
