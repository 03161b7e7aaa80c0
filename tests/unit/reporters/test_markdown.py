from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from attrs import evolve
from markdown_it import MarkdownIt

from assay import ABSENT, Environment
from assay.testing.hostile import CONTROL, HOSTILE_TEXTS, HOSTILE_VALUES
from assay.testing.reporter import check_reporter
from assay.testing.runs import hostile_report
from assay_plugins.reporters.markdown import Markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markdown_it.token import Token
    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, Report


def write(report: Report, *, summary_only: bool = False) -> str:
    out = io.StringIO(newline="")
    Markdown(Markdown.Settings(summary_only=summary_only)).write(report, out)
    return out.getvalue()


def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def headings(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """Level and text of every heading."""
    return [
        (token.tag, "".join(child.content for child in tokens[place + 1].children or ()))
        for place, token in enumerate(tokens)
        if token.type == "heading_open"
    ]


def rows(tokens: Sequence[Token]) -> Iterator[list[list[str]]]:
    """Every table as its rows of cells."""
    table: list[list[str]] = []
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            table = []
        elif token.type == "tr_open":
            table.append([])
        elif token.type in ("th_open", "td_open"):
            cell = tokens[place + 1].children or ()
            table[-1].append("".join(child.content for child in cell))
        elif token.type == "table_close":
            yield table


def blocks_below(tokens: Sequence[Token], id: str) -> list[Token]:
    """The fenced blocks of the section of a case."""
    found: list[Token] = []
    inside = False
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            inside = id in tokens[place + 1].content
        elif inside and token.type == "fence":
            found.append(token)
    return found


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("report.md", write(make.report(make.several_kinds())))


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    stopped = "--fail-fast: failing did not pass"
    same_as("report-runs.md", write(make.report(make.several_runs(), stopped=stopped)))


def test_several_suites(make: Make, same_as: Callable[[str, str], None]) -> None:
    notes = ["403 of the preflight: the description of the agent is not known"]
    admin = Environment(user_id="admin", identity="token")
    suites = [
        make.suite("a/tests/inputs.jsonl", cases=2),
        make.suite(
            "b/tests/inputs.jsonl", agent="search", connector=None, notes=notes, environment=admin
        ),
    ]
    results = [
        make.result("A1", index=0, suite="a/tests/inputs.jsonl"),
        make.result("A2", "skipped", index=1, suite="a/tests/inputs.jsonl", reason="not today"),
        make.result(
            "B1",
            attempts=[make.attempt("error", output=ABSENT, error="no route to host")],
            index=2,
            suite="b/tests/inputs.jsonl",
            agent="search",
        ),
    ]
    same_as("report-suites.md", write(make.report(results, make.info(suites))))


def test_several_suites_share_one_environment_table_where_they_can(make: Make) -> None:
    suites = [make.suite("a.jsonl"), make.suite("b.jsonl")]
    results = [make.result("A", suite="a.jsonl"), make.result("B", suite="b.jsonl", index=1)]
    text = write(make.report(results, make.info(suites)))
    assert text.count("| Setting ") == 1
    assert [text for level, text in headings(parse(text)) if level == "h2"] == [
        "Summary",
        "Suites",
        "Environment",
        "Results of a.jsonl",
        "Results of b.jsonl",
    ]


def test_several_different_answers_are_grouped(make: Make) -> None:
    answers = ["a", "b", "a", "c", "d", "e", "f", "g"]
    attempts = [
        make.attempt(number=number, output=answer) for number, answer in enumerate(answers, 1)
    ]
    text = write(make.report([make.result(attempts=attempts)]))
    assert "**Output of runs 1, 3**\n\n```text\na\n```" in text
    assert text.count("**Output of ") == 5
    assert "*2 other outputs.*" in text


def test_what_a_check_looked_at_is_shown_where_it_is_not_the_output(make: Make) -> None:
    check = make.check("json_path", message="expected true", expected=True, actual=["no", "never"])
    attempt = make.attempt("failed", output="{}", checks=[check])
    tokens = parse(write(make.report([make.result(attempts=[attempt])])))
    assert blocks_below(tokens, "T001")[0].content == '[\n  "no",\n  "never"\n]\n'


def test_a_long_answer_is_cut_and_says_so(make: Make) -> None:
    results = [make.result(attempts=[make.attempt(output="x" * 30_000)])]
    text = write(make.report(results))
    assert "*Cut: 10000 more characters.*" in text
    assert len(text) < 25_000


@pytest.mark.parametrize("mark", ["`", "~"])
@pytest.mark.parametrize("length", range(3, 21))
def test_no_fence_is_closed_by_what_it_holds(make: Make, mark: str, length: int) -> None:
    hostile = f"{mark * length}\n# owned\n{mark * (length + 1)}text\n<b>\n  {mark * length}\n"
    check = make.check(message="they differ", expected=hostile, actual=hostile + "x")
    attempt = make.attempt("failed", output=hostile, checks=[check])
    tokens = parse(write(make.report([make.result(attempts=[attempt], input=hostile)])))
    difference, question, answer = blocks_below(tokens, "T001")
    assert question.content == hostile
    assert answer.content == hostile
    assert difference.content.splitlines() == [
        "@@ 3 equal lines @@",
        *(f"  {line}" for line in hostile.splitlines()[3:]),
        "- ",
        "+ x",
    ]
    assert "owned" not in " ".join(text for _, text in headings(tokens))


def test_a_carriage_return_does_not_begin_a_line(make: Make) -> None:
    tokens = parse(write(make.report([make.result(input="a\r```\r# owned\r\nb")])))
    assert blocks_below(tokens, "T001")[0].content == "a\n```\n# owned\nb\n"


def test_ids_are_shown_as_they_are(make: Make) -> None:
    ids = ["a|b", "a\nb", "# a", "<b>a</b>", "[a](b)", "`a`", "*a*", "a_b_c", "&lt;", "1. a", "\\"]
    results = [make.result(name, index=index) for index, name in enumerate(ids)]
    text = write(make.report(results, make.info([make.suite(cases=len(ids), runs=2)])))
    tokens = parse(text)
    shown = ["a\\nb" if name == "a\nb" else name for name in ids]
    sections = [text for level, text in headings(tokens) if level == "h3"]
    assert sections == [f"✅ {name} - Passed (234ms)" for name in shown]
    (stability,) = (table for table in rows(tokens) if table[0][0] == "Case")
    assert [row[0] for row in stability[1:]] == shown


HARMLESS = {
    "bullet_list", "code_inline", "em", "fence", "heading", "html_block", "inline", "list_item",
    "paragraph", "strong", "table", "tbody", "td", "text", "text_special", "th", "thead", "tr",
}  # fmt: skip
DETAILS = re.compile(
    r"<details><summary>(Input|Input and output|Input and \d+ runs?)</summary>\n|</details>\n"
)


def check_harmless(tokens: Sequence[Token]) -> None:
    """See that nothing but what the reporter itself writes is Markdown or HTML."""
    opened = 0
    for token in (*tokens, *(child for block in tokens for child in block.children or ())):
        if token.type == "html_inline":
            assert token.content == "<br>"
            continue
        assert re.sub("_(open|close)$", "", token.type) in HARMLESS, token
        if token.type == "html_block":
            assert DETAILS.fullmatch(token.content), token.content
            opened += 1 if token.content.startswith("<details") else -1
            assert opened in (0, 1)
        if token.type == "code_inline":
            assert token.content in ("-", "+")
        if token.type == "fence":
            assert token.info in ("text", "json", "diff")
    assert opened == 0


def hostile_results(make: Make) -> list[CaseResult]:
    results: list[CaseResult] = []
    texts = [*HOSTILE_TEXTS.values(), "x" * 10_000_000, "`" * 10_000_000, "\n" * 10_000_000]
    for value in (*texts, *HOSTILE_VALUES.values()):
        text = value if isinstance(value, str) else "?"
        checks = [
            make.check(text[:50] or "equals", message=text, expected=text, actual=value),
            make.check(message=text, expected=value, actual=text),
            make.check(error=text or "?"),
        ]
        failed = make.attempt("failed", output=value, error=text, checks=checks, notes=[text])
        broken = make.attempt("error", output=value, error=text)
        for attempts in ([failed], [broken], [failed, broken]):
            results.append(
                make.result(
                    text[:10_000] or "empty",
                    attempts=attempts,
                    index=len(results),
                    input=text or "nothing",
                )
            )
    for index, text in enumerate(texts):
        name = text[:100] or "empty"
        results.append(make.result(name, "skipped", index=len(results) + index, reason=text))
    return results


def test_hostile_content_changes_no_structure(make: Make) -> None:
    results = hostile_results(make)
    text = write(make.report(results))
    ran = sum(result.status != "skipped" for result in results)
    assert len(text) < 6_000_000
    assert not set(text) & (set(CONTROL) - {"\n", "\t"})
    text.encode("utf-8")
    tokens = parse(text)
    found = headings(tokens)
    assert [level for level, _ in found].count("h3") == ran
    assert [text for level, text in found if level != "h3"] == [
        "Agent Test Report",
        "Summary",
        "Environment",
        "Stability",
        "Results",
        "Skipped",
    ]
    tables = {table[0][0]: table for table in rows(tokens)}
    assert len(tables["Case"]) == 1 + len(results) - ran
    assert all(len(row) == len(table[0]) for table in rows(tokens) for row in table)
    check_harmless(tokens)


def test_the_hostile_run_of_the_contract_keeps_its_structure() -> None:
    report = hostile_report()
    tokens = parse(write(report))
    ran = sum(1 for _ in report.results)
    assert [level for level, _ in headings(tokens)].count("h3") == ran


def test_the_contract() -> None:
    check_reporter(Markdown)


def test_a_case_on_its_own_is_whole_and_unfolded(make: Make) -> None:
    check = make.check(message="they differ", expected="a\nb", actual="a\nc")
    good = make.check("regex", passed=True, message="found |x|")
    attempt = make.attempt("failed", output="x" * 500_000, checks=[check, good])
    out = io.StringIO(newline="")
    Markdown().write_case(make.result(attempts=[attempt]), out)
    text = out.getvalue()
    assert text.startswith("# ❌ T001 - Failed (234ms)\n\ntests/inputs.jsonl:1\n")
    assert "x" * 500_000 in text
    assert "\n**Passed checks**\n\n- regex: found \\|x\\|\n" in text
    assert "<details>" not in text
    out = io.StringIO(newline="")
    Markdown().write_case(make.result("T002", "skipped", reason="not @today"), out)
    assert out.getvalue().startswith("# ⏭️ T002 - Skipped\n")
    assert "*Skipped: not @\u200btoday*" in out.getvalue()


def test_tags_and_what_they_hold_are_shown(make: Make) -> None:
    result = make.result()
    result = evolve(result, case=evolve(result.case, tags=("smoke", "# slow")))
    assert "\nTags: smoke, \\# slow\n" in write(make.report([result]))
