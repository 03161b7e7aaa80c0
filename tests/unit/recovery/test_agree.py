"""A run that goes on is started as the earlier one was; how it is carried out may differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

import assay
from assay.model.case import AgentRef, Environment
from assay.model.exchange import AgentInfo
from assay.model.report import RunInfo, SuiteInfo
from assay.recovery.agree import check_agreement, check_parts

if TYPE_CHECKING:
    from tests.unit.recovery.conftest import Desk

SUITE = SuiteInfo(
    source="cases.jsonl",
    agent=AgentRef(transport="echo", target="t", name="clerk", connector="gpt"),
    environment=Environment(user_id="u", team_id="t"),
    total_cases=2,
)
OTHER = evolve(SUITE, source="other.jsonl")
RUN = RunInfo(started_at="2026-01-02T03:04:05Z", suites=(SUITE,), total_cases=2)


def suite(**changes: Any) -> RunInfo:
    return evolve(RUN, suites=(evolve(SUITE, **changes),))


def agent(**changes: Any) -> RunInfo:
    return suite(agent=evolve(SUITE.agent, **changes))


def environment(**changes: Any) -> RunInfo:
    return suite(environment=evolve(SUITE.environment, **changes))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (agent(name="other"), "agent (-n): clerk over echo then, other over echo now"),
        (agent(transport="http"), "agent (-n): clerk over echo then, clerk over http now"),
        (agent(target=""), "target of the agent (-n): t then, none now"),
        (agent(connector="claude"), "connector (-c): gpt then, claude now"),
        (agent(connector=None), "connector (-c): gpt then, none now"),
        (environment(user_id="w"), "user (-u): u then, w now"),
        (environment(team_id="w"), "team (-t): t then, w now"),
        (environment(locale="de"), "locale (--locale): en-us then, de now"),
        (suite(runs_per_case=3), "runs (--runs): 1 then, 3 now"),
        (suite(min_pass_rate=66.5), "minimum pass rate (--min-pass-rate): 100 then, 66.5 now"),
        (
            suite(info=AgentInfo(replayed="run.rec")),
            "answers (--replay): asked for then, run.rec now",
        ),
        (evolve(RUN, filters="--tag x"), "filters (--run, --tag): none then, --tag x now"),
        (evolve(RUN, shard="1/2"), "part (--shard): all then, 1/2 now"),
    ],
)
def test_what_makes_a_run_what_it_is_must_agree(now: RunInfo, told: str) -> None:
    with pytest.raises(assay.ConfigError) as caught:
        check_agreement(RUN, now, "--resume run.jsonl")

    assert str(caught.value).startswith("--resume run.jsonl: it is of a run that was started other")
    assert list(caught.value.details) == [told]


@pytest.mark.parametrize(
    "now",
    [
        RUN,
        evolve(RUN, parallel=9, verbose=True, command="assay test", version="9", total_cases=1),
        evolve(RUN, suites=(SUITE, OTHER)),
        evolve(RUN, suites=(OTHER,)),
        agent(title="Clerk"),
        suite(total_cases=7, deselected=1),
    ],
)
def test_the_rest_may_differ(now: RunInfo) -> None:
    check_agreement(RUN, now, "--resume run.jsonl")


def test_other_parts_agree_where_they_may() -> None:
    first, second = evolve(RUN, shard="1/2"), evolve(RUN, shard="2/2")

    check_parts(first, second, ("a.jsonl", "b.jsonl"))

    with pytest.raises(assay.ConfigError):
        check_agreement(first, second, "b.jsonl")


def test_of_several_suites_the_one_that_differs_is_named() -> None:
    before = evolve(RUN, suites=(SUITE, OTHER))
    now = evolve(RUN, suites=(SUITE, evolve(OTHER, runs_per_case=2)))

    with pytest.raises(assay.ConfigError) as caught:
        check_agreement(before, now, "--resume run.jsonl")

    assert list(caught.value.details) == ["other.jsonl: runs (--runs): 1 then, 2 now"]


@pytest.mark.parametrize(
    "settings", [{}, {"runs": 3}, {"runs": 2, "user": "other"}, {"runs": 2, "tags": ["x"]}]
)
def test_a_run_that_does_not_agree_leaves_the_file_alone(
    broken: Desk, settings: dict[str, object]
) -> None:
    broken.write("cases.jsonl", {"id": "a", "input": "x", "expected": "good", "tags": ["x"]})
    before = (broken.folder / "run.jsonl").read_bytes()

    with pytest.raises(assay.ConfigError, match="started otherwise"):
        broken.run("cases.jsonl", resume="run.jsonl", **settings)

    assert broken.asked == []
    assert (broken.folder / "run.jsonl").read_bytes() == before
    assert sorted(path.name for path in broken.folder.iterdir()) == [
        "cases.jsonl",
        "run.jsonl",
        "whole.jsonl",
    ]
