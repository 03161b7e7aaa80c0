from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

import report_samples as samples
from assay import to_json
from assay.jsonvalue import LINE_DEPTH, loads
from assay.testing.runs import hostile_report

if TYPE_CHECKING:
    from tests.browser.conftest import Opened, Show
    from tests.unit.reporters.conftest import Make


def exported(opened: Opened, name: str) -> tuple[str, str]:
    """Choose a format in the menu: the name of the file and its text."""
    opened.page.get_by_text("Export", exact=True).click()
    with opened.page.expect_download() as downloading:
        opened.page.get_by_role("button", name=name, exact=False).first.click()
    download = downloading.value
    return download.suggested_filename, Path(download.path()).read_bytes().decode("utf-8")


def test_json_lines_are_those_of_the_run(show: Show, make: Make) -> None:
    report = samples.mixed(make)
    name, text = exported(show(report, "#sort=order"), "JSON lines")
    assert name == "keyword-2024-12-17.jsonl"
    assert [json.loads(line) for line in text.splitlines()] == [
        to_json(result) for result in report.cases
    ]


def test_json_holds_what_is_shown_in_its_order(show: Show, make: Make) -> None:
    name, text = exported(show(samples.mixed(make), "#status=failed&sort=-duration"), "JSON .json")
    assert name.endswith(".json")
    found: list[dict[str, Any]] = json.loads(text)
    assert [result["id"] for result in found] == ["capital", "letter"]


def test_nothing_shown_is_an_empty_list(show: Show, make: Make) -> None:
    assert json.loads(exported(show(samples.mixed(make), "#q=zebra"), "JSON .json")[1]) == []


def test_csv_has_a_row_per_result(show: Show, make: Make) -> None:
    name, text = exported(show(samples.mixed(make), "#sort=order"), "CSV")
    assert name.endswith(".csv")
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    assert [row["id"] for row in rows][:3] == ["alpha", "capital", "letter"]
    assert rows[1]["status"] == "failed"
    assert rows[1]["duration_ms"] == "900"
    assert rows[1]["tags"] == "smoke geo"
    assert rows[1]["input"] == "What is the capital of France?"
    assert rows[1]["output"] == "Lyon"
    assert rows[2]["output"] == "one\nit is TWO\nthree"
    assert json.loads(rows[7]["output"]) == {"a": [1, {}]}
    assert rows[5]["reason"] == "not today"


def test_markdown_is_a_table_and_a_section_per_failure(show: Show, make: Make) -> None:
    name, text = exported(show(samples.mixed(make)), "Markdown")
    assert name.endswith(".md")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [
        tokens[place + 1].content for place, one in enumerate(tokens) if one.type == "heading_open"
    ]
    assert headings == [
        "Results of keyword",
        "capital: Failed",
        "letter: Failed",
        "broken: Error",
        "slow: Timeout",
    ]
    assert sum(one.type == "tr_open" for one in tokens) == 11


def test_numbers_keep_their_digits(show: Show, make: Make) -> None:
    big = 10**40 + 1
    report = make.report([make.result(attempts=[make.attempt(output={"n": big})])])
    assert json.loads(exported(show(report), "JSON .json")[1])[0]["output"] == {"n": big}
    rows = list(csv.DictReader(io.StringIO(exported(show(report), "CSV")[1])))
    assert json.loads(rows[0]["output"]) == {"n": big}


@pytest.fixture
def hostile(show: Show) -> Opened:
    """The report of a hostile run."""
    return show(hostile_report(), "#sort=order&group=off")


def test_hostile_results_come_out_as_they_were(hostile: Opened) -> None:
    lines = exported(hostile, "JSON lines")[1].split("\n")
    results = [to_json(result) for result in hostile_report().cases]
    assert [loads(line, max_depth=LINE_DEPTH) for line in lines[:-1]] == results
    assert loads(exported(hostile, "JSON .json")[1], max_depth=LINE_DEPTH) == results


def test_hostile_answers_are_no_formulas(hostile: Opened) -> None:
    text = exported(hostile, "CSV")[1].removeprefix("\ufeff")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 1 + sum(1 for _ in hostile_report().cases)
    assert {len(row) for row in rows} == {15}
    assert [cell for row in rows for cell in row if cell.strip()[:1] in tuple("=+-@")] == []


def test_hostile_answers_are_no_markdown(hostile: Opened) -> None:
    text = exported(hostile, "Markdown")[1]
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    failed = [one for one in hostile_report().results if one.status != "passed"]
    headings = [one for one in tokens if one.type == "heading_open"]
    assert len(headings) == 1 + len(failed)
    kinds = {child.type for one in tokens for child in one.children or ()}
    assert not kinds & {"link_open", "image", "html_inline"}
    assert not {one.type for one in tokens} & {"html_block", "hr", "ordered_list_open"}
