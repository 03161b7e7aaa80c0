from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assay.escape import (
    fence,
    file_name,
    for_encoding,
    markdown,
    one_line,
    quoted,
    terminal,
    workflow,
)

ANY_TEXT = st.text(st.characters()) | st.text(
    st.sampled_from("\x00\x07\t\n\r\x1b[2J\x7f\x85\x9b\u2028\u202e\u2066\ud800é😀a \\")
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 😀\ttab\nnext", "plain é 😀\ttab\nnext"),
        ("\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07"),
        ("a\r\nb\rc\x00\x7f", "a\nb\\rc\\x00\\x7f"),
        ("\x9b2J\x85", "\\x9b2J\\x85"),
        ("\u202eevil\u202c \u2066x\u2069 \u2028", "\\u202eevil\\u202c \\u2066x\\u2069 \\u2028"),
        ("\ud800", "\\ud800"),
        (
            "family: 👩\u200d👧, Persian: می\u200cخواهم",
            "family: 👩\u200d👧, Persian: می\u200cخواهم",
        ),
    ],
)
def test_what_steers_a_terminal_is_shown(text: str, shown: str) -> None:
    assert terminal(text) == shown


def test_newlines_and_tabs_are_shown_where_one_line_is_wanted() -> None:
    assert terminal("a\tb\r\nc", keep_newlines=False) == "a\\tb\\r\\nc"


@settings(deadline=None)
@given(ANY_TEXT)
def test_nothing_on_a_terminal_moves_its_cursor(text: str) -> None:
    shown = terminal(text)
    shown.encode("utf-8")
    for character in shown:
        category = unicodedata.category(character)
        assert character in "\n\t" or category not in ("Cc", "Cs", "Zl", "Zp")
        assert unicodedata.bidirectional(character) not in (
            "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
        )  # fmt: skip
    assert len(terminal(text, keep_newlines=False).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "encoding", "shown"),
    [
        ("é ✅ 😀", "utf-8", "é ✅ 😀"),
        ("é ✅ 😀", "latin-1", "é \\u2705 \\U0001f600"),
        ("é ✅ 😀", "ascii", "\\xe9 \\u2705 \\U0001f600"),
        ("é ✅", "no-such-encoding", "\\xe9 \\u2705"),
        ("\ud800", "utf-8", "\\ud800"),
    ],
)
def test_what_an_encoding_lacks_is_shown(text: str, encoding: str, shown: str) -> None:
    assert for_encoding(text, encoding) == shown


@settings(deadline=None)
@given(ANY_TEXT, st.sampled_from(["utf-8", "ascii", "latin-1", "cp1252", "cp437", "utf-16", "x"]))
def test_any_text_can_be_written_in_any_encoding(text: str, encoding: str) -> None:
    shown = for_encoding(text, encoding)
    shown.encode("ascii" if encoding == "x" else encoding)


def test_quoted() -> None:
    assert quoted("T1") == "'T1'"
    assert quoted("a\nb\x1b") == "'a\\nb\\x1b'"
    assert quoted("abcdef", 6) == "'abcdef'"
    assert quoted("abcdefg", 6) == "'abcde…'"


def test_one_line() -> None:
    assert one_line(" a\tb\n\n c\x1b ") == "a b c\\x1b"
    assert one_line("abcdef", 6) == "abcdef"
    assert one_line("abcdefg", 6) == "abcde…"
    assert one_line("a" * 10_000_000, 10) == "a" * 9 + "…"
    assert one_line(" " * 10_000_000 + "b", 10) == "…"


