"""What the page says of answers that come from a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve
from playwright.sync_api import expect

import report_samples as samples
from assay import AgentInfo

if TYPE_CHECKING:
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make

    from assay import Report


def report(make: Make) -> Report:
    """A run in which one case was replayed, and one was not."""
    replayed = evolve(make.attempt(ms=1500), replayed=True)
    several = [evolve(make.attempt(number=number), replayed=True) for number in (1, 2)]
    results = samples.numbered(
        [
            make.result("old", attempts=[replayed]),
            make.result("twice", attempts=several),
            make.result("new", attempts=[make.attempt(ms=20)]),
        ]
    )
    suite = evolve(make.suite(cases=3), info=AgentInfo(replayed="<b>run</b>.rec"))
    return make.report(results, make.info([suite]))


def test_the_head_names_the_record(show: Show, make: Make) -> None:
    opened = show(report(make))
    notices = opened.page.locator(".notices").inner_text()
    assert "Replayed. Answers and their durations come from <b>run</b>.rec" in notices
    assert "Replayed" not in show(samples.mixed(make)).page.locator("#head").inner_text()
    assert opened.problems == []


def test_a_row_and_its_detail_are_marked(show: Show, make: Make) -> None:
    opened = show(report(make))
    marks = opened.page.locator("#table .row .why").all_inner_texts()
    assert [mark.strip() for mark in marks[1:]] == ["replayed", "replayed", ""]
    expect(opened.open("old").locator(".facts-line")).to_contain_text(
        "1.5 s, replayed", use_inner_text=True
    )
    opened.goto("#case=3")
    assert "replayed" not in opened.panel().locator(".facts-line").inner_text()


def test_each_run_is_marked(show: Show, make: Make) -> None:
    panel = show(report(make)).open("twice")
    told = panel.locator("button.run").first.get_attribute("aria-label")
    assert told == "Run 1: Passed, 234 ms, replayed"
