"""Model to JSON lines and back: nothing that a report shows is lost on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.absent import ABSENT
from assay.codec.encode import decode, encode
from assay.codec.lines import (
    FORMAT,
    attempt_from_json,
    attempt_line,
    request_from_json,
    response_from_json,
    result_from_json,
    run_info_from_json,
    summary_from_json,
    to_json,
)
from assay.model.case import AgentRef, Case, Environment, Where
from assay.model.exchange import AgentInfo, Exchange, Origin, Request, Response, Try, Usage
from assay.model.message import Message, ToolCall
from assay.model.outcome import CheckResult, Verdict
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import (
    STATUSES,
    Attempt,
    CaseResult,
    Counts,
    Stability,
    Status,
    SuiteSummary,
)
from assay.stats.stability import stability

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXT = st.text(max_size=12)
WORD = st.text(min_size=1, max_size=8)
COUNT = st.integers(0, 10**6)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=4,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=3)
MAYBE_JSON = st.just(ABSENT) | JSON
MAYBE_TEXT = st.none() | TEXT
PARTS = st.lists(OBJECT, max_size=2).map(tuple)

MESSAGE = st.builds(
    Message,
    role=st.sampled_from(["user", "assistant", "system", "tool"]),
    content=st.none() | TEXT | PARTS,
    name=MAYBE_TEXT,
    tool_calls=PARTS,
    tool_call_id=MAYBE_TEXT,
    refusal=MAYBE_TEXT,
)
MESSAGES = st.lists(MESSAGE, max_size=2).map(tuple)
ENVIRONMENT = st.just(Environment()) | st.builds(
    Environment, user_id=TEXT, locale=TEXT, identity=MAYBE_TEXT
)
REQUEST = st.builds(
    Request,
    messages=MESSAGES,
    environment=ENVIRONMENT,
    chat_id=TEXT,
    connector=MAYBE_TEXT,
    metadata=OBJECT,
    options=OBJECT,
    origin=st.builds(
        Origin,
        suite=TEXT,
        case=TEXT,
        attempt=COUNT,
        turn=COUNT,
        purpose=st.sampled_from(["test", "judge"]),
    ),
)
RESPONSE = st.builds(
    Response,
    text=TEXT,
    data=MAYBE_JSON,
    tool_calls=st.lists(
        st.builds(
            ToolCall,
            name=TEXT,
            arguments=MAYBE_JSON,
            id=MAYBE_TEXT,
            result=MAYBE_JSON,
            error=MAYBE_TEXT,
        ),
        max_size=2,
    ).map(tuple),
    reasoning=MAYBE_TEXT,
    refusal=st.booleans(),
    usage=st.none() | st.builds(Usage, prompt_tokens=st.none() | COUNT, total_tokens=COUNT),
    model=MAYBE_TEXT,
    finish_reason=MAYBE_TEXT,
    ids=st.dictionaries(TEXT, TEXT, max_size=2),
    unknown=st.frozensets(st.sampled_from(["data", "usage"])),
    notes=st.lists(TEXT, max_size=2).map(tuple),
    full_text=MAYBE_TEXT,
    replayed_ms=st.none() | st.integers(0, 10**9),
)
TRY = st.builds(Try, error=TEXT, waited_ms=COUNT, duration_ms=COUNT)
VERDICT = st.builds(
    CheckResult,
    type=TEXT,
    passed=st.booleans(),
    message=TEXT,
    expected=MAYBE_JSON,
    actual=MAYBE_JSON,
    negate=st.booleans(),
    score=st.none() | st.floats(0, 1),
    error=MAYBE_TEXT,
)
RATE = st.floats(0, 100)
STABILITY = st.builds(
    Stability,
    runs=COUNT,
    passed=COUNT,
    failed=COUNT,
    pass_rate=RATE,
    pass_rate_interval=st.tuples(RATE, RATE),
    consistency=st.floats(0, 1),
    stable=st.booleans(),
    stability_class=st.sampled_from(["stable", "mostly_stable", "unstable", "highly_unstable"]),
    avg_duration_ms=COUNT,
    min_duration_ms=COUNT,
    max_duration_ms=COUNT,
    std_deviation_ms=st.floats(0, 1000),
)
RAW_FIELDS = st.fixed_dictionaries(
    {"input": JSON},
    optional={
        "expected": JSON,
        "assert": JSON,
        "user": WORD,
        "team": WORD,
        "tags": st.lists(WORD, max_size=2),
        "metadata": OBJECT,
        "options": OBJECT,
        "timeout": st.just("30s"),
        "skip": st.booleans(),
        "status": JSON,
        "type": JSON,
        "índex": JSON,
    },
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A case that holds what it was read from, or something else: both come back."""
    fields: dict[str, Any] = draw(RAW_FIELDS)
    identity = draw(WORD)
    raw: dict[str, Any] = {"id": identity, **fields}
    read = draw(st.booleans())
    return Case(
        id=identity,
        messages=draw(MESSAGES)
        if not isinstance(raw["input"], str) or not read
        else (Message(content=raw["input"]),),
        expected=raw.get("expected", ABSENT) if read else draw(JSON),
        user=raw.get("user") if read else draw(MAYBE_TEXT),
        team=raw.get("team"),
        tags=tuple(raw.get("tags", ())) if read else (),
        metadata=raw.get("metadata", {}) if read else draw(OBJECT),
        options=raw.get("options", {}),
        skip=raw.get("skip", False) if read else draw(st.booleans()),
        timeout=draw(st.none() | st.floats(0.001, 1000)),
        where=draw(st.just(Where("")) | st.builds(Where, TEXT, st.none() | COUNT)),
        raw=raw,
    )


