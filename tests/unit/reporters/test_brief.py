"""Pages of bounded length: the summary of a Markdown report, and what it is made of."""

from __future__ import annotations

import io
import random
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.testing import HOSTILE_TEXTS, check_reporter, hostile_report, large_report
from assay_plugins.reporters._brief import Brief
from assay_plugins.reporters._first import FirstTexts
from assay_plugins.reporters._room import Page
from assay_plugins.reporters.markdown import Markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, Report

COMMENT = 65_536
"""Characters that GitHub takes of a comment."""


def write(report: Report) -> str:
    out = io.StringIO(newline="")
    Markdown(Markdown.Settings(summary_only=True)).write(report, out)
    return out.getvalue()


def page_of(report: Report, results: Iterable[CaseResult], most: int = 64_000) -> str:
    brief = Brief(report.info, most)
    for result in results:
        brief.add(result)
    return brief.page(report.summary)


def failing(make: Make, count: int, length: int = 0) -> list[CaseResult]:
    check = make.check(message="the sky is not green", expected="green " * length, actual="blue")
    attempt = make.attempt("failed", output="blue\n" + "x" * length, checks=[check])
    return [make.result(f"T{index:04}", attempts=[attempt], index=index) for index in range(count)]


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("brief.md", write(make.report(make.several_kinds())))


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    stopped = "--fail-fast: failing did not pass"
    same_as("brief-runs.md", write(make.report(make.several_runs(), stopped=stopped)))


def test_a_run_that_passed_is_its_figures(make: Make) -> None:
    text = write(make.report([make.result()]))
    assert "✅ **PASSED**: 1 passed in 12.3s" in text
    assert re.findall(r"^#+ .*", text, re.M) == ["# Agent Test Report", "## Summary"]


@pytest.mark.parametrize("length", [0, 300, 5_000])
def test_what_does_not_fit_is_left_out_whole_and_said(make: Make, length: int) -> None:
    text = write(make.report(failing(make, 1_000, length)))
    assert len(text) <= COMMENT
    assert "*800 more.*" in text
    rows = re.findall(r"^\| (T\d+) ", text, re.M)
    assert rows == [f"T{index:04}" for index in range(200)]
    sections = re.findall(r"^### ❌ (T\d+) ", text, re.M)
    assert 20 <= len(sections) <= 100
    assert sections == [f"T{index:04}" for index in range(len(sections))]
    left = 1_000 - len(sections)
    assert text.endswith(
        f"*Cut here: {left} more cases that did not pass, all in the whole report.*\n\n"
    )
    assert text.count("<details>") == text.count("</details>") == len(sections)


def test_a_long_section_does_not_keep_the_others_out(make: Make) -> None:
    checks = [make.check(message="漢" * 5_000, expected="漢" * 5_000, actual="字")] * 10
    long = make.result("long", attempts=[make.attempt("failed", checks=checks)], index=0)
    others = [make.result(f"T{index}", "failed", index=index) for index in range(1, 4)]
    text = page_of(make.report([long, *others]), [long, *others], 33_000)
    assert re.findall(r"^### ❌ (\w+)", text, re.M) == ["long", "T1", "T2", "T3"]
    assert text.count("*Too long to be shown here.*") == 1


def test_the_order_in_which_cases_end_does_not_matter(make: Make) -> None:
    results = [*failing(make, 300, 200), *make.several_runs()]
    for index, result in enumerate(results):
        object.__setattr__(result, "index", index)
    report = make.report(results, make.info([make.suite(cases=len(results), runs=3)]))
    expected = page_of(report, results)
    for seed in range(5):
        shuffled = list(results)
        random.Random(seed).shuffle(shuffled)
        assert page_of(report, shuffled) == expected


def test_hostile_content_stays_in_its_place_and_within_the_room(make: Make) -> None:
    results: list[CaseResult] = []
    for text in (*HOSTILE_TEXTS.values(), "x" * 10_000_000, "@" * 10_000_000, "\x1b" * 10_000_000):
        check = make.check(text[:50] or "equals", message=text, expected=text, actual=text + "!")
        attempt = make.attempt("failed", output=text, error=text, checks=[check])
        index = len(results)
        results.append(make.result(text[:10_000] or "x", attempts=[attempt], index=index))
        results.append(make.result(text or "x", "skipped", index=index + 1, reason=text))
    suites = [make.suite(text[:5_000], agent=text[:5_000]) for text in HOSTILE_TEXTS.values()]
    text = write(make.report(results, make.info(suites)))
    assert len(text) <= COMMENT
    text.encode()
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    found = [token.content for token in tokens if token.type == "html_block"]
    assert set(found) <= {
        "<details><summary>Input and output</summary>\n",
        "<details><summary>Input</summary>\n",
        "</details>\n",
    }
    titles = [
        tokens[place + 1].content
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag != "h3"
    ]
    assert titles == [
        "Agent Test Report", "Summary", "Suites", "Not Passed", "Skipped", "Details",
    ]  # fmt: skip


def test_the_hostile_run_and_a_large_one_fit() -> None:
    for report in (hostile_report(), large_report(20_000)):
        assert len(write(report).encode()) <= 64_000


def test_the_contract() -> None:
    check_reporter(Markdown, settings=Markdown.Settings(summary_only=True))


@given(
    st.lists(st.text(st.sampled_from("aé漢"), max_size=30), max_size=12),
    st.integers(1, 6),
    st.integers(0, 120),
    st.randoms(use_true_random=False),
)
def test_the_first_texts_are_kept_in_any_order(
    texts: Sequence[str], most: int, room: int, order: random.Random
) -> None:
    def kept(places: Iterable[int]) -> tuple[list[str], int]:
        first = FirstTexts(most=most, room=room)
        for place in places:
            if first.wants(place):
                first.add(place, texts[place])
            else:
                first.pass_over()
        return first.texts(), first.count

    expected: list[str] = []
    for text in texts[:most]:
        if sum(len(each.encode()) for each in (*expected, text)) > room:
            break
        expected.append(text)
    places = list(range(len(texts)))
    assert kept(places) == (expected, len(texts))
    order.shuffle(places)
    assert kept(places) == (expected, len(texts))


@given(st.lists(st.text(max_size=40), max_size=20), st.integers(1_000, 1_500))
def test_a_page_never_grows_beyond_its_room(texts: Sequence[str], most: int) -> None:
    lines = [text.encode("ascii", "replace").decode().replace("\n", " ") for text in texts]
    page = Page(most)
    page.put(lines[:2])
    page.put_table("Table", ("A",), lines, 100)
    page.put_sections("Sections", lines, 100)
    assert len(page.text.encode()) <= most
