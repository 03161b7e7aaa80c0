"""A run to write down: small, and as hostile as asked for."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve, frozen

from assay.model.case import AgentRef, Case, Environment, Where
from assay.model.exchange import Exchange, Origin, Request, Response
from assay.model.message import Message
from assay.model.outcome import CheckResult
from assay.model.report import RunInfo, SuiteInfo, Summary
from assay.model.result import Attempt, CaseResult, Counts, Stability, SuiteSummary


@frozen
class Run:
    """Makes the parts of a run."""

    sources: tuple[str, ...] = ("tests/inputs.jsonl",)
    cases_each: int = 3

    @property
    def info(self) -> RunInfo:
        suites = tuple(
            SuiteInfo(
                source=source,
                agent=AgentRef(transport="echo", target="", name=f"agent-{number}"),
                environment=Environment(),
                total_cases=self.cases_each,
            )
            for number, source in enumerate(self.sources)
        )
        return RunInfo(
            started_at="2024-12-17T10:00:00Z",
            suites=suites,
            total_cases=self.cases_each * len(suites),
            command="assay test -i tests",
            version="1.0",
        )

    def result(
        self, index: int, answer: object = "fine", *, passed: bool = True, **changes: Any
    ) -> CaseResult:
        number = index // self.cases_each
        suite = self.sources[number]
        identity = f"T{index:03}"
        raw: dict[str, object] = {"id": identity, "input": f"question {index}", "expected": "fine"}
        messages = (Message(content=f"question {index}"),)
        response = Response(text=answer) if isinstance(answer, str) else Response(data=answer)
        attempt = Attempt(
            number=1,
            status="passed" if passed else "failed",
            duration_ms=5,
            output=response.output,
            error=None if passed else "it is not equal",
            verdicts=(CheckResult(type="equals", passed=passed, message="compared"),),
            exchanges=(
                Exchange(
                    request=Request(
                        messages=messages,
                        chat_id=f"chat-{index}",
                        origin=Origin(suite=suite, case=identity),
                    ),
                    response=response,
                ),
            ),
        )
        result = CaseResult(
            case=Case(
                id=identity,
                messages=messages,
                expected="fine",
                where=Where(suite, index + 1),
                raw=raw,
            ),
            index=index,
            suite=suite,
            agent_id=f"agent-{number}",
            status=attempt.status,
            duration_ms=5,
            attempts=(attempt,),
            stability=Stability(
                runs=1,
                passed=int(passed),
                failed=int(not passed),
                pass_rate=100.0 if passed else 0.0,
                pass_rate_interval=(20.7, 100.0) if passed else (0.0, 79.3),
                consistency=1.0,
                stable=passed,
                stability_class="stable" if passed else "highly_unstable",
                avg_duration_ms=5,
                min_duration_ms=5,
                max_duration_ms=5,
                std_deviation_ms=0.0,
            ),
        )
        return evolve(result, **changes)

    def summary(self, passed: int, failed: int = 0) -> Summary:
        counts = Counts(
            total=passed + failed,
            passed=passed,
            failed=failed,
            total_runs=passed + failed,
            passed_runs=passed,
            stable_cases=passed,
            unstable_cases=failed,
        )
        return Summary(
            counts=counts,
            duration_ms=17,
            agent_id=self.info.agent_id,
            suites=tuple(
                SuiteSummary(
                    source=suite.source,
                    agent_id=suite.agent.name,
                    counts=evolve(counts, total=suite.total_cases),
                )
                for suite in self.info.suites
            ),
            completed_at="2024-12-17T10:00:01Z",
        )


@pytest.fixture
def run() -> Run:
    return Run()


@pytest.fixture
def two_suites() -> Run:
    return Run(sources=("a/tests/one.jsonl", "b/tests/two.jsonl"), cases_each=2)
