from __future__ import annotations

import base64
import io
import json
import re
import zlib
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING, cast

import pytest

from assay import ABSENT, to_json
from assay.testing.hostile import HOSTILE_TEXTS
from assay.testing.reporter import check_reporter
from assay.testing.runs import hostile_report, large_report
from assay_plugins.reporters.html import Html
from assay_plugins.reporters.html.policy import content_policy
from assay_plugins.reporters.html.rendered import Renderer
from assay_plugins.reporters.html.template import join_modules, module_names, read_template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, Report


class Page(HTMLParser):
    """A page as a browser reads it: its elements, and the texts of those that hold text alone."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._is_inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")
        self._is_inside = True

    def handle_endtag(self, tag: str) -> None:
        self._is_inside = False

    def handle_data(self, data: str) -> None:
        if self._is_inside:
            self.texts[-1] += data

    @property
    def shape(self) -> list[tuple[str, str | None]]:
        """The elements, without those that hold results."""
        return [
            (tag, attrs.get("id"))
            for tag, attrs in self.elements
            if attrs.get("class") not in ("index", "details")
        ]

    def held_by(self, kind: str) -> list[str]:
        """The texts of the scripts of a class."""
        return [
            text
            for (tag, attrs), text in zip(self.elements, self.texts, strict=True)
            if tag == "script" and attrs.get("class") == kind
        ]


def write(report: Report) -> str:
    out = io.StringIO(newline="")
    Html().write(report, out)
    return out.getvalue()


def unpacked(packed: str) -> str:
    return zlib.decompress(base64.b64decode(packed, validate=True)).decode("utf-8")


def details(page: Page) -> list[str]:
    """The lines of all results: each followed by what stands beside it."""
    return [line for packed in page.held_by("details") for line in unpacked(packed).split("\n")]


def rendered(output: object, result: CaseResult) -> str | None:
    return Renderer().html(output, result)


def test_it_keeps_the_contract() -> None:
    check_reporter(Html)


def test_all_results_stand_in_the_page(make: Make) -> None:
    results = [*make.several_kinds(), *make.several_runs()]
    page = Page(write(make.report(results)))
    lines = details(page)
    assert [json.loads(line) for line in lines[::2]] == [to_json(result) for result in results]
    columns = json.loads(unpacked(page.held_by("index")[0]))
    assert columns["id"] == [result.case.id for result in results]
    assert columns["status"] == "".join(result.status[0] for result in results)
    assert len(columns["ms"]) == len(columns["why"]) == len(columns["suite"]) == len(results)
    assert sorted(map(int, columns["runs"])) == [9, 10, 11, 12]


def test_rows_and_details_of_many_results_come_in_blocks_in_order() -> None:
    page = Page(write(large_report(2_500)))
    firsts = [
        int(attrs["data-first"] or "")
        for _tag, attrs in page.elements
        if attrs.get("class") == "index"
    ]
    assert firsts == [0, 1000, 2000]
    assert len(page.held_by("details")) > 3
    ids = [json.loads(line)["id"] for line in details(page)[::2]]
    assert ids == [f"T{number:06}" for number in range(2_500)]
    first_of_block = [
        int(attrs["data-first"] or "")
        for _tag, attrs in page.elements
        if attrs.get("class") == "details"
    ]
    held = [len(unpacked(packed).split("\n")) // 2 for packed in page.held_by("details")]
    assert first_of_block == [sum(held[:place]) for place in range(len(held))]


def test_how_the_run_went_stands_in_the_page(make: Make) -> None:
    report = make.report(make.several_kinds(), stopped="</script><script>alert(1)</script>")
    page = Page(write(report))
    place = next(i for i, (_tag, attrs) in enumerate(page.elements) if attrs.get("id") == "run")
    run = json.loads(page.texts[place])
    assert run["start"] == to_json(report.info)
    assert run["summary"] == to_json(report.summary)


def test_no_answer_changes_the_elements_of_the_page() -> None:
    assert Page(write(hostile_report())).shape == Page(write(large_report(3))).shape


def test_nothing_of_an_answer_stands_in_the_page_as_it_is(make: Make) -> None:
    text = "an odd sentence of an agent"
    attempt = make.attempt("failed", output=text, error=text, checks=[make.check(message=text)])
    assert text not in write(make.report([make.result(text, attempts=[attempt], input=text)]))


def test_the_policy_allows_the_scripts_and_styles_of_the_page_alone(make: Make) -> None:
    page = Page(write(make.report([make.result()])))
    policies = [
        attrs["content"] or ""
        for tag, attrs in page.elements
        if tag == "meta" and attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    texts = {"script": [""], "style": [""]}
    for (tag, attrs), text in zip(page.elements, page.texts, strict=True):
        if tag in texts and attrs.get("type") is None:
            texts[tag] = [text]
    hashes = {
        tag: base64.b64encode(sha256(found[0].encode()).digest()).decode()
        for tag, found in texts.items()
    }
    assert policies == [
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; "
        f"style-src 'sha256-{hashes['style']}'; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    assert "unsafe" not in policies[0]


def test_a_policy_names_every_text() -> None:
    assert content_policy(["a", "b"], []).count("'sha256-") == 2


def test_the_page_asks_for_nothing(make: Make) -> None:
    page = Page(write(make.report([make.result()])))
    for _tag, attrs in page.elements:
        for name in ("src", "href", "action", "data", "poster"):
            value = attrs.get(name) or "#"
            assert value.startswith(("#", "data:image/png;base64,")), value
        assert not [name for name in attrs if name.startswith("on") or name == "style"]


def test_the_title_says_how_it_went(make: Make) -> None:
    text = write(make.report([make.result("</title><b>"), make.result("B", "skipped", index=1)]))
    assert "<title>keyword (deepseek.v3): 1 passed, 1 skipped (100.0%)</title>" in text


@pytest.mark.parametrize("markup", ["</script", "<script", "<!--", "]]>"])
def test_the_script_cannot_end_its_own_element(markup: str) -> None:
    assert markup not in read_template().script


def test_every_import_of_a_module_is_an_export_of_one_before_it() -> None:
    texts: dict[str, str] = {}

    def read(name: str) -> str:
        from importlib.resources import files

        folder = files("assay_plugins.reporters.html").joinpath("page")
        texts[name] = folder.joinpath(f"{name}.js").read_text("utf-8")
        return texts[name]

    script = join_modules(read, module_names())
    assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == []
    exported: dict[str, set[str]] = {}
    for name, text in texts.items():
        for names, source in re.findall(r'^import \{([^}]*)\} from "\./(\w+)\.js";$', text, re.M):
            wanted = {one.strip() for one in cast("str", names).split(",") if one.strip()}
            assert wanted <= exported.get(cast("str", source), set()), f"{name} of {source}"
        found: list[str] = re.findall(
            r"^export (?:async )?(?:function|class|const) (\w+)", text, re.M
        )
        exported[name] = set(found)


def test_modules_become_functions_that_give_their_exports() -> None:
    modules = {
        "one": "export const a = 1;\n",
        "two": 'import { a } from "./one.js";\nexport function b() {\n  return a;\n}\n',
    }
    assert join_modules(modules.__getitem__, ("one", "two")) == (
        '"use strict";\n'
        "const $one = (() => {\nconst a = 1;\nreturn { a };\n})();\n"
        "const $two = (() => {\nconst { a } = $one;\nfunction b() {\n  return a;\n}\n"
        "return { b };\n})();\n"
    )


def test_a_page_is_much_smaller_than_what_it_holds(make: Make) -> None:
    sentence = "the order of your customer was sent on monday and will arrive soon at the door"
    words = sentence.split()
    texts = [
        " ".join(words[(number * step) % len(words)] for step in range(200))
        for number in range(500)
    ]
    results = [
        make.result(f"T{index}", index=index, attempts=[make.attempt(output=text)])
        for index, text in enumerate(texts)
    ]
    lines = sum(len(json.dumps(to_json(result))) for result in results)
    empty = len(write(make.report([])))
    assert (len(write(make.report(results))) - empty) * 3 < lines


# Answers as HTML


class Tags(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.found.append((tag, list(attrs)))


def test_markdown_becomes_html(make: Make) -> None:
    text = "# Title\n\n* one\n* **two**\n\n| a | b |\n|:-:|--:|\n| 1 | 2 |\n"
    html = rendered(text, make.result())
    assert html is not None
    assert "<h1>Title</h1>" in html
    assert "<strong>two</strong>" in html
    assert '<td class="center">1</td>' in html
    assert '<td class="right">2</td>' in html


@pytest.mark.parametrize(
    "text",
    ["Plain words. And more of them, a-b, 3 > 2.", "", "one\ntwo", "1 + 1 = 2", "snake_case_name"],
)
def test_plain_text_is_left_alone(make: Make, text: str) -> None:
    assert rendered(text, make.result()) is None


@pytest.mark.parametrize("value", [None, {"a": "**b**"}, ["# x"], 5, ABSENT])
def test_only_text_is_rendered(make: Make, value: object) -> None:
    assert rendered(value, make.result()) is None


@pytest.mark.parametrize("name", HOSTILE_TEXTS)
def test_hostile_answers_are_rendered_without_harm(make: Make, name: str) -> None:
    html = rendered("# x\n\n" + HOSTILE_TEXTS[name], make.result()) or ""
    for tag, attrs in Tags(html).found:
        assert tag not in ("script", "style", "iframe", "object", "form", "input", "svg", "base")
        for key, value in attrs:
            assert key in ("href", "src", "alt", "title", "class", "start")
            assert not (value or "").lower().startswith(("javascript:", "vbscript:", "file:"))


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "file:///etc/passwd",
        "//evil.example",
        "/etc/passwd",
        "#case=2",
        "&#106;avascript:alert(1)",
    ],
)
def test_links_lead_out_or_nowhere(make: Make, target: str) -> None:
    html = rendered(
        f"[x]({target}) <{target}> ![y]({target})\n\n[r]\n\n[r]: {target}", make.result()
    )
    assert html is not None
    assert {tag for tag, _attrs in Tags(html).found} <= {"p", "code"}


def test_links_to_other_pages_stay(make: Make) -> None:
    html = rendered("[x](https://example.com/a) <mailto:a@b.example>", make.result())
    assert html is not None
    assert [dict(attrs)["href"] for tag, attrs in Tags(html).found if tag == "a"] == [
        "https://example.com/a",
        "mailto:a@b.example",
    ]


def test_many_quotes_are_not_taken_for_quotes(make: Make) -> None:
    few, many = rendered("> a\n" * 50, make.result()), rendered("> ```\na\n" * 500, make.result())
    assert few is not None
    assert many is not None
    assert "<blockquote>" in few
    assert "<blockquote>" not in many


@pytest.mark.parametrize("text", ["**a** " * 4_000, "[[](" * 1_000])
def test_what_would_take_long_is_not_rendered(make: Make, text: str) -> None:
    assert rendered(text, make.result()) is None


def test_answers_of_failed_cases_are_rendered_when_there_is_no_room_for_others(make: Make) -> None:
    renderer = Renderer()
    text = "**a** " * 3_000
    passed = [renderer.html(text, make.result()) for _ in range(150)]
    assert passed[0] is not None
    assert passed[-1] is None
    bad = make.result(attempts=[make.attempt("failed")])
    assert renderer.html(text, bad) is not None


# What stands beside a result


def test_distinct_outputs_and_diffs_stand_beside_a_result(make: Make) -> None:
    differs = make.check(message="they differ", expected="abc\nx", actual="abd\nx")
    shown = make.check("json_path", message="expected true", expected=True, actual=["no", "never"])
    attempts = [
        make.attempt(number=1, output="**b**"),
        make.attempt("failed", number=2, output="a", checks=[shown, differs]),
        make.attempt(number=3, output="**b**"),
    ]
    result = make.result(attempts=attempts)
    extra = json.loads(details(Page(write(make.report([result]))))[1])
    assert extra["keys"] == ["id", "input", "assert"]
    assert extra["outputs"] == [
        {"runs": [1, 3], "html": "<p><strong>b</strong></p>\n"},
        {"runs": [2]},
    ]
    assert extra["checks"]["1.0"] == {"actual": True}
    assert extra["checks"]["1.1"]["diff"] == [
        ["expected", "ab", "c", ""],
        ["actual", "ab", "d", ""],
        ["same", "x"],
    ]
