"""Several runs as one: the parts of ``--shard`` give the report of a run that was never parted."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.merging.conftest import Table

ANSWERS = st.sampled_from(["good", "bad", assay.AgentError("no"), assay.TransportError("gone")])
SUITES = st.lists(
    st.dictionaries(st.text(min_size=1, max_size=4), ANSWERS, min_size=1, max_size=6),
    min_size=1,
    max_size=3,
)
PAGES: Final = ("json", "md", "txt", "xml", "csv", "html")


@given(SUITES, st.integers(2, 5), st.integers(1, 2), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_all_parts_are_the_run(
    make_table: Callable[[], Table],
    in_order: Callable[[Any], Any],
    suites: list[dict[str, Any]],
    count: int,
    runs: int,
    random: Any,
) -> None:
    table = make_table()
    names = [table.cases(f"suite{n}.jsonl", [*ids]) for n, ids in enumerate(suites)]
    table.answers = {case_id: answer for ids in suites for case_id, answer in ids.items()}
    whole = table.run(*names, output="whole.jsonl", runs=runs)
    parts = table.shards(count, *names, runs=runs)
    random.shuffle(parts)

    merged = table.merge(*parts, output=["all.jsonl", *(f"all.{suffix}" for suffix in PAGES)])

    assert merged.warnings == ()
    assert table.lines("all.jsonl") == in_order(table.lines("whole.jsonl"))
    assert merged.report.exit_code == whole.exit_code
    assay.write_reports(
        "all.jsonl", output=[f"later.{suffix}" for suffix in PAGES], cwd=table.folder, environ={}
    )
    for suffix in PAGES:
        page, later = (table.folder / f"{name}.{suffix}" for name in ("all", "later"))
        assert page.read_bytes() == later.read_bytes(), suffix


def test_skipped_and_deselected_cases_are_counted_once(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"], tags=["x"])
    table.cases("more.jsonl", [*"ijkl"], skip=True, tags=["x"])
    table.cases("others.jsonl", ["z"])
    names = ("cases.jsonl", "more.jsonl", "others.jsonl")
    table.run(*names, output="whole.jsonl", tags=["x"])

    table.merge(*table.shards(3, *names, tags=["x"]))

    merged = table.lines("all.jsonl")
    assert merged == table.lines("whole.jsonl")
    assert (merged[-1]["skipped"], merged[-1]["deselected"]) == (4, 1)


def test_missing_parts_are_named(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    parts = table.shards(4, "cases.jsonl")

    merged = table.merge(parts[0], parts[2])

    assert merged.warnings == ("parts of --shard are missing: 2/4, 4/4",)
    assert merged.report.exit_code == 3
    assert merged.report.summary.stopped == "parts of --shard are missing: 2/4, 4/4"
    assert merged.report.info.shard is None


def test_one_part_alone_stays_that_part(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    first, _ = table.shards(2, "cases.jsonl")

    assert table.merge(first).report.info.shard == "1/2"


def test_a_part_that_broke_off_is_told(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    first, second = table.shards(2, "cases.jsonl")
    assert len(table.lines(second)) == 8
    broken = table.cut(second, "broken.jsonl", 3)

    merged = table.merge(first, broken)

    assert merged.warnings == ("4 of 8 cases have no result: a part broke off",)
    assert merged.report.exit_code == 3
    assert merged.report.info.total_cases == 8


def test_a_part_without_an_end_that_has_all_results_is_whole(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    first, second = table.shards(2, "cases.jsonl")
    broken = table.cut(second, "broken.jsonl", 7)

    merged = table.merge(first, broken)

    assert (merged.warnings, merged.report.exit_code) == ((), 0)
    assert merged.report.summary.stopped is None


@pytest.mark.parametrize("is_last", [True, False])
def test_a_part_that_broke_off_and_ran_again_is_whole(table: Table, *, is_last: bool) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    table.run("cases.jsonl", output="whole.jsonl")
    parts = table.shards(2, "cases.jsonl")
    broken = table.cut(parts[1], "broken.jsonl", 3)

    merged = table.merge(*parts, broken) if is_last else table.merge(broken, *parts)

    left_out = parts[1] if is_last else broken
    assert merged.warnings == tuple(
        f"case {name!r} of cases.jsonl stands in a later file too, which counts; the result in"
        f" {left_out} is left out"
        for name in "ab"
    )
    assert merged.report.exit_code == 0
    assert table.lines("all.jsonl") == table.lines("whole.jsonl")


def test_of_a_case_in_two_files_the_later_counts(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefg"])
    table.run("cases.jsonl", output="good.jsonl")
    table.answers = {"a": "bad"}
    table.run("cases.jsonl", output="bad.jsonl")

    first = table.merge("good.jsonl", "bad.jsonl", output="first.jsonl")
    second = table.merge("bad.jsonl", "good.jsonl", output="second.jsonl")

    assert (first.report.exit_code, second.report.exit_code) == (1, 0)
    assert len(first.warnings) == 6
    assert first.warnings[-1] == "2 more cases stand in two files; the later one counts"
    assert first.report.summary.counts.total == 7


def test_runs_of_different_cases_stand_side_by_side(table: Table) -> None:
    table.cases("one.jsonl", ["a", "b"])
    table.cases("two.jsonl", ["a"])
    table.run("two.jsonl", output="2.jsonl")
    table.run("one.jsonl", output="1.jsonl")

    report = table.merge("2.jsonl", "1.jsonl").report

    found = [(result.suite, result.case.id, result.index) for result in report.cases]
    assert found == [("two.jsonl", "a", 0), ("one.jsonl", "a", 1), ("one.jsonl", "b", 2)]
    assert [suite.total_cases for suite in report.info.suites] == [1, 2]


def test_runs_that_were_started_otherwise_are_refused(table: Table) -> None:
    table.cases("cases.jsonl", ["a"])
    table.run("cases.jsonl", output="1.jsonl")
    table.run("cases.jsonl", output="2.jsonl", user="other", runs=2)

    with pytest.raises(assay.ConfigError, match=r"^2\.jsonl: it is of a run that was") as caught:
        table.merge("1.jsonl", "2.jsonl")

    assert list(caught.value.details) == [
        "user (-u): other, but test-user in 1.jsonl",
        "runs (--runs): 2, but 1 in 1.jsonl",
    ]
    assert not (table.folder / "all.jsonl").exists()


def test_a_run_that_was_stopped_stays_stopped(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    table.answers = dict.fromkeys("abcdefgh", "bad")
    merged = table.merge(*table.shards(2, "cases.jsonl", fail_fast=True))

    assert merged.report.exit_code == 1
    assert merged.warnings == ("stopped by --fail-fast after g",)
    assert merged.report.summary.counts.skipped == 6


@pytest.mark.parametrize("answer", [assay.TransportError("gone"), "good"])
def test_no_agent_was_reached_in_any_part(table: Table, answer: object) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    table.answers = dict.fromkeys("abcdefg", assay.TransportError("gone"))
    table.answers["h"] = answer

    merged = table.merge(*table.shards(2, "cases.jsonl"))

    assert merged.report.exit_code == (1 if answer == "good" else 3)


def test_times_are_those_of_all(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    parts = [table.folder / name for name in table.shards(2, "cases.jsonl")]
    for number, part in enumerate(parts, 1):
        start, *results, summary = map(json.loads, part.read_text().splitlines())
        start["timestamp"] = f"2026-01-02T03:04:0{number}Z"
        summary |= {"duration_ms": 10 * number, "completed_at": f"2026-01-02T04:04:0{number}Z"}
        part.write_text("".join(f"{json.dumps(line)}\n" for line in [start, *results, summary]))

    report = table.merge(*map(str, reversed(parts))).report

    assert report.info.started_at == "2026-01-02T03:04:01Z"
    assert (report.summary.duration_ms, report.summary.completed_at) == (30, "2026-01-02T04:04:02Z")


@pytest.mark.parametrize("name", ["part1.jsonl", "./part1.jsonl", "link.jsonl"])
def test_a_file_that_is_merged_is_not_overwritten(table: Table, name: str) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    parts = table.shards(2, "cases.jsonl")
    (table.folder / "link.jsonl").symlink_to("part1.jsonl")
    before = (table.folder / "part1.jsonl").read_bytes()

    with pytest.raises(assay.ConfigError, match="it is one of the files that are merged"):
        table.merge(*parts, output=name)

    assert (table.folder / "part1.jsonl").read_bytes() == before


def test_what_is_no_run_is_refused(table: Table) -> None:
    table.cases("cases.jsonl", ["a"])
    table.run("cases.jsonl", output="1.jsonl")

    with pytest.raises(assay.ConfigError, match="it holds no run"):
        table.merge("1.jsonl", "cases.jsonl")
    with pytest.raises(assay.ConfigError, match=r"gone\.jsonl: it cannot be read"):
        table.merge("1.jsonl", "gone.jsonl")
    with pytest.raises(assay.ConfigError, match="nothing to write"):
        table.merge("1.jsonl", output=[])


def test_a_reporter_writes_to_standard_output(table: Table) -> None:
    table.cases("cases.jsonl", [*"abcdefgh"])
    table.run("cases.jsonl", output="whole.jsonl")
    parts = table.shards(2, "cases.jsonl")

    for reporter in ("json", "jsonl"):
        out = io.StringIO()
        merged = table.merge(*parts, output=(), reporter=reporter, stdout=out)
        assert merged.paths == ()
        if reporter == "json":
            assert json.loads(out.getvalue())["summary"]["total"] == 8
        else:
            assert len(out.getvalue().splitlines()) == len(table.lines("whole.jsonl"))
    left = {path.name for path in table.folder.iterdir()}
    assert left == {"cases.jsonl", "whole.jsonl", *parts}


@pytest.mark.parametrize("key", ["duration_ms", "suite", "id"])
def test_a_result_that_somebody_spoilt_is_named(table: Table, key: str) -> None:
    table.cases("cases.jsonl", ["a"])
    table.run("cases.jsonl", output="1.jsonl")
    file = table.folder / "1.jsonl"
    start, result, summary = map(json.loads, file.read_text().splitlines())
    result[key] = None
    file.write_text("".join(f"{json.dumps(line)}\n" for line in [start, result, summary]))

    with pytest.raises(assay.RunError, match=r"^1\.jsonl: the result at byte \d+ cannot be read"):
        table.merge("1.jsonl")
    assert not (table.folder / "all.jsonl").exists()