@settings(deadline=None)
@given(ANY_TEXT, st.integers(1, 50))
def test_one_line_is_one_and_no_longer_than_it_may_be(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


NOTHING = "\u200b"
GFM = MarkdownIt("commonmark").enable(["table", "strikethrough"])

MARKDOWN_TEXT = (
    st.text(st.sampled_from("\\`*_[]()<>#|~&$!-+=:.1 \nab\t{}@/\"'"))
    | st.lists(
        st.sampled_from(
            ["<script>", "</td>", "<!--", "-->", "[a](b)", "![a](b)", "**", "__", "~~", "&lt;",
             "&#60;", "`", "```", "\n\n", "\n", "---", "===", "# ", "- ", "+ ", "1. ", "> ", "|",
             "\\", "a", " ", "\t", "    ", "http://x.y", "<http://x.y>", "a_b", ":--", "[a]: b"]
        )
    ).map("".join)
    | ANY_TEXT
)  # fmt: skip


def visible(text: str) -> list[str]:
    """The words of each line that a reader should see."""
    lines = terminal(text).strip().split("\n")
    return [" ".join(line.split()).replace(NOTHING, "") for line in lines]


def rendered(source: str, kind: str) -> list[str]:
    """The lines of the one inline run in ``source``, which must hold nothing but text."""
    tokens = [token for token in GFM.parse(source) if token.type == "inline"]
    opening = next(token.type for token in GFM.parse(source))
    assert opening == kind
    lines = [""]
    for token in tokens[-1].children or []:
        if token.type == "html_inline":
            assert token.content == "<br>"
            lines.append("")
        elif token.type == "softbreak":
            lines.append("")
        else:
            assert token.type in ("text", "text_special"), token
            lines[-1] += token.content.replace(NOTHING, "")
    return lines


@settings(deadline=None)
@given(MARKDOWN_TEXT)
@example("1)")
@example("__init__ a__b _a_ snake_case_")
@example("a\n===\n---\n> b")
def test_text_stays_text_in_markdown(text: str) -> None:
    safe = markdown(text)
    assert "\n" not in safe
    if not visible(text)[0]:
        return
    assert rendered(safe, "paragraph_open") == visible(text)
    between = f"before\n{safe}\nbehind"
    assert rendered(between, "paragraph_open") == ["before", *visible(text), "behind"]
    assert len(GFM.parse(between)) == 3


@settings(deadline=None)
@given(MARKDOWN_TEXT)
def test_text_stays_in_its_heading_and_cell(text: str) -> None:
    safe = markdown(text)
    if not visible(text)[0]:
        return
    assert rendered(f"## {safe}", "heading_open") == visible(text)
    table = f"| a | b |\n| --- | --- |\n| x | {safe} |"
    assert rendered(table, "table_open") == visible(text)
    assert sum(token.type == "td_open" for token in GFM.parse(table)) == 2


def test_ids_stay_readable_in_markdown() -> None:
    assert markdown("T-001_case.a 1.5 -3 (x) a=b") == "T-001_case.a 1.5 -3 (x) a=b"
    assert markdown("a|b <i> `c`\n*d*") == "a\\|b \\<i> \\`c\\`<br>\\*d\\*"
    assert markdown("1. x") == "1\\. x"


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("thanks @octocat", "thanks @_octocat"),
        ("me@example.com", "me@_example.com"),
        ("@org/team a @ b", "@_org/team a @ b"),
        ("#12 org/repo#3 #x", "\\#_12 org/repo\\#_3 \\#x"),
        ("http://x.y HTTPS://x.y a:b", "http:_//x.y HTTPS:_//x.y a:b"),
        ("www.x.y WWW.x.y awww.", "www_.x.y WWW_.x.y awww."),
    ],
)
def test_nothing_becomes_a_link_or_calls_a_person(text: str, parted: str) -> None:
    assert markdown(text) == parted.replace("_", NOTHING)


WORKFLOW_TEXT = st.text(st.sampled_from(":#[]\n\r\t \u2003\x85aerro\\")) | st.lists(
    st.sampled_from(["::error::x", "##[error]", "::", "##[", " ", "\n", "\r", "\r\n", "#", "a"])
).map("".join)


@settings(deadline=None)
@given(WORKFLOW_TEXT)
def test_no_line_of_a_log_is_a_command(text: str) -> None:
    safe = workflow(text)
    assert "##[" not in safe
    assert not [line for line in re.split("[\r\n]", safe) if line.strip().startswith("::")]
    assert safe.replace("\\u003a", ":").replace("\\u0023", "#") == text
    assert workflow(safe) == safe


@settings(deadline=None)
@given(WORKFLOW_TEXT)
def test_commands_in_json_stay_the_same_text(text: str) -> None:
    line = json.dumps({"output": text}, ensure_ascii=False)
    assert json.loads(workflow(line)) == {"output": text}


