"""Journals as they are found: torn, unfinished, foreign, hostile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from assay.codec.encode import encode
from assay.codec.lines import FORMAT, to_json
from assay.errors import ConfigError, RunError
from assay.journal.offsets import Offsets
from assay.journal.read import read_journal

if TYPE_CHECKING:
    from .conftest import Run


def write(path: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else encode(line) for line in lines]
    path.write_bytes("".join(f"{text}\n" for text in texts).encode())
    return path


def test_a_torn_last_line_is_told_and_left_out(tmp_path: Path, run: Run) -> None:
    path = write(
        tmp_path / "out.jsonl", to_json(run.info), to_json(run.result(0)), to_json(run.result(1))
    )
    data = path.read_bytes()
    path.write_bytes(data[:-40])
    reading = read_journal(path)
    assert reading.problems == (f"{path}:3: the last line is torn; it is left out",)
    assert [result.index for result in reading.report.cases] == [0]
    assert reading.report.summary.counts.total == 1


@given(cut=st.integers(1, 2000))
def test_a_journal_torn_anywhere_is_read_up_to_there(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    from assay.model.case import AgentRef
    from assay.model.report import RunInfo, SuiteInfo

    info = RunInfo(
        started_at="2024-12-17T10:00:00Z",
        suites=(SuiteInfo(source="ñ", agent=AgentRef(transport="echo", target="", name="🎉")),),
        total_cases=1,
    )
    path = write(tmp_path_factory.mktemp("torn") / "out.jsonl", to_json(info))
    head = path.read_bytes()
    data = head + encode({"type": "note", "text": "日本" * 300}).encode() + b"\n"
    path.write_bytes(data[: len(head) + cut])
    reading = read_journal(path)
    assert reading.report.info == info
    whole = len(head) + cut >= len(data) - 1
    assert len(reading.problems) == (0 if whole else 1)


def test_types_of_lines_that_are_yet_to_come_are_passed_over(tmp_path: Path, run: Run) -> None:
    path = write(
        tmp_path / "out.jsonl",
        to_json(run.info),
        {"type": "weather", "index": "sunny"},
        "",
        to_json(run.result(0)),
        to_json(run.summary(1)),
    )
    reading = read_journal(path)
    assert reading.problems == ()
    assert reading.is_whole
    assert len(list(reading.report.cases)) == 1


def test_damaged_lines_are_told_up_to_five(tmp_path: Path, run: Run) -> None:
    path = write(
        tmp_path / "out.jsonl",
        to_json(run.info),
        *["{broken"] * 8,
        {**to_json(run.result(1)), "index": -1},
        to_json(run.result(0)),
    )
    reading = read_journal(path)
    assert len(reading.problems) == 6
    assert reading.problems[0].startswith(f"{path}:2: the line cannot be read: ")
    assert reading.problems[-1] == f"{path}: 4 more lines cannot be read"
    assert len(list(reading.report.cases)) == 1


def test_the_last_line_of_a_case_counts(tmp_path: Path, run: Run) -> None:
    path = write(
        tmp_path / "out.jsonl",
        to_json(run.info),
        to_json(run.result(0, "first", passed=False)),
        to_json(run.result(1)),
        to_json(run.summary(1, 1)),
        to_json(run.result(0, "second")),
    )
    reading = read_journal(path)
    assert [result.attempts[0].output for result in reading.report.cases] == ["second", "fine"]
    assert not reading.is_whole
    assert reading.report.summary.counts.failed == 0
    assert reading.report.summary.counts.passed == 2
    assert reading.report.exit_code == 0


def test_a_newer_format_is_refused(tmp_path: Path, run: Run) -> None:
    start = {**to_json(run.info), "format": FORMAT + 1, "version": "9.1"}
    path = write(tmp_path / "out.jsonl", start)
    with pytest.raises(ConfigError) as raised:
        read_journal(path)
    assert str(raised.value) == (
        f"{path}:1: written by a newer assay (9.1, format {FORMAT + 1});"
        f" this one reads formats up to {FORMAT}: upgrade it"
    )


def test_a_case_file_is_no_journal(tmp_path: Path) -> None:
    path = write(tmp_path / "inputs.jsonl", {"id": "T001", "input": "hello"}, "// a comment")
    with pytest.raises(ConfigError, match="it holds no run"):
        read_journal(path)


def test_runs_one_after_the_other_are_not_taken_for_one(tmp_path: Path, run: Run) -> None:
    failed = (to_json(run.info), to_json(run.result(0, passed=False)), to_json(run.summary(0, 1)))
    passed = (to_json(run.info), to_json(run.result(1)), to_json(run.summary(1, 0)))
    path = write(tmp_path / "out.jsonl", *failed, *passed)
    with pytest.raises(ConfigError, match=r"out\.jsonl:4: a second run begins here; give"):
        read_journal(path)


def test_a_summary_of_fewer_results_is_of_another_run(tmp_path: Path, run: Run) -> None:
    path = write(
        tmp_path / "out.jsonl",
        to_json(run.info),
        to_json(run.result(0, passed=False)),
        to_json(run.result(1)),
        to_json(run.summary(1, 0)),
    )
    reading = read_journal(path)
    assert not reading.is_whole
    assert reading.report.exit_code == 1
    counts = reading.report.summary.counts
    assert (counts.total, counts.failed, counts.passed) == (2, 1, 1)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl: it cannot be read: No such file"):
        read_journal(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="it cannot be read: Is a directory"):
        read_journal(tmp_path)


def test_a_file_that_changes_while_it_is_read_is_an_error(tmp_path: Path, run: Run) -> None:
    path = write(tmp_path / "out.jsonl", to_json(run.info), to_json(run.result(0)))
    report = read_journal(path).report
    path.write_bytes(path.read_bytes().replace(b'"T000"', b'"T00\n"'))
    with pytest.raises(RunError, match=r"the result at byte .* was the file changed"):
        list(report.cases)


def test_the_summary_of_a_broken_run_counts_everything(tmp_path: Path, two_suites: Run) -> None:
    run = two_suites
    error = run.result(1, passed=False)
    slow = run.result(2, passed=False)
    skipped = evolve(run.result(3), status="skipped", attempts=(), stability=None, reason="skip")
    path = write(
        tmp_path / "out.jsonl",
        to_json(run.info),
        to_json(run.result(0)),
        to_json(
            evolve(error, status="error", attempts=(evolve(error.attempts[0], status="error"),))
        ),
        to_json(
            evolve(slow, status="timeout", attempts=(evolve(slow.attempts[0], status="timeout"),))
        ),
        to_json(skipped),
    )
    summary = read_journal(path).report.summary
    counts = summary.counts
    assert (counts.total, counts.passed, counts.failed, counts.skipped) == (4, 1, 2, 1)
    assert (counts.errors, counts.timeouts, counts.unasserted) == (1, 1, 0)
    assert (counts.total_runs, counts.passed_runs) == (3, 1)
    assert (counts.stable_cases, counts.unstable_cases) == (1, 2)
    assert [suite.counts.total for suite in summary.suites] == [2, 2]
    assert summary.agent_id is None
    assert summary.stopped == "the run broke off: 4 of its 4 cases have a result"


def test_the_exit_code_is_kept(tmp_path: Path, run: Run) -> None:
    summary = {**to_json(run.summary(0, 1)), "exit_code": 3}
    path = write(
        tmp_path / "out.jsonl", to_json(run.info), to_json(run.result(0, passed=False)), summary
    )
    assert read_journal(path).report.exit_code == 3


def test_a_report_file_of_lines_is_not_held_in_memory(tmp_path: Path, run: Run) -> None:
    import tracemalloc

    path = tmp_path / "out.jsonl"
    line = json.dumps({**to_json(run.result(0)), "output": "x" * 20_000})
    with path.open("w") as file:
        file.write(encode(to_json(run.info)) + "\n")
        for index in range(1000):
            file.write(line.replace('"index": 0', f'"index": {index}') + "\n")
    tracemalloc.start()
    count = sum(1 for _ in read_journal(path).report.cases)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 1000
    assert peak < 2_000_000


@given(
    st.lists(
        st.tuples(st.integers(0, 30) | st.integers(2**22, 2**70), st.integers(0, 10**12)),
        max_size=20,
    )
)
def test_offsets_are_in_case_order_and_the_last_wins(puts: list[tuple[int, int]]) -> None:
    offsets = Offsets()
    for index, offset in puts:
        offsets.put(index, offset)
    expected = dict(puts)
    assert list(offsets) == [expected[index] for index in sorted(expected)]
    assert len(offsets) == len(expected)
