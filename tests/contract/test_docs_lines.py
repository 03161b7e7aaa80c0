"""Every field of every line that a run writes stands in the reference, and no other one."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from assay import (
    AgentInfo,
    AgentRef,
    Attempt,
    Case,
    CaseResult,
    CheckResult,
    Counts,
    Environment,
    Exchange,
    Message,
    Origin,
    Report,
    Request,
    Response,
    RunInfo,
    Stability,
    SuiteInfo,
    SuiteSummary,
    Summary,
    ToolCall,
    Try,
    Usage,
    Where,
    to_json,
)
from assay.codec.lines import attempt_line
from assay.discovery.manager import make_plugins
from doc_pages import page

if TYPE_CHECKING:
    from collections.abc import Iterator

# Values in which nothing is as it is by default, so that nothing is left out of their JSON.
ENVIRONMENT = Environment(
    user_id="u",
    team_id="t",
    locale="de",
    client_type="c",
    client_ip="::1",
    referer="r",
    accept="a",
    identity="server",
)
RESPONSE = Response(
    text="text",
    data={"a": 1},
    tool_calls=(ToolCall(name="n", arguments={}, id="1", result=1, error="e"),),
    reasoning="because",
    refusal=True,
    usage=Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3),
    model="m",
    finish_reason="stop",
    ids={"trace": "1"},
    unknown=frozenset({"usage"}),
    notes=("note",),
    full_text="all text",
    replayed_ms=7,
)
REQUEST = Request(
    messages=(Message(content="other"),),
    environment=ENVIRONMENT,
    chat_id="chat",
    connector="c",
    metadata={"a": 1},
    options={"b": 2},
    origin=Origin(suite="s", case="c", attempt=3, turn=4, purpose="judge"),
)
TRY = Try(error="e", waited_ms=1, duration_ms=2)
CHECK = CheckResult(
    type="t",
    passed=True,
    message="m",
    expected=1,
    actual=2,
    negate=True,
    score=0.5,
    error="e",
)
RAW: dict[str, Any] = {
    "id": "T1",
    "input": "hello",
    "expected": 1,
    "assert": {"type": "equals", "value": 1},
    "user": "u",
    "team": "t",
    "metadata": {"m": 1},
    "options": {"mode": "o"},
    "skip": False,
    "timeout": "3s",
    "tags": ["tag"],
    "ticket": "A-17",
}
CASE = Case(
    id="T1",
    messages=(Message(content="hello"),),
    expected=1,
    user="u",
    team="t",
    tags=("tag",),
    metadata={"m": 1},
    options={"mode": "o"},
    timeout=3.0,
    where=Where("cases.jsonl", 3),
    raw=RAW,
)
STABILITY = Stability(
    runs=2,
    passed=1,
    failed=1,
    pass_rate=50.0,
    pass_rate_interval=(9.5, 90.5),
    consistency=0.5,
    stable=False,
    stability_class="unstable",
    avg_duration_ms=5,
    min_duration_ms=4,
    max_duration_ms=6,
    std_deviation_ms=1.0,
)
COUNTS = Counts(total=1, failed=1)


def attempt(*exchanges: Exchange) -> Attempt:
    return Attempt(
        number=1,
        status="error",
        duration_ms=1,
        output={"other": 1},
        error="e",
        verdicts=(CHECK,),
        exchanges=exchanges,
        tries=(TRY,),
        unreached=True,
        replayed=True,
    )


ONE = attempt(Exchange(request=REQUEST, response=RESPONSE, tries=(TRY,)))
TWO = attempt(*ONE.exchanges, *ONE.exchanges)
DATA = attrs.evolve(ONE, output=RESPONSE.data)


def result(*attempts: Attempt, several: bool = False, reason: str | None = None) -> CaseResult:
    return CaseResult(
        case=CASE,
        index=0,
        suite="cases.jsonl",
        agent_id="a",
        status="error",
        duration_ms=1,
        reason=reason,
        attempts=attempts,
        stability=STABILITY,
        several=several,
        incomplete=True,
    )


RESULTS = (
    result(ONE, reason="why"),
    result(TWO),
    result(ONE, TWO, several=True),
    result(attrs.evolve(ONE, number=2)),
    result(DATA),
)
SUITE = SuiteInfo(
    source="cases.jsonl",
    agent=AgentRef(
        transport="t",
        target="t",
        name="a",
        title="t",
        description="d",
        path=Path("agent"),
        root=Path(),
        connector="c",
    ),
    info=AgentInfo(name="n", description="d", connector="c", notes=("note",), replayed="run.rec"),
    environment=ENVIRONMENT,
    deselected=1,
    file="cases.jsonl",
)
INFO = RunInfo(
    started_at="2026-01-02T03:04:05Z",
    suites=(SUITE,),
    total_cases=1,
    command="assay test",
    version="0",
    filters="--tag x",
    shard="1/2",
    verbose=True,
)
SUMMARY = Summary(
    counts=COUNTS,
    duration_ms=1,
    stopped="why",
    suites=(SuiteSummary(source="cases.jsonl", agent_id="a", counts=COUNTS),),
)


@pytest.mark.parametrize(
    "value", [RESPONSE, CHECK, ENVIRONMENT, REQUEST], ids=lambda v: type(v).__name__
)
def test_nothing_is_left_at_its_default(value: Any) -> None:
    """Otherwise what follows would not see a field that was added."""
    left = [
        each.name
        for each in attrs.fields(type(value))
        if each.default is not attrs.NOTHING
        and getattr(value, each.name) == each.default
        and each.name != "files"
    ]

    assert left == []


def keys(*lines: object) -> set[str]:
    return {key for line in lines if isinstance(line, dict) for key in line}


def found(key: str, value: object) -> Iterator[object]:
    """Give all values of a key, wherever it stands."""
    if isinstance(value, dict):
        for name, held in value.items():
            if name == key:
                yield from held if isinstance(held, list) else [held]
            yield from found(key, held)
    elif isinstance(value, list):
        for item in value:
            yield from found(key, item)


START = to_json(INFO)
LINES = [to_json(each) for each in RESULTS]
ATTEMPTS = [attempt_line(RESULTS[2], each) for each in (ONE, TWO)]
SUMMARY_LINE = {**to_json(SUMMARY), "exit_code": 1}


def told(title: str) -> set[str]:
    """Give the fields that a section of the page has rows for."""
    return set(page("reports")[title].tables[0].column(0))


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("The start line", keys(START)),
        ("Entries of suites", keys(*found("suites", START))),
        ("attempt lines", keys(*ATTEMPTS)),
        ("result lines", keys(*LINES)),
        ("Entries of assertions", keys(*found("assertions", LINES))),
        ("response", keys(*found("response", LINES))),
        ("The summary line", keys(SUMMARY_LINE)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_fields_of_a_line_have_rows(title: str, wanted: set[str]) -> None:
    assert told(title) == wanted


@pytest.mark.parametrize(
    "key",
    ["environment", "info", "where", "request", "origin", "tool_calls", "usage", "tries"],
)
def test_the_fields_within_a_field_are_told(key: str) -> None:
    within = keys(*found(key, [START, *LINES, *ATTEMPTS]))

    assert within
    assert within <= page("reports")["jsonl"].codes


def test_what_is_told_of_the_json_report_is_there() -> None:
    reporter: Any = make_plugins().reporter("json")
    out = io.StringIO()
    reporter(None).write(Report(info=INFO, summary=SUMMARY, read=lambda: iter(RESULTS)), out)
    report = json.loads(out.getvalue())

    assert told("json") == set(report)
    assert {*report["metadata"], "id", "reason", "suite"} <= page("reports")["json"].codes
    assert keys(SUMMARY_LINE) - keys(report["summary"]) == {"type", "exit_code"}
    always = ("id", "status", "input", "output", "expected", "duration_ms", "error")
    assert all(key in each for key in always for each in report["results"])
