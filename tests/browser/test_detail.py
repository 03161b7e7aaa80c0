from __future__ import annotations

import json
from typing import TYPE_CHECKING

from attrs import evolve
from playwright.sync_api import expect

import report_samples as samples
from assay import ABSENT, Exchange, Message, Request, Response, Try

if TYPE_CHECKING:
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make


def test_a_failed_check_stands_with_its_message_before_those_that_passed(
    show: Show, make: Make
) -> None:
    panel = show(samples.mixed(make)).open("capital")
    checks = panel.get_by_role("region", name="Checks")
    expect(checks.locator(".check").first).to_contain_text("contains", use_inner_text=True)
    expect(checks).to_contain_text('"Paris" not found', use_inner_text=True)
    assert 'found "order"' not in checks.inner_text()
    checks.get_by_text("1 check passed").click()
    expect(checks).to_contain_text('found "order"', use_inner_text=True)


def test_expected_and_actual_are_set_against_each_other(show: Show, make: Make) -> None:
    panel = show(samples.mixed(make)).open("letter")
    diff = panel.get_by_role("group", name="Expected against actual")
    assert diff.locator(".line.expected").inner_text().split() == [
        "−",
        "expected:",
        "it",
        "is",
        "two",
    ]
    assert diff.locator(".line.actual mark").inner_text() == "TWO"
    panel.get_by_text("Whole values").click()
    assert panel.locator(".side.expected pre").inner_text() == "one\nit is two\nthree"


def test_a_conversation_is_shown_as_it_happened(show: Show, make: Make) -> None:
    panel = show(samples.mixed(make)).open("order")
    bubbles = panel.get_by_role("region", name="Conversation").locator(".bubble")
    texts = [" ".join(text.split()) for text in bubbles.all_inner_texts()]
    assert texts[0] == "System Be brief."
    assert texts[1] == "User Where is my order?"
    assert texts[2] == "Reasoning"
    assert texts[3].startswith("Tool call")
    assert "find_order" in texts[3]
    assert texts[4].startswith("Agent")
    bubbles.nth(2).get_by_text("Reasoning").click()
    expect(bubbles.nth(2)).to_contain_text("I look the order up.", use_inner_text=True)
    bubbles.nth(3).get_by_text("find_order").click()
    expect(bubbles.nth(3)).to_contain_text("4711", use_inner_text=True)
    bubbles.nth(3).get_by_text("sent").wait_for()


def test_several_turns_show_what_was_new_in_each(show: Show, make: Make) -> None:
    first = Message(content="One?")
    said = Message(role="assistant", content="One!")
    turns = (
        Exchange(request=Request(messages=(first,)), response=Response(text="One!")),
        Exchange(
            request=Request(messages=(first, said, Message(content="Two?"))),
            response=Response(text="Two!"),
        ),
    )
    attempt = evolve(make.attempt(output="Two!"), exchanges=turns)
    panel = show(make.report([make.result("talk", attempts=[attempt])])).open("talk")
    said_in_all = panel.get_by_role("region", name="Conversation").inner_text().split("\n")
    shown = [line for line in said_in_all if line in ("One?", "One!", "Two?", "Two!")]
    assert shown == ["One?", "One!", "Two?", "Two!"]
    assert "Turn 2" in said_in_all