def test_what_is_no_command_stays() -> None:
    text = "a::b\n:a: ## [x] ## x\nstd::cout :: x"
    assert workflow(text) == text
    assert workflow("a\n  ::add-mask::x ##[group]") == "a\n  \\u003a:add-mask::x #\\u0023[group]"


def test_commands_are_looked_for_in_time_that_grows_with_the_text() -> None:
    assert workflow("::" + " \n\t" * 1_000_000).startswith("\\u003a:")
    assert workflow(" " * 3_000_000 + "::").endswith("\\u003a:")


@settings(deadline=None)
@given(MARKDOWN_TEXT, st.sampled_from(["", "json", "a b", "`", "\n", "é`\n# x"]))
@example("```\n````\n# out", "json")
def test_nothing_breaks_out_of_a_fence(text: str, info: str) -> None:
    tokens = GFM.parse(f"before\n\n{fence(text, info)}\nbehind")
    assert [token.type for token in tokens if token.level == 0] == [
        "paragraph_open", "paragraph_close", "fence", "paragraph_open", "paragraph_close",
    ]  # fmt: skip
    content = next(token.content for token in tokens if token.type == "fence")
    assert content.removesuffix("\n") == terminal(text).removesuffix("\n")


def test_a_fence_is_as_long_as_it_must_be() -> None:
    assert fence("x", "json") == "```json\nx\n```\n"
    assert fence("x\n") == "```\nx\n```\n"
    assert fence("") == "```\n```\n"
    assert fence("a ```` b") == "`````\na ```` b\n`````\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("t001", "t001"),
        ("greeting-simple_v1.2", "greeting-simple_v1.2"),
        ("über", "über"),
    ],
)
def test_plain_names_stay(text: str, name: str) -> None:
    assert file_name(text) == name


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("a/b\\c:d", r"a_b_c_d-[0-9a-f]{8}"),
        ("../../etc/passwd", r"_\._\._etc_passwd-[0-9a-f]{8}|_.*etc_passwd-[0-9a-f]{8}"),
        ("", r"_-[0-9a-f]{8}"),
        (".", r"_-[0-9a-f]{8}"),
        ("-rf", r"_rf-[0-9a-f]{8}"),
        ("name.", r"name-[0-9a-f]{8}"),
        ("T001", r"T001-[0-9a-f]{8}"),
        ("con", r"_con-[0-9a-f]{8}"),
        ("lpt1.txt", r"_lpt1\.txt-[0-9a-f]{8}"),
        ("\ud800\x00", r"_-[0-9a-f]{8}"),
        ("x" * 500, r"x{91}-[0-9a-f]{8}"),
        ("e\u0301", r"é-[0-9a-f]{8}"),
    ],
)
def test_other_names_are_mended_and_marked(text: str, pattern: str) -> None:
    assert re.fullmatch(pattern, file_name(text))


def test_names_in_use_are_told_apart_without_marks_where_that_can_be() -> None:
    taken: set[str] = set()
    names = [file_name(text, taken=taken) for text in ("T001", "T002", "t001", "T001")]
    assert names[:2] == ["T001", "T002"]
    assert re.fullmatch(r"t001-[0-9a-f]{8}", names[2])
    assert len({name.casefold() for name in names}) == 4


NAMES = st.text(st.sampled_from("abAB01-_./\\: é\u0301ÉßẞſKk")) | ANY_TEXT


@settings(deadline=None)
@given(st.lists(NAMES, unique=True), st.integers(16, 60), st.booleans())
@example(["Foo", "foo", "foo-" + file_name("Foo")[-8:]], 60, False)
def test_distinct_texts_get_distinct_safe_names(
    texts: list[str], limit: int, remembers: bool
) -> None:
    taken: set[str] | None = set() if remembers else None
    names = [file_name(text, limit, taken) for text in texts]
    on_disk = {unicodedata.normalize("NFD", name.casefold()) for name in names}
    assert len(on_disk) == len(texts)
    for name in names:
        assert 0 < len(name.encode("utf-8")) <= limit
        assert not re.search(r'[\x00-\x1f<>:"/\\|?*\s]', name)
        assert name[0] not in ".-"
        assert name[-1] != "."
        assert name.casefold().split(".")[0] not in ("con", "prn", "aux", "nul", "com1", "lpt1")
