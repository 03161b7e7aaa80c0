from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

import pytest
from playwright.sync_api import expect

import report_samples as samples
from assay.testing.runs import hostile_report

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from tests.browser.conftest import Opened, Show
    from tests.unit.reporters.conftest import Make

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")

Theme = Literal["light", "dark"]


def violations(page: Page) -> list[str]:
    """What axe finds wrong, WCAG AA and its best practices."""
    page.evaluate(AXE)
    # As a string it would be refused by the policy of the page, which is as it should be.
    found: Any = page.evaluate("() => axe.run()")
    return [
        f"{violation['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def as_it_is(_opened: Opened) -> None:
    pass


def with_a_result(opened: Opened) -> None:
    opened.page.keyboard.press("j")
    opened.page.keyboard.press("Enter")
    opened.panel()
    opened.page.evaluate("document.querySelectorAll('#panel details').forEach(d => d.open = true)")


def with_a_menu(opened: Opened) -> None:
    opened.page.get_by_role("group", name="Filters").get_by_text("Tags").click()


def with_the_keys(opened: Opened) -> None:
    opened.page.keyboard.press("?")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("state", "width"),
    [
        *((state, width) for state in (as_it_is, with_a_result) for width in (360, 1024, 1600)),
        (with_a_menu, 1024),
        (with_the_keys, 1024),
    ],
)
def test_axe_finds_nothing(
    show: Show, make: Make, theme: Theme, width: int, state: Callable[[Opened], None]
) -> None:
    opened = show(samples.mixed(make), theme=theme, width=width)
    state(opened)
    assert violations(opened.page) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_runs_suites_and_empty_views(
    show: Show, make: Make, theme: Theme
) -> None:
    for report, fragment in (
        (samples.wavering(make), "#case=3"),
        (samples.in_two_suites(make), "#case=2"),
        (samples.mixed(make), "#q=zebra"),
        (make.report([], stopped="interrupted"), ""),
        (hostile_report(), ""),
    ):
        assert violations(show(report, fragment, theme=theme).page) == []


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_the_theme_is_the_systems_until_it_is_chosen(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make), theme="dark")
    dark = background(opened.page)
    opened.page.get_by_label("Theme").select_option("Light")
    light = background(opened.page)
    assert dark != light
    opened.goto("")
    assert background(opened.page) == light
    opened.page.get_by_label("Theme").select_option("System")
    assert background(opened.page) == dark
    opened.page.emulate_media(color_scheme="light")
    assert background(opened.page) == light


@pytest.mark.parametrize("width", [320, 360, 700, 1024, 1600])
def test_nothing_is_wider_than_the_screen(show: Show, make: Make, width: int) -> None:
    for report, fragment in (
        (samples.mixed(make), ""),
        (samples.mixed(make), "#case=7"),
        (samples.wavering(make), "#case=3"),
        (samples.in_two_suites(make), ""),
        (hostile_report(), "#case=1"),
    ):
        page = show(report, fragment, width=width, height=700).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        panel = "(node => node.scrollWidth <= node.clientWidth)(document.getElementById('panel'))"
        assert page.evaluate(panel)


def test_on_a_phone_a_row_says_what_matters_and_opens_by_touch(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make), width=360, height=700, touch=True)
    row = opened.page.locator("#table .row", has_text="capital")
    for words in ("Failed", "capital", '"Paris" not found', "900 ms"):
        assert row.get_by_text(words).is_visible()
    row.get_by_text("Failed").tap()
    panel = opened.panel()
    assert panel.bounding_box()["width"] == 360
    panel.get_by_role("button", name="Close").tap()
    panel.wait_for(state="hidden")
    opened.page.get_by_label("Sort").select_option("-duration")
    assert opened.ids[0] == "slow"


def test_numbers_and_dates_are_the_readers(show: Show, make: Make) -> None:
    head = show(samples.mixed(make), locale="de-DE").page.locator("header").inner_text()
    assert "17.12.2024" in head
    assert "55,6%" in head


@pytest.mark.parametrize(("id", "direction"), [("عربي", "rtl"), ("日本語", "ltr")])
def test_other_scripts_have_their_own_direction(
    show: Show, make: Make, id: str, direction: str
) -> None:
    panel = show(samples.mixed(make)).open(id)
    for place in ("h2", ".output pre"):
        style = panel.locator(place).evaluate("node => getComputedStyle(node).direction")
        assert style == direction


