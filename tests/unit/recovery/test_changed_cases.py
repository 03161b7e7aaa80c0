"""Cases that changed between a run that broke off and the one that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import assay

if TYPE_CHECKING:
    from tests.unit.recovery.conftest import Desk


def case(name: str, text: str = "x", **fields: object) -> dict[str, object]:
    return {"id": name, "input": text, "expected": "good", **fields}


def remarks(desk: Desk, *inputs: str, **settings: object) -> list[str]:
    resumed = desk.prepared(*inputs, **settings).resumed
    assert resumed is not None
    return list(resumed.remarks())


def test_a_changed_case_runs_again_with_all_its_attempts(broken: Desk) -> None:
    broken.write("cases.jsonl", case("a"), case("b", "other"), case("c", note=1), case("d"))

    told = remarks(broken, "cases.jsonl", resume="run.jsonl", runs=2)
    broken.answers["b"] = "good"
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert told == ["2 cases were changed since and will run again: b, c"]
    assert broken.asked == ["b#1", "b#2", "c#1", "c#2", "d#1", "d#2"]
    results = [line for line in broken.lines("run.jsonl") if line["type"] == "result"]
    assert [(line["id"], line["status"]) for line in results] == [
        ("a", "passed"),
        ("b", "passed"),
        ("c", "error"),
        ("d", "passed"),
    ]
    assert results[1]["input"] == "other"


def test_keys_in_another_order_are_no_change(broken: Desk) -> None:
    broken.write(
        "cases.jsonl", *({"expected": "good", "input": "x", "id": name} for name in "abcd")
    )
    broken.run("cases.jsonl", resume="run.jsonl", runs=2)
    assert broken.asked == ["c#2", "d#1", "d#2"]


def test_a_case_that_is_gone_is_left_out(broken: Desk) -> None:
    broken.write("cases.jsonl", case("a"), case("d"))

    told = remarks(broken, "cases.jsonl", resume="run.jsonl", runs=2)
    report = broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert told == ["2 cases are no longer part of the run and left out of its reports"]
    assert broken.asked == ["d#1", "d#2"]
    assert broken.statuses("run.jsonl") == {"a": "passed", "d": "passed"}
    assert (report.info.total_cases, report.summary.counts.total) == (2, 2)


def test_a_case_that_is_new_runs(broken: Desk) -> None:
    broken.write("cases.jsonl", case("new"), *map(case, "abcd"))

    report = broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert broken.asked == ["new#1", "new#2", "c#2", "d#1", "d#2"]
    assert [result.case.id for result in report.cases] == ["new", *"abcd"]


def test_a_case_that_stands_elsewhere_now_is_pointed_at_there(broken: Desk) -> None:
    broken.write("cases.jsonl", *map(case, "dcba"))

    report = broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert broken.asked == ["d#1", "d#2", "c#2"]
    assert [(each.case.id, each.index, each.case.where.line) for each in report.cases] == [
        ("d", 0, 1),
        ("c", 1, 2),
        ("b", 2, 3),
        ("a", 3, 4),
    ]


def test_a_case_that_says_skip_now_is_skipped(broken: Desk) -> None:
    broken.write("cases.jsonl", case("a", skip=True), *map(case, "bcd"))

    broken.run("cases.jsonl", resume="run.jsonl", runs=2)

    assert broken.asked == ["c#2", "d#1", "d#2"]
    assert broken.statuses("run.jsonl")["a"] == "skipped"


def test_a_case_that_said_skip_runs(desk: Desk) -> None:
    desk.write("cases.jsonl", case("a", skip=True), case("b"))
    desk.run("cases.jsonl", output="run.jsonl")
    desk.write("cases.jsonl", case("a"), case("b"))

    desk.run("cases.jsonl", resume="run.jsonl")

    assert desk.asked == ["a#1"]
    assert desk.statuses("run.jsonl") == {"a": "passed", "b": "passed"}


def test_five_changed_cases_are_named(desk: Desk) -> None:
    desk.write("cases.jsonl", *map(case, "abcdefg"))
    desk.run("cases.jsonl", output="run.jsonl")
    desk.write("cases.jsonl", *(case(name, "y") for name in "abcdefg"))

    told = remarks(desk, "cases.jsonl", resume="run.jsonl")

    assert told == ["7 cases were changed since and will run again: a, b, c, d, e …"]


def test_a_case_file_that_is_gone_is_left_out(desk: Desk) -> None:
    desk.write("one.jsonl", case("a"))
    desk.write("two.jsonl", case("a"), case("b"))
    desk.run("one.jsonl", "two.jsonl", output="run.jsonl")
    (desk.folder / "two.jsonl").unlink()

    told = remarks(desk, "one.jsonl", resume="run.jsonl")
    report = desk.run("one.jsonl", resume="run.jsonl")

    assert told == ["2 cases are no longer part of the run and left out of its reports"]
    assert desk.asked == []
    assert [result.suite for result in report.cases] == ["one.jsonl"]


def test_other_inputs_would_lose_results(desk: Desk) -> None:
    desk.write("one.jsonl", case("a"))
    desk.write("two.jsonl", case("a"))
    desk.write("three.jsonl", case("a"))
    desk.run("one.jsonl", "two.jsonl", output="run.jsonl")
    before = (desk.folder / "run.jsonl").read_bytes()

    with pytest.raises(assay.ConfigError, match=r"it is of a run of two\.jsonl too; give the -i"):
        desk.run("one.jsonl", resume="run.jsonl")
    with pytest.raises(assay.ConfigError, match=r"it is of a run of one\.jsonl, two\.jsonl; give"):
        desk.run("three.jsonl", resume="run.jsonl")

    assert (desk.folder / "run.jsonl").read_bytes() == before


def test_cases_from_python_go_on_too(desk: Desk) -> None:
    cases = [case(name) for name in "abc"]
    desk.run(cases, output="whole.jsonl")
    desk.cut("whole.jsonl", "run.jsonl", 3)

    desk.run(iter(cases), resume="run.jsonl")

    assert desk.asked == ["c#1"]
    assert desk.lines("run.jsonl") == desk.lines("whole.jsonl")


def test_ids_in_messages_are_short_and_on_one_line(desk: Desk) -> None:
    desk.write("cases.jsonl", case("a\nb"), case("L" * 10_000))
    desk.run("cases.jsonl", output="run.jsonl")
    desk.write("cases.jsonl", case("a\nb", "other"), case("L" * 10_000, "other"))

    (told,) = remarks(desk, "cases.jsonl", resume="run.jsonl")

    assert told == f"2 cases were changed since and will run again: a b, {'L' * 99}…"
