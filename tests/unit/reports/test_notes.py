from __future__ import annotations

from assay.model.case import AgentRef, Case
from assay.model.exchange import AgentInfo, Exchange, Request, Response
from assay.model.report import RunInfo, SuiteInfo
from assay.model.result import Attempt, CaseResult
from assay.reports.notes import MOST, Notes


def result(*notes: str) -> CaseResult:
    exchange = Exchange(request=Request(messages=()), response=Response(text="x", notes=notes))
    attempt = Attempt(number=1, status="passed", duration_ms=1, exchanges=(exchange,))
    return CaseResult(
        case=Case(id="T1", messages=()),
        index=0,
        suite="a.jsonl",
        agent_id="a",
        status="passed",
        attempts=(attempt,),
    )


def info(*notes: str) -> RunInfo:
    suite = SuiteInfo(
        source="a.jsonl",
        agent=AgentRef(transport="t", target="a", name="a"),
        info=AgentInfo(notes=notes),
    )
    return RunInfo(started_at="", suites=(suite, suite), total_cases=1)


def test_each_note_is_told_once() -> None:
    told: list[str] = []
    notes = Notes(told.append)
    notes.start(info("of the agent"))
    notes.result(result("of an answer", "of the agent"))
    notes.result(result("of an answer", "another"))
    assert told == ["note: of the agent", "note: of an answer", "note: another"]


def test_so_many_notes_are_told_and_no_more() -> None:
    told: list[str] = []
    notes = Notes(told.append)
    for number in range(MOST + 5):
        notes.result(result(f"{number}"))
    assert told == [
        *(f"note: {number}" for number in range(MOST)),
        "note: there are more notes; the reports have them",
    ]