@st.composite
def attempts(draw: st.DrawFn, case: Case, suite: str, number: int) -> Attempt:
    answer: Response = draw(RESPONSE)
    request = draw(REQUEST)
    if draw(st.booleans()):
        request = evolve(
            request,
            messages=case.messages,
            metadata=case.metadata,
            options=case.options,
            origin=Origin(suite=suite, case=case.id, attempt=number),
        )
    first = Exchange(request=request, response=answer, tries=tuple(draw(st.lists(TRY, max_size=2))))
    more = draw(st.lists(st.builds(Exchange, request=REQUEST, response=RESPONSE), max_size=2))
    exchanges = draw(st.sampled_from([(), (first,), (first, *more)]))
    # One that was answered has the tries before its answer.
    tries = first.tries if len(exchanges) == 1 else tuple(draw(st.lists(TRY, max_size=2)))
    return Attempt(
        number=number,
        status=draw(st.sampled_from(STATUSES)),
        duration_ms=draw(COUNT),
        output=draw(st.just(answer.output) | MAYBE_JSON),
        error=draw(MAYBE_TEXT),
        verdicts=tuple(draw(st.lists(VERDICT, max_size=2))),
        exchanges=exchanges,
        tries=tries,
        unreached=draw(st.booleans()),
        replayed=draw(st.booleans()),
    )


@st.composite
def results(draw: st.DrawFn) -> CaseResult:
    case = draw(cases())
    suite = draw(TEXT)
    tried = tuple(
        draw(attempts(case, suite, number)) for number in range(1, draw(st.integers(0, 3)) + 1)
    )
    like_first = draw(st.booleans()) and bool(tried)
    return CaseResult(
        case=case,
        index=draw(COUNT),
        suite=suite,
        agent_id=draw(TEXT),
        status=tried[0].status if like_first else draw(st.sampled_from(STATUSES)),
        duration_ms=tried[0].duration_ms if like_first else draw(COUNT),
        reason=draw(MAYBE_TEXT),
        attempts=tried,
        stability=draw(st.none() | STABILITY),
        several=draw(st.booleans()),
        incomplete=draw(st.booleans()),
    )


