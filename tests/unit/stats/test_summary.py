from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Attempt, Case, CaseResult, Check, CheckResult, Counts, Message, Outcome, Verdict
from assay.model.result import STATUSES, Status
from assay.stats.stability import case_status, stability
from assay.stats.summary import Tally


class Holds:
    def check(self, outcome: Outcome) -> Verdict:
        return Verdict(passed=bool(outcome.output))


CHECKED = Case(
    id="checked",
    messages=(Message(content="hi"),),
    checks=(Check(type="holds", assertion=Holds()),),
)
UNCHECKED = Case(id="unchecked", messages=(Message(content="hi"),))


def result(
    *statuses: Status, case: Case = CHECKED, suite: str = "a.jsonl", verdicts: bool = False
) -> CaseResult:
    attempts = tuple(
        Attempt(
            number=number,
            status=status,
            duration_ms=1,
            verdicts=(CheckResult(type="holds", passed=True),) if verdicts else (),
        )
        for number, status in enumerate(statuses, 1)
        if status != "skipped"
    )
    return CaseResult(
        case=case,
        index=0,
        suite=suite,
        agent_id="agent",
        status=case_status(attempts),
        attempts=attempts,
        stability=stability(attempts) if attempts else None,
    )


def counted(*results: CaseResult) -> Counts:
    tally = Tally()
    for item in results:
        tally.add(item)
    return tally.counts()


def test_nothing_is_counted_at_first() -> None:
    assert Tally().counts() == Counts()
    assert Tally().suites() == {}


def test_each_status_is_counted() -> None:
    counts = counted(
        result("passed"), result("failed"), result("error"), result("timeout"), result("skipped")
    )
    assert counts == Counts(
        total=5,
        passed=1,
        failed=3,
        skipped=1,
        errors=1,
        timeouts=1,
        total_runs=4,
        passed_runs=1,
        stable_cases=1,
        unstable_cases=3,
    )
    assert counts.pass_rate == 25.0


def test_runs_are_counted_over_cases() -> None:
    counts = counted(result("passed", "passed", "passed"), result("passed", "failed", "error"))
    assert (counts.total_runs, counts.passed_runs) == (6, 4)
    assert counts.overall_pass_rate == 66.7
    assert (counts.stable_cases, counts.unstable_cases) == (1, 1)
    assert (counts.failed, counts.errors) == (1, 0)


def test_runs_of_a_case_that_was_stopped_are_left_out() -> None:
    stopped = CaseResult(
        case=CHECKED,
        index=0,
        suite="a.jsonl",
        agent_id="agent",
        status="skipped",
        reason="stopped",
        attempts=(Attempt(number=1, status="passed", duration_ms=1),),
    )
    assert counted(stopped) == Counts(total=1, skipped=1)


def test_cases_without_any_check_are_counted_whatever_their_status() -> None:
    assert counted(result("passed", case=UNCHECKED)).unasserted == 1
    assert counted(result("error", case=UNCHECKED)).unasserted == 1
    assert counted(result("skipped", case=UNCHECKED)).unasserted == 1
    assert counted(result("passed")).unasserted == 0


def test_checks_of_cases_that_were_read_back_are_seen() -> None:
    asserted = Case(id="x", messages=(), raw={"assert": {"type": "holds"}})
    expecting = Case(id="x", messages=(), expected=None)
    assert counted(result("error", case=asserted), result("error", case=expecting)).unasserted == 0
    assert counted(result("passed", case=UNCHECKED, verdicts=True)).unasserted == 0


def test_suites_are_counted_apart() -> None:
    tally = Tally()
    for item in (
        result("passed", suite="b.jsonl"),
        result("failed", suite="a.jsonl"),
        result("passed", suite="b.jsonl"),
    ):
        tally.add(item)
    assert list(tally.suites()) == ["b.jsonl", "a.jsonl"]
    assert tally.suites()["b.jsonl"].passed == 2
    assert tally.suites()["a.jsonl"].failed == 1
    assert tally.counts().total == 3


STATUS_LISTS = st.lists(st.lists(st.sampled_from(STATUSES), max_size=4), max_size=10)


@settings(deadline=None)
@given(STATUS_LISTS)
def test_counts_always_add_up(cases: list[list[Status]]) -> None:
    tally = Tally()
    for number, statuses in enumerate(cases):
        tally.add(result(*statuses, suite=str(number % 3)))
    counts = tally.counts()
    assert counts.total == counts.passed + counts.failed + counts.skipped == len(cases)
    assert counts.errors + counts.timeouts <= counts.failed
    assert counts.stable_cases + counts.unstable_cases == counts.passed + counts.failed
    assert counts.stable_cases == counts.passed
    assert sum(suite.total for suite in tally.suites().values()) == counts.total
    assert sum(suite.total_runs for suite in tally.suites().values()) == counts.total_runs
