from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

import report_samples as samples

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def test_rows_are_walked_opened_and_closed_by_keys(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    page = opened.page
    page.keyboard.press("j")
    assert focused(page) == "capital"
    page.keyboard.press("j")
    assert focused(page) == "letter"
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    assert opened.panel().locator("h2").inner_text() == "capital"
    assert focused(page) == "capital"
    page.keyboard.press("j")
    page.get_by_role("heading", name="letter").wait_for()
    assert opened.fragment == "#case=3"
    page.keyboard.press("Escape")
    page.locator("#panel").wait_for(state="hidden")
    assert focused(page) == "letter"


def test_enter_opens_the_first_row_at_once(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.page.keyboard.press("Enter")
    assert opened.panel().locator("h2").inner_text() == "capital"


def test_the_ends_of_the_list_hold(show: Show, make: Make) -> None:
    opened = show(samples.in_two_suites(make))
    for _ in range(9):
        opened.page.keyboard.press("j")
    assert focused(opened.page) == "B3"
    for _ in range(9):
        opened.page.keyboard.press("k")
    assert focused(opened.page) == "A2"


def test_slash_searches_and_escape_leaves(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    page = opened.page
    page.keyboard.press("/")
    page.keyboard.type("jk/ Lyon")
    opened.shows("0 of 10 cases")
    page.keyboard.press("Escape")
    opened.shows("10 cases")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert focused(page) == "capital"


def test_keys_walk_through_rows_that_are_not_on_the_screen(show: Show, make: Make) -> None:
    opened = show(samples.many(make, 500), "#sort=order")
    for _ in range(60):
        opened.page.keyboard.press("j")
    assert focused(opened.page) == "T00059"
    assert opened.row("T00059").is_visible()
    box = opened.row("T00059").bounding_box()
    assert 0 < box["y"] < 900


def test_the_tab_key_reaches_one_row_and_all_controls(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    links = opened.page.locator("#table .row .name")
    reachable = [link.get_attribute("tabindex") for link in links.all()]
    assert reachable.count("0") == 1
    seen: list[str] = []
    for _ in range(40):
        opened.page.keyboard.press("Tab")
        seen.append(focused(opened.page).strip())
    for name in ("To the results", "Copy", "Failed2", "Tags", "Export", "Print", "Case", "capital"):
        assert name in seen


def test_the_keys_are_listed(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.page.keyboard.press("?")
    dialog = opened.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("open the case", use_inner_text=True)
    opened.page.keyboard.press("j")
    opened.page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_menus_close_by_key_and_give_the_focus_back(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.page.get_by_text("Export", exact=True).click()
    opened.page.get_by_role("button", name="JSON lines").wait_for()
    opened.page.keyboard.press("Escape")
    assert not opened.page.get_by_role("button", name="JSON lines").is_visible()
    assert focused(opened.page) == "Export"
