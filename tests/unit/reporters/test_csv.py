from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import ABSENT
from assay.testing import HOSTILE_TEXTS, HOSTILE_VALUES, check_reporter, hostile_report
from assay.testing.hostile import CONTROL
from assay_plugins.reporters.csv import Csv

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.reporters.conftest import Make

    from assay import CaseResult, Report

FORMULA = tuple("=+-@＝＋－＠")


def write(report: Report, settings: Csv.Settings | None = None) -> str:
    out = io.StringIO(newline="")
    Csv(settings).write(report, out)
    return out.getvalue()


def rows(text: str, delimiter: str = ",") -> list[list[str]]:
    csv.field_size_limit(10_000_000)
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))


def read(report: Report) -> list[dict[str, str]]:
    header, *others = rows(write(report))
    return [dict(zip(header, row, strict=True)) for row in others]


def test_a_run_as_a_whole(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("report.csv", write(make.report(make.several_kinds())).replace("\r\n", "␍␊\n"))


def test_several_runs(make: Make, same_as: Callable[[str, str], None]) -> None:
    same_as("report-runs.csv", write(make.report(make.several_runs())).replace("\r\n", "␍␊\n"))


def test_rows_are_as_the_rfc_has_them(make: Make) -> None:
    results = [
        make.result('say "hi", twice', attempts=[make.attempt(output="one\r\ntwo, three\rfour")]),
        make.result("T002", attempts=[make.attempt(output={"a": [1, "é"]})], index=1),
    ]
    text = write(make.report(results))
    assert text.endswith("\r\n")
    assert '"say ""hi"", twice"' in text
    first, second = read(make.report(results))
    assert (first["id"], first["output"]) == ('say "hi", twice', "one\ntwo, three\nfour")
    assert second["output"] == '{"a":[1,"é"]}'


def test_what_is_not_there_is_an_empty_cell(make: Make) -> None:
    nothing = make.attempt("error", output=ABSENT, error="answered 503")
    null = make.attempt(output=None)
    skipped, failed, passed = read(
        make.report(
            [
                make.result("T001", "skipped", reason="later"),
                make.result("T002", attempts=[nothing], index=1),
                make.result("T003", attempts=[null], index=2),
            ]
        )
    )
    assert (skipped["status"], skipped["reason"], skipped["runs"]) == ("skipped", "later", "")
    assert (failed["reason"], failed["output"], failed["expected"]) == ("answered 503", "", "")
    assert (passed["output"], passed["consistency"], passed["stability"]) == ("null", "", "")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("-1", "'-1"),
        (" \t=1", " \t'=1"),
        ("+49 30", "'+49 30"),
        ("@SUM(1)", "'@SUM(1)"),
        ('"=1"', '\'"=1"'),
        ("＝1", "'＝1"),
        ("a\n- b", "a\n'- b"),
        ("a; =b", "a;' =b"),
        ("a = b - c, =d", "a = b - c, =d"),
        ("\r\n=1", "\n'=1"),
    ],
)
def test_what_would_be_a_formula_is_text(make: Make, text: str, cell: str) -> None:
    (row,) = read(make.report([make.result(attempts=[make.attempt(output=text)])]))
    assert row["output"] == cell


def test_numbers_of_an_agent_are_text_too(make: Make) -> None:
    (row,) = read(make.report([make.result(attempts=[make.attempt(output=-1)])]))
    assert row["output"] == "'-1"


@given(st.text(st.sampled_from("=+-@＝ \t\n\r;,|'\"ax1\x0b\x85")), st.sampled_from(",;\t"))
def test_no_cell_is_a_formula_whatever_the_separator(text: str, delimiter: str) -> None:
    written = write(hostile_report_with(text))
    for row in rows(written, delimiter):
        for cell in row:
            assert not cell.lstrip(' \t\n\r"').startswith(FORMULA), cell


def hostile_report_with(text: str) -> Report:
    from attrs import evolve

    from assay.testing import report_of

    result = next(hostile_report().results)
    attempt = evolve(result.attempts[0], output=text, error=text, verdicts=())
    case = evolve(result.case, id=text or "x", tags=(text,))
    return report_of([evolve(result, case=case, attempts=(attempt,), agent_id=text)])


def test_long_texts_are_cut_to_what_a_cell_takes(make: Make) -> None:
    attempts = [make.attempt(output="😀" * 10_000_000)]
    (row,) = read(make.report([make.result(attempts=attempts)]))
    assert row["output"].endswith("😀…")
    assert len(row["output"].encode("utf-16-le")) / 2 <= 32_767


def test_a_byte_order_mark_when_it_is_asked_for(make: Make) -> None:
    report = make.report([make.result()])
    assert write(report, Csv.Settings(bom=True)) == "\ufeff" + write(report)


def test_hostile_content_stays_in_its_cell(make: Make) -> None:
    results: list[CaseResult] = []
    texts = [*HOSTILE_TEXTS.values(), "\n" * 10_000_000, '"' * 10_000_000, ";=" * 1_000_000]
    for value in (*texts, *HOSTILE_VALUES.values()):
        text = value if isinstance(value, str) else "?"
        check = make.check(text[:50] or "equals", message=text, expected=value, actual=value)
        attempt = make.attempt("failed", output=value, error=text, checks=[check])
        index = len(results)
        results.append(
            make.result(text or "empty", attempts=[attempt], index=index, suite=text, agent=text)
        )
        results.append(make.result(text or "empty", "skipped", index=index + 1, reason=text))
    text = write(make.report(results))
    text.encode()
    assert len(text) < 10_000_000
    assert not set(text) & (set(CONTROL) - set("\r\n\t"))
    table = rows(text)
    assert len(table) == 1 + len(results)
    assert {len(row) for row in table} == {len(table[0])}
    for row in table:
        assert not [cell for cell in row if cell.lstrip().startswith(FORMULA)]


def test_the_contract() -> None:
    check_reporter(Csv)
    check_reporter(Csv, settings=Csv.Settings(bom=True))