def through_text(value: object) -> Mapping[str, Any]:
    line = encode(to_json(value))
    assert line.splitlines() == [line]
    read: Any = json.loads(line)
    assert decode(line) == read
    return read  # type: ignore[no-any-return] # what JSON holds is Any


def exactly(result: CaseResult) -> str:
    """Text that tells ``1``, ``1.0`` and ``true`` apart, which ``==`` does not."""
    exchanges = [exchange for attempt in result.attempts for exchange in attempt.exchanges]
    return repr(
        (
            result.case.expected,
            sorted(result.case.raw.items()),
            [(attempt.output, attempt.verdicts) for attempt in result.attempts],
            [(exchange.request, exchange.response.data) for exchange in exchanges],
        )
    )


@given(results())
@settings(max_examples=100, deadline=None)
def test_a_result_comes_back_as_it_was(result: CaseResult) -> None:
    read = result_from_json(through_text(result))
    assert read == result
    assert exactly(read) == exactly(result)


@given(results())
@settings(max_examples=40, deadline=None)
def test_attempts_come_back_with_their_case_and_without(result: CaseResult) -> None:
    for attempt in result.attempts:
        line = json.loads(encode(attempt_line(result, attempt)))
        assert line["type"] == "attempt"
        assert (line["id"], line["index"]) == (result.case.id, result.index)
        assert attempt_from_json(line, result.case, result.suite) == attempt
        assert attempt_from_json(through_text(attempt)) == attempt


@given(REQUEST)
def test_a_request_comes_back_without_its_origin(request: Request) -> None:
    assert request_from_json(through_text(request)) == evolve(request, origin=Origin())


@given(RESPONSE)
def test_a_response_comes_back(response: Response) -> None:
    assert response_from_json(through_text(response)) == response


AGENT = st.builds(
    AgentRef,
    transport=TEXT,
    target=TEXT,
    name=TEXT,
    description=MAYBE_TEXT,
    path=st.none() | st.just(Path("a/b")),
    root=st.none() | st.just(Path("/a")),
    connector=MAYBE_TEXT,
)
SUITE = st.builds(
    SuiteInfo,
    source=TEXT,
    agent=AGENT,
    info=st.none()
    | st.builds(AgentInfo, name=MAYBE_TEXT, connector=MAYBE_TEXT, notes=st.lists(TEXT).map(tuple)),
    environment=ENVIRONMENT,
    total_cases=COUNT,
    runs_per_case=COUNT,
    min_pass_rate=RATE,
    file=MAYBE_TEXT,
)
INFO = st.builds(
    RunInfo,
    started_at=TEXT,
    suites=st.lists(SUITE, max_size=2).map(tuple),
    total_cases=COUNT,
    command=MAYBE_TEXT,
    version=TEXT,
    deselected=COUNT,
    verbose=st.booleans(),
    parallel=COUNT,
)
COUNTS = st.builds(
    Counts, **dict.fromkeys(("total", "passed", "failed", "skipped", "errors"), COUNT)
)
SUMMARY = st.builds(
    Summary,
    counts=COUNTS,
    duration_ms=COUNT,
    agent_id=MAYBE_TEXT,
    connector=MAYBE_TEXT,
    runs_per_case=st.none() | COUNT,
    deselected=COUNT,
    stopped=MAYBE_TEXT,
    suites=st.lists(
        st.builds(SuiteSummary, source=TEXT, agent_id=TEXT, connector=MAYBE_TEXT, counts=COUNTS),
        max_size=2,
    ).map(tuple),
    completed_at=TEXT,
)


@given(INFO)
@settings(deadline=None)
def test_the_start_comes_back(info: RunInfo) -> None:
    assert run_info_from_json(through_text(info)) == info


