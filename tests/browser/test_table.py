from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

import report_samples as samples

if TYPE_CHECKING:
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make


FAILED_FIRST = [
    "capital",
    "letter",
    "broken",
    "slow",
    "alpha",
    "order",
    "free",
    "عربي",
    "日本語",
    "later",
]


def test_failures_stand_first(show: Show, make: Make) -> None:
    assert show(samples.mixed(make)).ids == FAILED_FIRST


def test_the_head_says_what_was_run_and_how_it_went(show: Show, make: Make) -> None:
    head = show(samples.mixed(make)).page.locator("header").inner_text()
    for words in (
        "keyword",
        "deepseek.v3",
        "test-user in test-team, en-us",
        "Dec 17, 2024, 10:00:00",
        "12.3 s",
        "assay test -i tests/inputs.jsonl",
        "55.6%",
        "passed, 5 of 9 cases that ran",
        "1 case has no check",
        "1 case did not run",
    ):
        assert words in head


def test_a_row_says_what_matters(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    rows = [" ".join(text.split()) for text in opened.page.locator(".rows .row").all_inner_texts()]
    assert rows[0] == 'Failed capital contains: "Paris" not found smoke geo 900 ms'
    assert rows[2] == "Error broken 503 5 ms"
    assert rows[6] == "Passed free no check 70 ms"
    assert rows[9] == "Skipped later not today"


@pytest.mark.parametrize(
    ("column", "first", "again"),
    [
        ("Case", "alpha", "日本語"),
        ("Duration", "slow", "broken"),
        ("First failing check", "broken", "slow"),
        ("Tags", "alpha", "capital"),
        ("Status", "later", "capital"),
    ],
)
def test_columns_sort_in_both_directions(
    show: Show, make: Make, column: str, first: str, again: str
) -> None:
    opened = show(samples.mixed(make))
    head = opened.page.get_by_role("columnheader", name=column)
    head.get_by_role("button").click()
    assert opened.ids[0] == first
    assert head.get_attribute("aria-sort") in ("ascending", "descending")
    head.get_by_role("button").click()
    assert opened.ids[0] == again


def test_rates_and_consistency_sort_when_there_are_runs(show: Show, make: Make) -> None:
    opened = show(samples.wavering(make))
    opened.page.get_by_role("columnheader", name="Pass rate").get_by_role("button").click()
    assert opened.ids == ["failing", "wavering", "mostly", "steady"]
    opened.page.get_by_role("columnheader", name="Consistency").get_by_role("button").click()
    assert opened.ids == ["wavering", "failing", "mostly", "steady"]
    text = opened.page.locator("#table .row", has_text="mostly").inner_text()
    assert "80.0%" in text
    assert "0.80" in text


def test_filters_by_status_and_takes_them_off_again(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    filters = opened.page.get_by_role("group", name="Filters")
    filters.get_by_role("button", name="Failed").click()
    opened.shows("2 of 10 cases")
    assert opened.ids == ["capital", "letter"]
    filters.get_by_role("button", name="Error").click()
    opened.shows("3 of 10 cases")
    assert opened.fragment == "#status=failed,error"
    opened.page.get_by_role("button", name="Clear filters").click()
    opened.shows("10 cases")
    assert opened.fragment == ""


def test_filters_by_tag_and_unasserted(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    filters = opened.page.get_by_role("group", name="Filters")
    filters.get_by_text("Tags").click()
    filters.get_by_role("checkbox", name="geo").check()
    opened.shows("1 of 10 cases")
    assert opened.ids == ["capital"]
    filters.get_by_role("checkbox", name="geo").uncheck()
    opened.page.keyboard.press("Escape")
    filters.get_by_role("button", name="Unasserted").click()
    opened.shows("1 of 10 cases")
    assert opened.ids == ["free"]


def test_filters_by_stability_class(show: Show, make: Make) -> None:
    opened = show(samples.wavering(make))
    filters = opened.page.get_by_role("group", name="Filters")
    filters.get_by_text("Stability").click()
    filters.get_by_role("checkbox", name="Highly unstable").check()
    opened.shows("1 of 4 cases")
    assert opened.ids == ["failing"]
    assert opened.fragment == "#class=highly_unstable"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("capital of FRANCE", ["capital"]),
        ("good morning", ["alpha"]),
        ('"morning good"', []),
        ("503", ["broken"]),
        ("too slow", ["slow"]),
        ("مرحبا", ["عربي"]),
        ("発送", ["日本語"]),
        ("tracking", ["order"]),
        ("picture", ["order"]),
        ("not today", ["later"]),
    ],
)
def test_search_looks_at_input_output_and_error(
    show: Show, make: Make, words: str, found: list[str]
) -> None:
    opened = show(samples.mixed(make))
    opened.page.locator("#search").fill(words)
    opened.shows(f"{len(found)} of 10 cases")
    assert opened.ids == found


def test_nothing_found_says_so(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make), "#q=zebra")
    assert opened.page.get_by_text("No case matches").is_visible()
    opened.page.locator("#empty").get_by_role("button", name="Clear filters").click()
    opened.shows("10 cases")


