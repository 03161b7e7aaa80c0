"""The tap reporter."""

from __future__ import annotations

import io
import re
from typing import Literal

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assay import (
    AgentRef,
    Attempt,
    Case,
    CaseResult,
    Counts,
    Report,
    RunInfo,
    Stability,
    SuiteInfo,
    Summary,
)
from assay.testing import check_reporter
from assay_example.tap import Tap

Status = Literal["passed", "failed", "error", "timeout", "skipped"]

AGENT = AgentRef(transport="echo", target="", name="agent")


def result(
    case_id: str = "T001",
    status: Status = "passed",
    *,
    error: str | None = None,
    reason: str | None = None,
    stability: Stability | None = None,
) -> CaseResult:
    attempt = Attempt(number=1, status=status, duration_ms=7, error=error)
    return CaseResult(
        case=Case(id=case_id, messages=()),
        index=0,
        suite="a.jsonl",
        agent_id="agent",
        status=status,
        duration_ms=7,
        reason=reason,
        attempts=() if status == "skipped" else (attempt,),
        stability=stability,
        several=stability is not None,
    )


def written(*results: CaseResult, suites: int = 1, stopped: str | None = None) -> str:
    info = RunInfo(
        started_at="2024-01-01T00:00:00Z",
        suites=tuple(SuiteInfo(source=f"{number}.jsonl", agent=AGENT) for number in range(suites)),
        total_cases=len(results),
    )
    summary = Summary(counts=Counts(total=len(results)), duration_ms=0, stopped=stopped)
    out = io.StringIO()
    Tap().write(Report(info=info, summary=summary, read=lambda: iter(results)), out)
    return out.getvalue()


def test_a_report_has_a_line_per_case() -> None:
    text = written(
        result("T001"),
        result("T002", "failed", error="expected 3, got 4\nmore"),
        result("T003", "skipped", reason="skip is set"),
        result("T004", "timeout", error="timeout after 30s"),
    )

    assert text == (
        "TAP version 14\n"
        "ok 1 - T001\n"
        "not ok 2 - T002\n"
        "  ---\n"
        '  status: "failed"\n'
        "  duration_ms: 7\n"
        '  message: "expected 3, got 4\\nmore"\n'
        "  ...\n"
        "ok 3 - T003 # SKIP skip is set\n"
        "not ok 4 - T004\n"
        "  ---\n"
        '  status: "timeout"\n'
        "  duration_ms: 7\n"
        '  message: "timeout after 30s"\n'
        "  ...\n"
        "1..4\n"
    )


def test_several_suites_are_named() -> None:
    assert "ok 1 - a.jsonl: T001\n" in written(result(), suites=2)


def test_a_run_that_was_stopped_bails_out() -> None:
    assert written(result(), stopped="interrupted").endswith("1..1\nBail out! interrupted\n")


def test_an_empty_report_has_an_empty_plan() -> None:
    assert written() == "TAP version 14\n1..0\n"


def test_several_runs_tell_their_pass_rate() -> None:
    stability = Stability(
        runs=3,
        passed=2,
        failed=1,
        pass_rate=66.7,
        pass_rate_interval=(20.8, 93.9),
        consistency=1.0,
        stable=False,
        stability_class="unstable",
        avg_duration_ms=7,
        min_duration_ms=7,
        max_duration_ms=7,
        std_deviation_ms=0.0,
    )

    text = written(result(status="failed", stability=stability))

    assert "  pass_rate: 66.7\n" in text


@pytest.mark.parametrize(
    ("case_id", "shown"),
    [
        ("a # SKIP b", "a \\# SKIP b"),
        ("a\nnot ok 2", "a\\u000anot ok 2"),
        ("a\\#", "a\\\\\\#"),
        ("\x1b[31m\u202e", "\\u001b[31m\\u202e"),
        ("日本語 🎉", "日本語 🎉"),
    ],
)
def test_ids_mean_nothing_to_readers(case_id: str, shown: str) -> None:
    assert f"ok 1 - {shown}\n1..1\n" in written(result(case_id))


def test_it_keeps_the_contract_of_reporters() -> None:
    check_reporter(Tap)


@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=50))
def test_hostile_text_never_makes_lines_of_its_own(text: str) -> None:
    report = written(
        result(text), result(text, "failed", error=text), result("c", "skipped", reason=text)
    )

    lines = report.split("\n")
    assert lines == [*report.splitlines(), ""]
    assert [line for line in lines if re.match(r"(not )?ok |\d+\.\.|Bail", line)] == [
        lines[1],
        lines[2],
        lines[-3],
        "1..3",
    ]
    assert [bool(re.search(r"(?<!\\)(\\\\)*#", line)) for line in (lines[1], lines[2])] == [
        False
    ] * 2
    block = "\n".join(lines[lines.index("  ---") + 1 : lines.index("  ...")])
    assert yaml.safe_load(block)["message"] == text