@given(SUMMARY)
def test_the_summary_comes_back(summary: Summary) -> None:
    assert summary_from_json(through_text(summary)) == summary


def plain_result() -> CaseResult:
    raw: dict[str, object] = {"id": "T001", "input": "Name it", "expected": {"keywords": ["AI"]}}
    messages = (Message(content="Name it"),)
    case = Case(
        id="T001",
        messages=messages,
        expected=raw["expected"],
        where=Where("tests/inputs.jsonl", 3),
        raw=raw,
    )
    response = Response(text='{"keywords": ["AI"]}')
    request = Request(
        messages=messages,
        chat_id="test-T001",
        origin=Origin(suite="tests/inputs.jsonl", case="T001"),
    )
    attempt = Attempt(
        number=1,
        status="passed",
        duration_ms=234,
        output=response.output,
        verdicts=(CheckResult(type="equals", passed=True, message="equal"),),
        exchanges=(Exchange(request=request, response=response),),
    )
    return CaseResult(
        case=case,
        index=2,
        suite="tests/inputs.jsonl",
        agent_id="keyword",
        status="passed",
        duration_ms=234,
        attempts=(attempt,),
        stability=Stability(
            runs=1,
            passed=1,
            failed=0,
            pass_rate=100.0,
            pass_rate_interval=(20.7, 100.0),
            consistency=1.0,
            stable=True,
            stability_class="stable",
            avg_duration_ms=234,
            min_duration_ms=234,
            max_duration_ms=234,
            std_deviation_ms=0.0,
        ),
    )


def test_the_line_of_a_single_run_says_everything_once() -> None:
    line = to_json(plain_result())
    assert list(line)[:5] == ["type", "id", "status", "duration_ms", "output"]
    digest = line.pop("hash")
    assert isinstance(digest, str)
    assert len(digest) == 16
    assert int(digest, 16) >= 0
    assert line == {
        "type": "result",
        "id": "T001",
        "status": "passed",
        "duration_ms": 234,
        "output": '{"keywords": ["AI"]}',
        "assertions": [{"type": "equals", "passed": True, "message": "equal"}],
        "index": 2,
        "suite": "tests/inputs.jsonl",
        "agent_id": "keyword",
        "where": {"file": "tests/inputs.jsonl", "line": 3},
        "input": "Name it",
        "expected": {"keywords": ["AI"]},
        "runs": 1,
        "passed": 1,
        "failed": 0,
        "pass_rate": 100.0,
        "stable": True,
        "chat_id": "test-T001",
        "response": {},
    }


@pytest.mark.parametrize("status", ["passed", "failed", "error"])
@pytest.mark.parametrize("output", ["an answer", ABSENT])
def test_figures_that_follow_from_a_single_attempt_are_left_out(
    status: Status, output: object
) -> None:
    result = plain_result()
    attempt = evolve(result.attempts[0], status=status, output=output)
    result = evolve(result, status=status, attempts=(attempt,), stability=stability((attempt,)))
    line = to_json(result)
    assert "stability_class" not in line
    assert line["pass_rate"] == (100.0 if status == "passed" else 0.0)
    read = result_from_json(line)
    assert read.stability == stability((attempt,))


def test_the_line_of_several_runs_has_the_names_of_the_design() -> None:
    single = plain_result()
    failed = evolve(single.attempts[0], number=2, status="failed", output="none", error="not equal")
    figures = single.stability
    assert figures is not None
    result = evolve(
        single,
        status="failed",
        attempts=(single.attempts[0], failed),
        several=True,
        stability=evolve(
            figures, runs=2, failed=1, pass_rate=50.0, stable=False, stability_class="unstable"
        ),
    )
    line = to_json(result)
    assert line["output"] == "none"
    assert line["error"] == "not equal"
    for name in (
        "runs",
        "passed",
        "failed",
        "pass_rate",
        "consistency",
        "stable",
        "stability_class",
        "avg_duration_ms",
        "min_duration_ms",
        "max_duration_ms",
        "std_deviation_ms",
        "pass_rate_interval",
    ):
        assert name in line
    details: Any = line["run_details"]
    assert [list(detail)[:4] for detail in details] == [
        ["run", "status", "duration_ms", "output"]
    ] * 2
    assert result_from_json(line) == result