def test_an_answer_is_rendered_raw_and_as_a_tree(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    panel = opened.open("order")
    assert panel.locator(".markdown strong").inner_text() == "Monday"
    link = panel.locator(".markdown a")
    assert link.get_attribute("rel") == "noopener noreferrer nofollow"
    panel.get_by_role("button", name="Raw").click()
    expect(panel.locator(".output pre")).to_contain_text("**Monday**", use_inner_text=True)
    opened.page.keyboard.press("Escape")
    panel = opened.open("free")
    assert panel.get_by_role("button", name="JSON", pressed=True).is_visible()
    expect(panel.locator(".output .tree")).to_contain_text("{ 1 }", use_inner_text=True)
    panel.get_by_role("button", name="Raw").click()
    assert json.loads(panel.locator(".output pre").inner_text()) == {"a": [1, {}]}


def test_usage_model_and_notes_are_shown_where_they_are_known(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    text = opened.open("order").inner_text()
    for words in ("model-x", "812 in, 143 out, 955 in all", "the answer was cut", "chat-7"):
        assert words in text
    opened.page.keyboard.press("Escape")
    assert "Tokens" not in opened.open("alpha").inner_text()


def test_an_error_is_highlighted_with_the_tries_before_it(show: Show, make: Make) -> None:
    tried = [Try(error="503: busy", waited_ms=2_000, duration_ms=40)]
    attempt = make.attempt("error", output=ABSENT, error="the server is down", tries=tried)
    panel = show(make.report([make.result("bad", attempts=[attempt])])).open("bad")
    expect(panel.get_by_role("region", name="Error")).to_contain_text(
        "the server is down", use_inner_text=True
    )
    expect(panel).to_contain_text("503: busy after 40 ms, then waited 2 s", use_inner_text=True)
    expect(panel).to_contain_text("No answer came.", use_inner_text=True)


def test_a_skipped_case_says_why_and_what_it_would_have_asked(show: Show, make: Make) -> None:
    text = show(samples.mixed(make)).open("later").inner_text()
    assert "Skipped: not today" in text
    assert "What is the weather?" in text


def test_runs_stand_side_by_side_with_equal_outputs_grouped(show: Show, make: Make) -> None:
    opened = show(samples.wavering(make))
    panel = opened.open("wavering")
    columns = panel.locator(".variant")
    heads = [" ".join(text.split()) for text in columns.locator("header").all_inner_texts()]
    assert heads == [
        "A 3 of 5 runs runs 1, 3, 5 3 passed",
        "B 1 of 5 runs run 2 0 passed",
        "C 1 of 5 runs run 4 0 passed",
    ]
    assert columns.nth(0).locator(".markdown strong").inner_text() == "Paris"
    expect(panel.get_by_role("region", name="Runs")).to_contain_text("60.0%", use_inner_text=True)
    panel.get_by_role("button", name="Run 4: Failed").click()
    panel.get_by_role("region", name="Checks of run 4").wait_for()
    expect(panel.get_by_role("region", name="Conversation of run 4")).to_contain_text(
        "Berlin", use_inner_text=True
    )
    assert opened.fragment == "#case=3&run=4"


def test_equal_outputs_are_said_to_be_equal(show: Show, make: Make) -> None:
    panel = show(samples.wavering(make)).open("steady")
    expect(panel).to_contain_text("All runs gave the same output.", use_inner_text=True)


def test_the_case_can_be_copied_as_a_line_of_a_case_file(show: Show, make: Make) -> None:
    opened = show(samples.mixed(make))
    panel = opened.open("order")
    opened.page.evaluate("document.addEventListener('copy', () => window.copied = true)")
    panel.get_by_role("button", name="Copy as case").click()
    panel.get_by_role("button", name="Copied").wait_for()
    search = opened.page.locator("#search")
    search.focus()
    opened.page.keyboard.press("Control+V")
    result = next(one for one in samples.mixed(make).results if one.case.id == "order")
    assert json.loads(search.input_value()) == result.case.raw


def test_numbers_keep_their_digits(show: Show, make: Make) -> None:
    big = 2**70 + 1
    opened = show(make.report([make.result("big", attempts=[make.attempt(output={"n": big})])]))
    panel = opened.open("big")
    assert str(big) in panel.locator(".output").inner_text()


def test_a_long_answer_is_shown_in_pieces(show: Show, make: Make) -> None:
    attempt = make.attempt(output="x" * 50_000 + "END")
    panel = show(make.report([make.result("long", attempts=[attempt])])).open("long")
    assert "END" not in panel.inner_text()
    panel.get_by_role("button", name="Show more").click()
    expect(panel).to_contain_text("END", use_inner_text=True)


def test_cases_that_say_little_are_shown_too(show: Show, make: Make) -> None:
    results = samples.numbered(
        [
            make.result(" "),
            make.result("null", attempts=[make.attempt(output=None)]),
            make.result("empty", attempts=[make.attempt(output="")]),
            make.result("stopped", attempts=[make.attempt()], several=True, incomplete=True),
        ]
    )
    opened = show(make.report(results))
    expect(opened.open("null").locator(".output")).to_contain_text("null", use_inner_text=True)
    opened.page.keyboard.press("Escape")
    expect(opened.open("empty").locator(".output")).to_contain_text("(empty)", use_inner_text=True)
    opened.page.keyboard.press("Escape")
    expect(opened.open("stopped")).to_contain_text("Incomplete", use_inner_text=True)