def test_a_run_without_cases(show: Show, make: Make) -> None:
    opened = show(make.report([]))
    assert opened.page.get_by_text("This run had no cases").is_visible()
    assert not opened.page.locator("#charts").is_visible()


def test_a_view_can_be_sent_as_a_fragment(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make), "#status=passed&sort=-duration&q=o")
    assert opened.ids == ["order", "alpha"]
    assert opened.page.locator("#search").input_value() == "o"
    pressed = opened.page.get_by_role("button", name="Passed", pressed=True)
    assert pressed.is_visible()
    opened.goto("#tag=smoke&case=2")
    assert opened.ids == ["capital", "alpha"]
    assert opened.panel().locator("h2").inner_text() == "capital"


def test_an_odd_fragment_shows_the_page_as_it_is(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make), "#status=odd&sort=__proto__&case=9999&fold=x&%%%=1")
    assert opened.ids == FAILED_FIRST
    assert not opened.page.locator("#panel").is_visible()


def test_back_closes_what_was_opened(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.open("capital")
    assert opened.fragment == "#case=2"
    opened.page.go_back()
    opened.page.locator("#panel").wait_for(state="hidden")
    assert opened.fragment == ""


def test_of_many_rows_those_on_the_screen_are_made(show: Show, make: Make) -> None:
    opened = show(samples.many(make, 3_000))
    assert len(opened.ids) < 60
    assert opened.page.get_by_role("table").get_attribute("aria-rowcount") == "3001"
    opened.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    opened.row("T02999").wait_for()
    assert len(opened.ids) < 60


def test_suites_are_grouped_with_a_summary_each(show: Show, make: Make) -> None:
    opened = show(samples.in_two_suites(make))
    suites = opened.page.locator("#table .row.suite")
    assert suites.count() == 2
    expect(suites.nth(0)).to_contain_text("1 of 2 passed, 1 failed", use_inner_text=True)
    expect(suites.nth(1)).to_contain_text("66.7%", use_inner_text=True)
    assert opened.ids == ["A2", "A1", "B2", "B1", "B3"]
    suites.nth(0).get_by_role("button").click()
    assert opened.ids == ["B2", "B1", "B3"]
    assert opened.fragment == "#fold=0"
    opened.page.get_by_role("button", name="Group by suite").click()
    assert opened.ids == ["A2", "B2", "A1", "B1", "B3"]
    assert opened.page.locator("#table .row.suite").count() == 0
    assert "a/tests/inputs.jsonl" in opened.page.locator("#table .row").nth(1).inner_text()


def test_all_suites_are_folded_and_unfolded(show: Show, make: Make) -> None:
    opened = show(samples.in_two_suites(make))
    rows = len(opened.ids)
    fold = opened.page.get_by_role("button", name="Fold all suites")
    assert fold.get_attribute("aria-pressed") == "false"
    fold.click()
    assert opened.ids == []
    assert opened.fragment == "#fold=0,1"
    assert fold.get_attribute("aria-pressed") == "true"
    fold.click()
    assert len(opened.ids) == rows > 0
    assert opened.fragment == ""
    opened.page.get_by_role("button", name="Group by suite").click()
    assert fold.is_hidden()