def test_a_skipped_case_says_why() -> None:
    result = evolve(
        plain_result(), status="skipped", reason="it says skip", attempts=(), stability=None
    )
    line = to_json(result)
    assert line["status"] == "skipped"
    assert line["reason"] == "it says skip"
    assert not {"output", "error", "assertions", "pass_rate"} & line.keys()


def test_the_hash_does_not_depend_on_the_order_of_keys() -> None:
    result = plain_result()
    turned = evolve(
        result, case=evolve(result.case, raw=dict(reversed(list(result.case.raw.items()))))
    )
    changed = evolve(result, case=evolve(result.case, raw={**result.case.raw, "input": "Else"}))
    assert to_json(turned)["hash"] == to_json(result)["hash"]
    assert to_json(changed)["hash"] != to_json(result)["hash"]


def test_the_start_line_has_the_names_of_the_design() -> None:
    agent = AgentRef(transport="echo", target="", name="keyword", connector="deepseek.v3")
    info = RunInfo(
        started_at="2024-12-17T10:00:00Z",
        suites=(SuiteInfo(source="a.jsonl", agent=agent, total_cases=42),),
        total_cases=42,
        version="1.0",
    )
    line = to_json(info)
    assert list(line)[:4] == ["type", "timestamp", "agent_id", "total_cases"]
    assert line["type"] == "start"
    assert line["agent_id"] == "keyword"
    assert line["connector"] == "deepseek.v3"
    assert line["format"] == FORMAT
    assert line["environment"] == to_json(Environment())


def test_the_summary_line_counts_and_rates() -> None:
    counts = Counts(total=42, passed=40, failed=2, total_runs=42, passed_runs=40)
    line = to_json(Summary(counts=counts, duration_ms=12345, agent_id="keyword"))
    assert list(line)[:6] == ["type", "total", "passed", "failed", "skipped", "duration_ms"]
    assert line["overall_pass_rate"] == line["pass_rate"] == 95.2
    assert line["connector"] is None
    assert line["total_cases"] == 42


def test_a_verdict_leaves_out_what_is_absent() -> None:
    assert to_json(Verdict(passed=True)) == {"passed": True, "message": ""}
    assert to_json(Verdict.unmet("no JSON", expected=None)) == {
        "passed": False,
        "message": "no JSON",
        "expected": None,
        "unmet": True,
    }


def test_a_request_has_every_key_for_the_program_that_reads_it() -> None:
    line = to_json(Request(messages=(Message(content="hello"),)))
    assert line == {
        "messages": [{"role": "user", "content": "hello"}],
        "environment": to_json(Environment()),
        "chat_id": "",
        "connector": None,
        "metadata": {},
        "options": {},
    }


def test_what_is_no_model_value_has_no_json_form() -> None:
    with pytest.raises(TypeError, match="a set has no JSON form"):
        to_json(set[str]())


def test_to_json_is_public() -> None:
    assert assay.to_json is to_json


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("id", 7, "id: expected text, got a number"),
        ("status", "green", "status: 'green' is none of passed"),
        ("index", True, "index: expected a whole number"),
        ("duration_ms", None, "duration_ms: expected a whole number, got null"),
        ("assertions", {}, "assertions: expected a list, got an object"),
        ("assertions", [1], "assertions: expected an object, got a number"),
        ("response", "x", "response: expected an object, got a string"),
        ("where", {"file": 1}, "file: expected text"),
    ],
)
def test_a_line_that_assay_did_not_write_is_told(key: str, value: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        result_from_json({**to_json(plain_result()), key: value})
