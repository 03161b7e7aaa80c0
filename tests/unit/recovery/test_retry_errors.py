"""``--retry-errors``: only attempts that ended in an error or a timeout are carried out again."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

import assay
from assay.recovery.resumed import LEFT

if TYPE_CHECKING:
    from tests.unit.recovery.conftest import Desk

BOOM = assay.AgentError("boom")


def test_only_errors_are_asked_for_again(desk: Desk) -> None:
    desk.write("cases.jsonl", *({"id": name, "input": "x", "expected": "good"} for name in "abcd"))
    desk.answers = {"b": BOOM, "c": "bad", "d": assay.TransportError("gone")}
    desk.run("cases.jsonl", output="run.jsonl")
    desk.answers = {"d": BOOM}

    report = desk.run("cases.jsonl", retry_errors="run.jsonl", output="run.md")

    assert desk.asked == ["b#1", "d#1"]
    assert desk.statuses("run.jsonl") == {"a": "passed", "b": "passed", "c": "failed", "d": "error"}
    assert report.summary.counts.passed == 2
    assert "Passed | 2 |" in " ".join((desk.folder / "run.md").read_text().split())


def test_timeouts_are_asked_for_again(desk: Desk) -> None:
    desk.write("cases.jsonl", {"id": "a", "input": "x", "timeout": "10ms"})

    async def hang(request: assay.Request) -> None:
        await asyncio.Event().wait()

    assay.run("cases.jsonl", agent=hang, output="run.jsonl", cwd=desk.folder, environ={})
    before = desk.statuses("run.jsonl")

    async def hang_no_more(request: assay.Request) -> str:
        return "good"

    hang_no_more.__name__ = hang.__name__
    assay.run(
        "cases.jsonl", agent=hang_no_more, retry_errors="run.jsonl", cwd=desk.folder, environ={}
    )

    assert (before, desk.statuses("run.jsonl")) == ({"a": "timeout"}, {"a": "passed"})


def test_attempts_that_ended_well_stand(desk: Desk) -> None:
    desk.write("cases.jsonl", {"id": "a", "input": "x", "expected": "good"})
    desk.answers = {"a#2": BOOM, "a#3": "bad"}
    desk.run("cases.jsonl", output="run.jsonl", runs=4)
    desk.answers = {}

    report = desk.run("cases.jsonl", retry_errors="run.jsonl", runs=4)

    assert desk.asked == ["a#2"]
    (result,) = report.cases
    assert [each.status for each in result.attempts] == ["passed", "passed", "failed", "passed"]
    assert (result.stability and result.stability.passed, result.incomplete) == (3, False)


def test_what_has_no_result_is_left_out_with_the_reason(broken: Desk) -> None:
    broken.answers = {}
    resumed = broken.prepared("cases.jsonl", retry_errors="run.jsonl", runs=2).resumed
    told = [] if resumed is None else list(resumed.remarks())

    report = broken.run("cases.jsonl", retry_errors="run.jsonl", runs=2)

    assert told == ["1 case has no result and will be left out; --resume runs what is missing"]
    assert broken.asked == ["c#1"]
    assert {result.case.id: result.reason for result in report.skipped} == {"c": LEFT, "d": LEFT}


def test_what_was_left_out_runs_when_the_run_goes_on(broken: Desk) -> None:
    broken.answers = {}
    broken.run("cases.jsonl", retry_errors="run.jsonl", runs=2)

    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert broken.asked == ["c#2", "d#1", "d#2"]
    assert set(broken.statuses("run.jsonl").values()) == {"passed", "failed"}


def test_a_changed_case_runs_too(broken: Desk) -> None:
    changed = {"id": "a", "input": "y", "expected": "good"}
    same = ({"id": name, "input": "x", "expected": "good"} for name in "bcd")
    broken.write("cases.jsonl", changed, *same)

    broken.run("cases.jsonl", retry_errors="run.jsonl", runs=2)

    assert broken.asked == ["a#1", "a#2", "c#1"]


def test_a_case_that_failed_before_does_not_stop_it(desk: Desk) -> None:
    desk.write("cases.jsonl", *({"id": name, "input": "x", "expected": "good"} for name in "abc"))
    desk.answers = {"a": "bad", "b": BOOM, "c": BOOM}
    desk.run("cases.jsonl", output="run.jsonl")
    desk.answers = {"b": "bad"}

    report = desk.run("cases.jsonl", retry_errors="run.jsonl", fail_fast=True)

    assert desk.asked == ["b#1"]
    assert report.summary.stopped == "stopped by --fail-fast after b"


def test_a_run_without_errors_stays_as_it_is(desk: Desk) -> None:
    desk.write("cases.jsonl", {"id": "a", "input": "x"})
    desk.run("cases.jsonl", output="run.jsonl")
    before = desk.lines("run.jsonl")

    desk.run("cases.jsonl", retry_errors="run.jsonl")

    assert desk.asked == []
    assert desk.lines("run.jsonl") == before


def test_it_excludes_resume(broken: Desk) -> None:
    with pytest.raises(assay.ConfigError, match="--resume and --retry-errors exclude each other"):
        broken.run("cases.jsonl", retry_errors="run.jsonl", resume="run.jsonl", runs=2)
