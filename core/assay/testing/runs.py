"""Made-up runs, for trying reporters out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay._version import __version__
from assay.absent import ABSENT
from assay.model.case import AgentRef, Case, Environment, Where
from assay.model.exchange import Exchange, Request, Response, Usage
from assay.model.message import Message, ToolCall
from assay.model.outcome import CheckResult
from assay.model.report import Report, RunInfo, SuiteInfo, Summary
from assay.model.result import Attempt, CaseResult, Counts, Stability, SuiteSummary
from assay.testing.hostile import HOSTILE_TEXTS, HOSTILE_VALUES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.model.result import Status

_SUITES = ("tests/inputs.jsonl", "tests/<b>odd|`name`_[x](y).jsonl")
_AGENTS = ("keyword", "odd.<agent>|`x`")
_STATUSES: tuple[Status, ...] = ("failed", "passed", "error", "timeout")


def hostile_report() -> Report:
    """Make the report of a run in which agents, ids, tags and checks are hostile.

    It has two suites, cases of every status, cases that ran several times, and every text and
    value of ``HOSTILE_TEXTS`` and ``HOSTILE_VALUES``.
    """
    return report_of(tuple(_hostile_results()))


def large_report(cases: int) -> Report:
    """Make the report of a run with many cases, which are made as they are read."""

    def read() -> Iterator[CaseResult]:
        for index in range(cases):
            yield _result(index, f"T{index:06}", f"answer {index}", _STATUSES[index % 4])

    return report_of(read)


def report_of(results: Sequence[CaseResult] | Callable[[], Iterator[CaseResult]]) -> Report:
    """Make a report of results, its figures counted."""
    read = results if callable(results) else lambda: iter(results)
    counts = [_counts(result for result in read() if result.suite == suite) for suite in _SUITES]
    total = _counts(read())
    suites = tuple(
        SuiteInfo(
            source=suite,
            agent=AgentRef(transport="echo", target="", name=agent, path=Path("agents")),
            environment=Environment(user_id="<user>", team_id="`team`|"),
            total_cases=counted.total,
            file=suite,
        )
        for suite, agent, counted in zip(_SUITES, _AGENTS, counts, strict=True)
    )
    summary = Summary(
        counts=total,
        duration_ms=61_234,
        suites=tuple(
            SuiteSummary(source=suite, agent_id=agent, counts=counted)
            for suite, agent, counted in zip(_SUITES, _AGENTS, counts, strict=True)
        ),
        completed_at="2026-01-02T03:05:06Z",
    )
    info = RunInfo(
        started_at="2026-01-02T03:04:05Z",
        suites=suites,
        total_cases=total.total,
        command="assay test -i 'tests/<b>'",
        version=__version__,
    )
    return Report(info=info, summary=summary, read=read, exit_code=1 if total.failed else 0)


def _hostile_results() -> Iterator[CaseResult]:
    index = 0
    for name, text in HOSTILE_TEXTS.items():
        identity = text[:300] or name
        yield _result(index, identity, text, _STATUSES[index % 4], text=text)
        yield _result(index + 1, f"several {name}", text, _STATUSES[index % 3], text=text, runs=3)
        yield _skipped(index + 2, f"skipped {name}", text)
        index += 3
    for name, value in HOSTILE_VALUES.items():
        yield _result(index, f"value {name}", value, _STATUSES[index % 4])
        index += 1
    yield _result(index, "no output", ABSENT, "error")


def _result(
    index: int, identity: str, output: object, status: Status, *, text: str = "", runs: int = 1
) -> CaseResult:
    case = _case(index, identity, text)
    attempts = tuple(
        _attempt(case, number, output, status if number == 1 else "passed", text)
        for number in range(1, runs + 1)
    )
    passed = sum(attempt.status == "passed" for attempt in attempts)
    return CaseResult(
        case=case,
        index=index,
        suite=_SUITES[index % 2],
        agent_id=_AGENTS[index % 2],
        status=status,
        duration_ms=234,
        attempts=attempts,
        stability=_stability(runs, passed),
        several=runs > 1,
    )


def _skipped(index: int, identity: str, text: str) -> CaseResult:
    return CaseResult(
        case=_case(index, identity, text),
        index=index,
        suite=_SUITES[index % 2],
        agent_id=_AGENTS[index % 2],
        status="skipped",
        reason=text or "marked as skipped",
    )


def _case(index: int, identity: str, text: str) -> Case:
    question = text or "What is it?"
    return Case(
        id=identity,
        messages=(Message(content=question),),
        expected=text or ABSENT,
        tags=("smoke", text[:100]) if text else (),
        metadata={"note": text},
        where=Where(_SUITES[index % 2], index + 1),
        raw={"id": identity, "input": question},
    )


def _attempt(case: Case, number: int, output: object, status: Status, text: str) -> Attempt:
    message = text or "expected 'x', got 'y'"
    verdict = CheckResult(
        type="equals",
        passed=status == "passed",
        message=message,
        expected={"value": text},
        actual=output,
        error=message if status == "error" else None,
    )
    response = Response(
        text=output if isinstance(output, str) else "",
        data=ABSENT if isinstance(output, str) else output,
        tool_calls=(ToolCall(name=text or "search", arguments={"q": text}, result=text),),
        usage=Usage(prompt_tokens=12, completion_tokens=34, total_tokens=46),
        notes=(text,) if text else (),
    )
    answered = status in ("passed", "failed")
    return Attempt(
        number=number,
        status=status,
        duration_ms=200 + number,
        output=ABSENT if status == "timeout" else output,
        error=None if status == "passed" else message,
        verdicts=(verdict,) if answered else (),
        exchanges=(Exchange(request=Request(messages=case.messages), response=response),)
        if answered
        else (),
    )


def _stability(runs: int, passed: int) -> Stability:
    rate = round(100 * passed / runs, 1)
    return Stability(
        runs=runs,
        passed=passed,
        failed=runs - passed,
        pass_rate=rate,
        pass_rate_interval=(20.8, 93.9),
        consistency=1.0,
        stable=passed == runs,
        stability_class="stable" if passed == runs else "unstable",
        avg_duration_ms=234,
        min_duration_ms=200,
        max_duration_ms=300,
        std_deviation_ms=18.5,
    )


def _counts(results: Iterable[CaseResult]) -> Counts:
    statuses: list[str] = []
    total_runs = passed_runs = stable = 0
    for result in results:
        statuses.append(result.status)
        total_runs += len(result.attempts)
        passed_runs += sum(attempt.status == "passed" for attempt in result.attempts)
        stable += result.stability is not None and result.stability.stable
    skipped = statuses.count("skipped")
    passed = statuses.count("passed")
    return Counts(
        total=len(statuses),
        passed=passed,
        failed=len(statuses) - passed - skipped,
        skipped=skipped,
        errors=statuses.count("error"),
        timeouts=statuses.count("timeout"),
        total_runs=total_runs,
        passed_runs=passed_runs,
        stable_cases=stable,
        unstable_cases=len(statuses) - skipped - stable,
    )
