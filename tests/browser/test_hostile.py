from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from attrs import evolve
from playwright.sync_api import expect

import report_samples as samples
from assay import Message, Response, ToolCall, Where
from assay.testing.hostile import HOSTILE_TEXTS
from assay.testing.runs import hostile_report

if TYPE_CHECKING:
    from tests.browser.conftest import Show
    from tests.unit.reporters.conftest import Make

    from assay import CaseResult

ATTACKS = {
    "script": "<script>window.owned = 1</script>",
    "handler": '<img src=x onerror="window.owned = 1"><body onload="window.owned = 1">',
    "end of script": "</script><script>window.owned = 1</script>",
    "comment": "<!--<script>--></script><script>window.owned = 1</script>",
    "template": "{{script}} {{constructor.constructor('window.owned = 1')()}} ${window.owned = 1}",
    "svg": '<svg onload="window.owned = 1"><animate onbegin="window.owned = 1"/></svg>',
    "style": "<style>body { display: none }</style><p style='position:fixed;inset:0'>x</p>",
    "links": "[x](javascript:window.owned=1) <javascript:window.owned=1> ![x](https://a.example/x)",
    "html link": '<a href="javascript:window.owned=1">x</a><base href="https://a.example/">',
    "quotes": "\" onmouseover='window.owned = 1' x=\"",
    "markdown": '# x\n\n[x](https://a.example/"onmouseover="window.owned=1)\n\n<b>b</b>',
    "refresh": '<meta http-equiv="refresh" content="0;url=https://a.example/">',
    "frame": '<iframe srcdoc="<script>parent.owned = 1</script>"></iframe>',
    "bidi": "\u202eabc\u2066def",
    "nul": "a\0b",
    "surrogates": "\ud800 \udfff",
    "prototype": "__proto__",
}


def attacked(make: Make, text: str, index: int) -> CaseResult:
    """A case all of whose texts are one."""
    check = make.check(text, message=text, expected=text, actual={text: text})
    attempt = samples.answered(
        make.attempt("failed", output=text, error=text, checks=[check]),
        Response(
            text=text,
            reasoning=text,
            tool_calls=(ToolCall(name=text, arguments={text: text}, result=text, error=text),),
            model=text,
            notes=(text,),
            ids={text: text},
        ),
        Message(role="system", content=text, name=text),
        Message(content=({"type": text, text: text}, {"type": "image_url", "image_url": text})),
    )
    result = samples.tagged(make.result(text, attempts=[attempt], input=text), text, "other")
    where = Where(text, 1)
    return evolve(result, index=index, suite=text, case=evolve(result.case, where=where))


def test_nothing_that_an_agent_says_runs(show: Show, make: Make) -> None:
    texts = list(ATTACKS.values())
    results = [attacked(make, text, index) for index, text in enumerate(texts)]
    suites = [make.suite(text, agent=text, connector=text, notes=[text]) for text in texts]
    opened = show(make.report(results, make.info(suites)), "#sort=order&group=off")
    page = opened.page
    before = page.evaluate("document.querySelectorAll('script').length")
    for number in range(1, len(texts) + 1):
        page.evaluate(f"location.hash = 'sort=order&group=off&case={number}'")
        page.locator(f"#panel[data-ready='{number - 1}'] .detail").wait_for()
        for name in ("Raw", "Rendered", "JSON"):
            for button in page.locator("#panel").get_by_role("button", name=name).all():
                button.click()
        page.evaluate("document.querySelectorAll('#panel details').forEach(d => d.open = true)")
        page.locator("#panel .case-written .tree").wait_for()
    page.mouse.move(900, 400)
    assert page.evaluate("window.owned") is None
    assert page.evaluate("document.querySelectorAll('script').length") == before
    # Elements and attributes that only an attack would have made.
    odd = "iframe, object, embed, base, form, [onerror], [onload], [onmouseover], [srcdoc]"
    assert page.locator(odd).count() == 0
    assert page.locator("#panel").locator("style, script, meta").count() == 0
    hrefs = page.eval_on_selector_all("a[href]", "all => all.map(a => a.getAttribute('href'))")
    assert [href for href in hrefs if "javascript:" in href.lower()] == []


def test_what_steers_the_direction_of_text_is_shown_as_an_escape(show: Show, make: Make) -> None:
    opened = show(make.report([attacked(make, ATTACKS["bidi"], 0)]))
    assert opened.ids == ["\\u202eabc\\u2066def"]
    panel = opened.open("\\u202eabc\\u2066def")
    assert "\u202e" not in panel.inner_text()
    assert "\u2066" not in panel.inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_result_of_a_hostile_run_opens(show: Show, theme: str) -> None:
    report = hostile_report()
    opened = show(report, "#sort=order&group=off", theme="dark" if theme == "dark" else "light")
    page = opened.page
    total = sum(1 for _ in report.cases)
    for number in range(1, total + 1):
        page.evaluate(f"location.hash = 'sort=order&group=off&case={number}'")
        page.locator(f"#panel[data-ready='{number - 1}'] .detail").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert "[object " not in page.locator("#panel").inner_text()
    for word in ("owned", "=cmd", "全角", "\\ud800"):
        page.locator("#search").fill(word)
        page.locator("#shown", has_text="of").wait_for()
    page.locator("#search").fill(HOSTILE_TEXTS["slow for patterns"])
    page.locator("#shown", has_text=" of ").wait_for()


def test_sizes_beyond_measure_break_nothing(show: Show, make: Make) -> None:
    deep: object = "bottom"
    for _ in range(100_000):
        deep = [deep]
    huge = "word " * 2_000_000
    outputs: dict[str, object] = {
        "huge": huge,
        "brackets": "[" * 100_000 + "]" * 100_000,
        "line": "x" * 1_000_000,
        "many": {f"key {number}": number for number in range(50_000)},
        "deep": deep,
    }
    results = [make.result(name, attempts=[make.attempt(output=outputs[name])]) for name in outputs]
    results.append(make.result("i" * 1_000_000))
    results.append(samples.tagged(make.result("tags"), *(f"tag {n}" for n in range(2_000))))
    opened = show(make.report(samples.numbered(results)), "#sort=order")
    assert len(opened.ids) == len(results)
    for name, words in {"huge": "10 million", "brackets": "[ 1 ]", "line": "1 million"}.items():
        assert words in opened.open(name).inner_text()
        opened.page.keyboard.press("Escape")
    expect(opened.open("many")).to_contain_text("49,900 more", use_inner_text=True)
    opened.page.keyboard.press("Escape")
    tree = opened.open("deep").locator(".output .tree")
    for _ in range(5):
        tree.locator("details:not([open]) > summary").last.click()
    assert tree.locator("details[open]").count() >= 5
    opened.page.keyboard.press("Escape")
    opened.page.evaluate(f"location.hash = 'sort=order&case={len(results) - 1}'")
    opened.page.locator(f"#panel[data-ready='{len(results) - 2}']").wait_for()
    opened.page.locator("#search").fill("word word")
    opened.shows(f"1 of {len(results)} cases")


def test_answers_stay_what_they_are_in_the_page(show: Show, make: Make) -> None:
    text = HOSTILE_TEXTS["lone surrogates"] + HOSTILE_TEXTS["control characters"]
    opened = show(make.report([make.result("odd", attempts=[make.attempt(output=text)])]))
    panel = opened.open("odd")
    opened.page.evaluate(
        "navigator.clipboard && (navigator.clipboard.writeText = t => { window.copied = t })"
    )
    panel.get_by_role("button", name="Copy JSON").click()
    copied = opened.page.evaluate("window.copied")
    assert json.loads(copied)["output"] == text
