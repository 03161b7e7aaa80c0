"""Runs, results and reports of any shape, made of the model's own classes."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, cast

import pytest
from attrs import frozen

from assay import (
    ABSENT,
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
    Report,
    Request,
    Response,
    RunInfo,
    Stability,
    SuiteInfo,
    SuiteSummary,
    Summary,
    Try,
    Where,
)
from assay.jsonvalue import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assay.model.result import StabilityClass, Status

SUITE = "tests/inputs.jsonl"


@frozen
class Make:
    """Makes parts of reports; each has sensible defaults."""

    def check(
        self,
        kind: str = "equals",
        *,
        passed: bool = False,
        message: str = "",
        expected: object = ABSENT,
        actual: object = ABSENT,
        negate: bool = False,
        error: str | None = None,
    ) -> CheckResult:
        """A check with its verdict, by default one that failed."""
        return CheckResult(
            type=kind,
            passed=passed,
            message=message,
            expected=expected,
            actual=actual,
            negate=negate,
            error=error,
        )

    def attempt(
        self,
        status: Status = "passed",
        *,
        number: int = 1,
        ms: int = 234,
        output: object = "fine",
        error: str | None = None,
        checks: Sequence[CheckResult] = (),
        tries: Sequence[Try] = (),
        notes: Sequence[str] = (),
    ) -> Attempt:
        """One run of a case. The error of a failed one is that of its checks, as core joins it."""
        if error is None and status == "failed":
            error = "; ".join(check.message for check in checks if not check.passed)
        text = output if isinstance(output, str) else ""
        response = Response(text=text, notes=tuple(notes))
        exchange = Exchange(request=Request(messages=()), response=response)
        return Attempt(
            number=number,
            status=status,
            duration_ms=ms,
            output=output,
            error=error,
            verdicts=tuple(checks),
            exchanges=(exchange,) if notes else (),
            tries=tuple(tries),
        )

    def result(
        self,
        id: str = "T001",
        status: Status | None = None,
        attempts: Sequence[Attempt] | None = None,
        *,
        input: object = "What is the weather?",
        index: int = 0,
        suite: str = SUITE,
        agent: str = "keyword",
        line: int | None = None,
        reason: str | None = None,
        unasserted: bool = False,
        incomplete: bool = False,
        several: bool | None = None,
    ) -> CaseResult:
        """A case with its attempts; its status and figures come from them."""
        if attempts is None:
            attempts = () if status == "skipped" else (self.attempt(status or "passed"),)
        bad: list[Status] = [one.status for one in attempts if one.status != "passed"]
        ended: Status = status or (bad[0] if bad else "passed")
        raw: dict[str, object] = {"id": id, "input": input}
        if not unasserted:
            raw["assert"] = {"type": "contains", "value": "x"}
        durations = [attempt.duration_ms for attempt in attempts]
        return CaseResult(
            case=Case(
                id=id,
                messages=_messages(input),
                where=Where(suite, index + 1 if line is None else line),
                raw=raw,
            ),
            index=index,
            suite=suite,
            agent_id=agent,
            status=ended,
            duration_ms=round(fmean(durations)) if durations else 0,
            reason=reason,
            attempts=tuple(attempts),
            stability=_stability(attempts) if attempts else None,
            several=len(attempts) > 1 if several is None else several,
            incomplete=incomplete,
        )

    def suite(
        self,
        source: str = SUITE,
        *,
        agent: str = "keyword",
        connector: str | None = "deepseek.v3",
        cases: int = 1,
        runs: int = 1,
        environment: Environment | None = None,
        notes: Sequence[str] = (),
    ) -> SuiteInfo:
        """A suite as it was when the run started."""
        return SuiteInfo(
            source=source,
            file=source,
            agent=AgentRef(transport="echo", target="", name=agent, connector=connector),
            info=AgentInfo(notes=tuple(notes)),
            environment=environment or Environment(),
            total_cases=cases,
            runs_per_case=runs,
        )

    def info(
        self, suites: Sequence[SuiteInfo] = (), *, parallel: int = 1, deselected: int = 0
    ) -> RunInfo:
        """How a run was started; by default with one suite of one case."""
        suites = suites or (self.suite(),)
        return RunInfo(
            started_at="2024-12-17T10:00:00Z",
            suites=tuple(suites),
            total_cases=sum(suite.total_cases for suite in suites),
            command="assay test -i tests/inputs.jsonl",
            version="0.1.0",
            parallel=parallel,
            deselected=deselected,
        )

    def summary(
        self,
        results: Iterable[CaseResult],
        info: RunInfo,
        *,
        ms: int = 12345,
        stopped: str | None = None,
    ) -> Summary:
        """How a run with these results ended."""
        results = list(results)
        return Summary(
            counts=_counts(results),
            duration_ms=ms,
            agent_id=info.agent_id,
            connector=info.connector,
            runs_per_case=info.runs_per_case,
            deselected=info.deselected,
            stopped=stopped,
            suites=tuple(
                SuiteSummary(
                    source=suite.source,
                    agent_id=suite.agent.name,
                    connector=suite.agent.connector,
                    counts=_counts([one for one in results if one.suite == suite.source]),
                )
                for suite in info.suites
            ),
            completed_at="2024-12-17T10:00:12Z",
        )

    def report(
        self,
        results: Sequence[CaseResult],
        info: RunInfo | None = None,
        *,
        stopped: str | None = None,
    ) -> Report:
        """A run that had these results, which are read anew each time."""
        if info is None:
            info = self.info([self.suite(cases=len(results), runs=_runs(results))])
        return Report(
            info=info,
            summary=self.summary(results, info, stopped=stopped),
            read=_reader(results),
        )

    def several_kinds(self) -> list[CaseResult]:
        """Cases of every kind, as agents and people write them."""
        check, attempt = self.check, self.attempt
        letter = "Dear Sir,\nyour order was sent on {}.\nIt will arrive soon.\nYours"
        prose = "The quick brown fox jumps over the lazy dog. "
        wanted = {"keywords": ["AI", "ML", "edge"], "score": 0.9, "lang": "en"}
        given = {"lang": "en", "keywords": ["AI", "cloud", "edge"], "score": 0.7}
        found = '$.keywords[1]: expected "ML", got "cloud"'
        path = check("json_path", message="$.need_search: expected true, got false")
        equals = check("equals", message=found, expected=wanted, actual=given)
        texts = check(
            message="the texts differ",
            expected=letter.format("Tuesday"),
            actual=letter.format("Monday"),
        )
        word = check(
            "contains",
            message='"hippopotamus" not found',
            expected="hippopotamus",
            actual=prose * 20,
        )
        broken = check(
            "script", message="boom", error="scripts.test.Validate raised ValueError: boom"
        )
        unwanted = check("contains", negate=True, message='negated, but it holds: found "order"')
        good = check("regex", passed=True, message='found "sent"')
        tries = [Try(error="503"), Try(error="503: busy")]
        notes = ["the answer was cut by the model"]
        talk = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]
        shown = {
            "T002": attempt("failed", ms=1234, output={"need_search": False}, checks=[path]),
            "T003": attempt("failed", ms=531, output=given, checks=[equals]),
            "T004": attempt("error", ms=12, output=ABSENT, error="answered 503", tries=tries),
            "T005": attempt("timeout", ms=30000, output=ABSENT, error="timeout after 30s"),
            "T008": attempt("failed", output=prose * 20, checks=[word]),
            "T009": attempt(
                "failed",
                output=letter.format("Monday"),
                checks=[texts, good, broken, unwanted],
                notes=notes,
            ),
        }
        return [
            self.result("T001"),
            *(
                self.result(name, attempts=[shown[name]], index=int(name[-1]) - 1)
                for name in ("T002", "T003", "T004", "T005")
            ),
            self.result("T006", "skipped", index=5, reason="skip is set in the case"),
            self.result("T007", index=6, unasserted=True, input=talk),
            self.result("T008", attempts=[shown["T008"]], index=7),
            self.result("T009", attempts=[shown["T009"]], index=8),
        ]

    def several_runs(self) -> list[CaseResult]:
        """Cases that ran three times each."""
        missing = self.check("contains", message='"fine" not found', expected="fine")
        attempt = self.attempt
        wavering = [
            attempt(number=1, ms=100),
            attempt("failed", number=2, ms=220, output="other", checks=[missing]),
            attempt(number=3, ms=50),
        ]
        failing = [
            attempt("failed", number=number, ms=10, output="no", checks=[missing])
            for number in (1, 2, 3)
        ]
        steady = [attempt(number=number, ms=200 + number) for number in (1, 2, 3)]
        return [
            self.result("steady", attempts=steady, index=0),
            self.result("wavering", attempts=wavering, index=1),
            self.result("failing", attempts=failing, index=2),
            self.result("stopped", attempts=steady[:1], index=3, several=True, incomplete=True),
            self.result(
                "never run", "skipped", index=4, reason="--fail-fast: failing did not pass"
            ),
        ]


def _reader(results: Sequence[CaseResult]) -> Callable[[], Iterator[CaseResult]]:
    return lambda: iter(results)


def _runs(results: Sequence[CaseResult]) -> int:
    return max((len(result.attempts) for result in results), default=1) or 1


def _messages(written: object) -> tuple[Message, ...]:
    if isinstance(written, str):
        return (Message(content=written),)
    items = cast("list[dict[str, object]]", written if isinstance(written, list) else [written])
    return tuple(
        Message(role=str(item.get("role", "user")), content=_content(item["content"]))
        for item in items
    )


def _content(written: object) -> str | tuple[Mapping[str, object], ...]:
    if isinstance(written, list):
        return tuple(cast("list[Mapping[str, object]]", written))
    return str(written)


def _stability(attempts: Sequence[Attempt]) -> Stability:
    runs = len(attempts)
    passed = sum(attempt.status == "passed" for attempt in attempts)
    rate = 100 * passed / runs
    grade: StabilityClass = (
        "stable"
        if rate == 100
        else "mostly_stable"
        if rate >= 80
        else "unstable"
        if rate >= 50
        else "highly_unstable"
    )
    durations = [attempt.duration_ms for attempt in attempts]
    frequent = Counter(map(_answer, attempts)).most_common(1)[0][1]
    return Stability(
        runs=runs,
        passed=passed,
        failed=runs - passed,
        pass_rate=round(rate, 1),
        pass_rate_interval=(round(rate / 2, 1), round((rate + 100) / 2, 1)),
        consistency=round(frequent / runs, 2),
        stable=passed == runs,
        stability_class=grade,
        avg_duration_ms=round(fmean(durations)),
        min_duration_ms=min(durations),
        max_duration_ms=max(durations),
        std_deviation_ms=round(pstdev(durations), 1),
    )


def _answer(attempt: Attempt) -> str | None:
    return None if attempt.output is ABSENT else compact(attempt.output)


def _counts(results: Sequence[CaseResult]) -> Counts:
    statuses = Counter(result.status for result in results)
    ran = [result for result in results if result.stability is not None]
    return Counts(
        total=len(results),
        passed=statuses["passed"],
        failed=statuses["failed"] + statuses["error"] + statuses["timeout"],
        skipped=statuses["skipped"],
        errors=statuses["error"],
        timeouts=statuses["timeout"],
        unasserted=sum(not result.case.has_checks for result in results),
        total_runs=sum(len(result.attempts) for result in ran),
        passed_runs=sum(result.stability.passed for result in ran if result.stability),
        stable_cases=sum(result.stability.stable for result in ran if result.stability),
        unstable_cases=sum(not result.stability.stable for result in ran if result.stability),
    )


@pytest.fixture
def make() -> Make:
    """Makes parts of reports."""
    return Make()


@pytest.fixture
def same_as() -> Callable[[str, str], None]:
    """Compares a text with a file of ``expected/``, in full.

    With ``WRITE_EXPECTED=1`` in the environment the file is written, to be looked at.
    """

    def compare(name: str, text: str) -> None:
        file = Path(__file__).parent / "expected" / name
        if os.environ.get("WRITE_EXPECTED"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        assert text == file.read_text(encoding="utf-8")

    return compare
