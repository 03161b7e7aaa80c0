"""A run that broke off anywhere and goes on gives the report of one that never did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.testing import HOSTILE_TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.unit.recovery.conftest import Desk

PAGES: Final = ("json", "md", "txt", "xml", "csv", "html")

ANSWERS = st.one_of(
    st.sampled_from(["good", "bad", 'good "as" \u2028 JSON {']),
    st.sampled_from([*HOSTILE_TEXTS.values()]),
    st.sampled_from([{"a": [1, None]}, 10**30, 0.1]),
    st.sampled_from([assay.AgentError("no\x00<&>"), assay.TransportError("gone")]),
)
CASES: st.SearchStrategy[list[dict[str, Any]]] = st.lists(
    st.fixed_dictionaries(
        {"answers": st.lists(ANSWERS, min_size=1, max_size=3)},
        optional={"expected": st.just("good"), "skip": st.booleans(), "tags": st.just(["t"])},
    ),
    min_size=1,
    max_size=5,
)


def write(desk: Desk, suites: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    """Write the suites, and let the agent give the answers of each case in turn."""
    names: list[str] = []
    for number, cases in enumerate(suites):
        written: list[dict[str, object]] = []
        for place, case in enumerate(cases):
            name = f"{number} {place} ü"
            fields = {key: value for key, value in case.items() if key != "answers"}
            written.append({"id": name, "input": f"question {place}", **fields})
            for run in range(3):
                answers = case["answers"]
                desk.answers[f"{name}#{run + 1}"] = answers[run % len(answers)]
        if number == 0:
            written[0]["skip"] = False
        names.append(desk.write(f"suite{number}.jsonl", *written))
    return names


def ordered(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Put lines into the order of cases: several attempts at a time end in any order."""
    return sorted(
        lines,
        key=lambda line: (
            (line.get("index", -1), line["type"] == "result", line.get("run", 0))
            if line["type"] != "summary"
            else (1 << 30, False, 0)
        ),
    )


@given(
    suites=st.lists(CASES, min_size=1, max_size=2),
    runs=st.integers(1, 3),
    parallel=st.sampled_from([1, 4]),
    gate=st.sampled_from([100, 50]),
    is_stopped=st.booleans(),
    share=st.floats(0, 1),
)
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_any_prefix_becomes_the_whole(
    make_desk: Callable[[], Desk],
    suites: list[list[dict[str, Any]]],
    runs: int,
    parallel: int,
    gate: int,
    is_stopped: bool,
    share: float,
) -> None:
    desk = make_desk()
    names = write(desk, suites)
    how: dict[str, Any] = {"runs": runs, "min_pass_rate": gate}
    # What is under way beside the case that stops a run differs from run to run.
    how |= {"fail_fast": True} if is_stopped else {"parallel": parallel}
    whole = desk.run(*names, output="whole.jsonl", **how)
    data = (desk.folder / "whole.jsonl").read_bytes()
    (desk.folder / "run.jsonl").write_bytes(data[: round(share * len(data))])

    report = desk.run(
        *names, resume="run.jsonl", output=[f"run.{suffix}" for suffix in PAGES], **how
    )

    assert ordered(desk.lines("run.jsonl")) == ordered(desk.lines("whole.jsonl"))
    if parallel == 1 and not is_stopped:
        assert desk.lines("run.jsonl") == desk.lines("whole.jsonl")
    assert report.exit_code == whole.exit_code
    assert [result.status for result in report.cases] == [each.status for each in whole.cases]
    assay.write_reports(
        "run.jsonl", output=[f"later.{suffix}" for suffix in PAGES], cwd=desk.folder, environ={}
    )
    for suffix in PAGES:
        run, later = (desk.folder / f"{name}.{suffix}" for name in ("run", "later"))
        assert run.read_bytes() == later.read_bytes(), suffix


@given(cases=CASES, runs=st.integers(1, 2), shares=st.lists(st.floats(0, 1), max_size=4))
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
def test_it_may_break_off_again_and_again(
    make_desk: Callable[[], Desk], cases: list[dict[str, Any]], runs: int, shares: list[float]
) -> None:
    desk = make_desk()
    (name,) = write(desk, [cases])
    desk.run(name, output="whole.jsonl", runs=runs)
    run = desk.folder / "run.jsonl"
    run.touch()

    for share in shares:
        desk.run(name, resume="run.jsonl", runs=runs)
        run.write_bytes(run.read_bytes()[: round(share * run.stat().st_size)])
    desk.run(name, resume="run.jsonl", runs=runs)

    assert desk.lines("run.jsonl") == desk.lines("whole.jsonl")


@pytest.mark.parametrize("runs", [1, 3])
def test_no_attempt_is_asked_for_twice(desk: Desk, runs: int) -> None:
    names = [str(number) for number in range(4)]
    file = desk.write("cases.jsonl", *({"id": name, "input": "x"} for name in names))
    desk.run(file, output="whole.jsonl", runs=runs)
    everything = list(desk.asked)
    count = len(desk.lines("whole.jsonl"))

    for lines in range(1, count + 1):
        desk.cut("whole.jsonl", "run.jsonl", lines)
        finished = [
            f"{line['id']}#{line.get('run', 1)}"
            for line in desk.lines("run.jsonl")
            if line["type"] == ("attempt" if runs > 1 else "result")
        ]
        desk.run(file, resume="run.jsonl", runs=runs)
        assert finished + desk.asked == everything