def on_paper(opened: Opened) -> Page:
    """The page as it is when it is printed."""
    opened.page.emulate_media(media="print")
    return opened.page


def test_the_printed_table_has_all_rows(show: Show, make: Make) -> None:
    opened = show(samples.many(make, 400), "#status=failed")
    opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page = on_paper(opened)
    assert page.locator("#paper .row").count() == 40
    assert page.locator("#paper .row").last.is_visible()
    assert not page.locator("#toolbar").is_visible()
    assert not page.locator("#table").is_visible()
    opened.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("#paper .row").count() == 0


def test_all_results_are_printed_opened_on_request(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.page.evaluate("window.print = () => window.printed = (window.printed ?? 0) + 1")
    opened.page.get_by_text("Print", exact=True).click()
    opened.page.get_by_role("button", name="All results opened").click()
    opened.page.wait_for_function("() => window.printed >= 1", polling=50)
    assert opened.page.evaluate("window.printed") == 1
    page = on_paper(opened)
    titles = page.locator("#paper h2").all_inner_texts()
    assert len(titles) == 10
    assert titles[0] == "capital"
    for words in ('"Paris" not found', "I look the order up.", "find_order", "not today"):
        assert page.locator("#paper").get_by_text(words).first.is_visible()
    assert page.pdf()[:5] == b"%PDF-"


# Charts


def charts(page: Page) -> dict[str, str]:
    """The charts that are shown, each with its words."""
    return {
        str(figure.locator("figcaption").inner_text()): str(
            figure.get_by_role("img").get_attribute("aria-label")
        )
        for figure in page.locator("#charts figure").all()
    }


def test_charts_say_in_words_what_they_show(show: Show, make: Make) -> None:
    shown = charts(show(samples.mixed(make)).page)
    assert shown["Status"] == (
        "Status of 10 cases: 5 passed, 2 failed, 1 error, 1 timeout, 1 skipped."
    )
    assert shown["Duration"].startswith("Durations of 9 cases: half took up to 70 ms")
    assert set(shown) == {"Status", "Duration"}


def test_charts_of_several_runs(show: Show, make: Make) -> None:
    opened = show(samples.wavering(make))
    shown = charts(opened.page)
    assert shown["Stability"] == (
        "Stability of 4 cases: 1 stable, 1 mostly stable, 1 unstable, 1 highly unstable."
    )
    assert "the lowest: failing 0.0%, wavering 60.0%, mostly 80.0%" in shown["Pass rate by case"]
    assert "steady 100 ms to 500 ms" in shown["Duration over runs"]
    opened.page.locator("#charts .mark", has_text="wavering").first.hover()
    tip = opened.page.locator(".tip")
    expect(tip).to_contain_text("60.0%: 3 of 5 runs passed", use_inner_text=True)
    opened.page.locator("#charts .mark", has_text="wavering").first.click()
    assert opened.panel().locator("h2").inner_text() == "wavering"


def test_a_mark_of_a_chart_filters(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    opened.page.locator("#charts .mark", has_text="Timeout").click()
    opened.shows("1 of 10 cases")
    assert opened.fragment == "#status=timeout"


def test_there_is_no_chart_where_there_is_nothing_to_see(show: Show, make: Make) -> None:
    opened = show(make.report([make.result("only")]))
    assert not opened.page.locator("#charts").is_visible()


@pytest.mark.parametrize("width", [420, 760, 1100, 1400])
def test_filters_stand_beside_each_other(show: Show, make: Make, width: int) -> None:
    opened = show(samples.mixed(make), "#case=1", width=width)
    opened.panel()
    if width < 1181:
        opened.page.keyboard.press("Escape")
    filters = opened.page.get_by_role("group", name="Filters")
    boxes = [button.bounding_box() for button in filters.locator("> *").all()]
    tops = {round(box["y"]) for box in boxes if box is not None}
    assert len(boxes) >= 4
    assert len(tops) <= 3


def test_columns_that_are_shown_can_be_read_in_a_window_of_middling_width(
    show: Show, make: Make
) -> None:
    opened = show(samples.wavering(make), width=760)
    cells = opened.page.locator("#table .head .cell:visible, #table [role=columnheader]:visible")
    widths = [box["width"] for cell in cells.all() if (box := cell.bounding_box()) is not None]
    assert len(widths) >= 4
    assert min(widths) >= 60
