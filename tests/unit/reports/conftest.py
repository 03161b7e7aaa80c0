"""Reports, and reporters that behave well and badly."""

from __future__ import annotations

from collections.abc import Callable
from typing import IO, Any, ClassVar

import pytest

from assay.model.case import AgentRef, Case
from assay.model.message import Message
from assay.model.report import Report, RunInfo, SuiteInfo, Summary
from assay.model.result import Attempt, CaseResult, Counts, Stability
from assay.reports.installed import InstalledReporter


def make_result(
    index: int, output: object = "fine", status: str = "passed", runs: int = 1
) -> CaseResult:
    """A case with its result, of one run or several."""
    passed = status == "passed"
    identity = f"T{index:03}"
    text = f"question {index}"
    attempts = tuple(
        Attempt(number=number, status=status, duration_ms=5, output=output)  # type: ignore[arg-type] # of STATUSES
        for number in range(1, runs + 1)
    )
    figures = Stability(
        runs=runs,
        passed=runs if passed else 0,
        failed=0 if passed else runs,
        pass_rate=100.0 if passed else 0.0,
        pass_rate_interval=(20.7, 100.0) if passed else (0.0, 79.3),
        consistency=1.0,
        stable=passed,
        stability_class="stable" if passed else "highly_unstable",
        avg_duration_ms=5,
        min_duration_ms=5,
        max_duration_ms=5,
        std_deviation_ms=0.0,
    )
    is_skipped = status == "skipped"
    return CaseResult(
        case=Case(
            id=identity,
            messages=(Message(content=text),),
            raw={"id": identity, "input": text},
        ),
        index=index,
        suite="tests/inputs.jsonl",
        agent_id="keyword",
        status=status,  # type: ignore[arg-type] # of STATUSES
        duration_ms=0 if is_skipped else 5,
        reason="it says skip" if is_skipped else None,
        attempts=() if is_skipped else attempts,
        stability=None if is_skipped else figures,
        several=runs > 1,
    )


def make_report(*results: CaseResult) -> Report:
    """A report over results."""
    info = RunInfo(
        started_at="2024-12-17T10:00:00Z",
        suites=(
            SuiteInfo(
                source="tests/inputs.jsonl",
                agent=AgentRef(transport="echo", target="", name="keyword"),
                total_cases=len(results),
            ),
        ),
        total_cases=len(results),
        version="1.0",
    )
    passed = sum(result.status == "passed" for result in results)
    skipped = sum(result.status == "skipped" for result in results)
    summary = Summary(
        counts=Counts(
            total=len(results),
            passed=passed,
            failed=len(results) - passed - skipped,
            skipped=skipped,
            total_runs=len(results) - skipped,
            passed_runs=passed,
        ),
        duration_ms=12,
        agent_id="keyword",
        completed_at="2024-12-17T10:00:12Z",
    )
    return Report(info=info, summary=summary, read=lambda: iter(results), exit_code=1)


class Ids:
    """A page reporter: the id of each case on a line."""

    name: ClassVar[str] = "ids"
    suffixes: ClassVar[tuple[str, ...]] = (".ids", ".TXT")

    def __init__(self, settings: object) -> None:
        self.settings = settings

    def write(self, report: Report, out: IO[str]) -> None:
        out.writelines(f"{result.case.id}\n" for result in report.cases)


class Lines(Ids):
    """Stands for the reporter whose file is the journal."""

    name: ClassVar[str] = "lines"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)
    journal: ClassVar[bool] = True


class Crashes(Ids):
    """Writes the first half, then fails."""

    name: ClassVar[str] = "crashes"
    suffixes: ClassVar[tuple[str, ...]] = (".crash",)

    def write(self, report: Report, out: IO[str]) -> None:
        out.write("half of it")
        raise KeyError("no such key")


class Shows:
    """A stream reporter that keeps what it is told."""

    name: ClassVar[str] = "shows"

    def __init__(self, context: Any, settings: object) -> None:
        self.told: list[str] = []

    @classmethod
    def wanted(cls, environ: Any) -> bool:
        return "SHOW" in environ

    def start(self, info: RunInfo) -> None:
        self.told.append("start")

    def attempt(self, result: CaseResult, attempt: Attempt) -> None:
        self.told.append(f"attempt {attempt.number}")

    def result(self, result: CaseResult) -> None:
        self.told.append(f"result {result.case.id}")

    def finish(self, summary: Summary) -> None:
        self.told.append("finish")

    def written(self, paths: Any) -> None:
        self.told.append(f"written {', '.join(paths)}")


def installed(reporter: Any, distribution: str = "assay") -> InstalledReporter:
    """A reporter as its plugin offers it."""
    return InstalledReporter(
        word=reporter.name, type=reporter, distribution=distribution, version="1.0"
    )


@pytest.fixture
def reporters() -> dict[str, Any]:
    """The classes, by word."""
    return {one.name: one for one in (Crashes, Ids, Lines, Shows)}


@pytest.fixture
def install() -> Callable[..., InstalledReporter]:
    return installed


@pytest.fixture
def result() -> Callable[..., CaseResult]:
    return make_result


@pytest.fixture
def report() -> Callable[..., Report]:
    return make_report
