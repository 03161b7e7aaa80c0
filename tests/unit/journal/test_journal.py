"""A journal as a run writes it, and as reports read it."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from attrs import evolve

from assay.errors import RunError
from assay.journal.file import Place
from assay.journal.read import read_journal
from assay.journal.write import Journal
from assay.secret import Redactor, Secret

if TYPE_CHECKING:
    from .conftest import Run


def refuse(message: str) -> None:
    raise AssertionError(message)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_run_is_written_as_it_happens(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "out.jsonl"
    kinds: list[list[str]] = []
    with Journal(Place(path), told=refuse) as journal:
        for step in (
            lambda: journal.start(run.info),
            lambda: journal.result(run.result(1)),
            lambda: journal.result(run.result(0, passed=False)),
            lambda: journal.finish(run.summary(1, 1), exit_code=1),
        ):
            step()
            kinds.append([line["type"] for line in lines_of(path)])
    assert kinds == [
        ["start"],
        ["start", "result"],
        ["start", "result", "result"],
        ["start", "result", "result", "summary"],
    ]
    assert journal.paths == (path,)


def test_the_report_has_results_in_case_order_again_and_again(tmp_path: Path, run: Run) -> None:
    expected = [run.result(0), run.result(1, "other", passed=False), run.result(2, {"a": [1]})]
    with Journal(Place(tmp_path / "out.jsonl"), told=refuse) as journal:
        journal.start(run.info)
        for index in (2, 0, 1):
            journal.result(expected[index])
        journal.finish(run.summary(2, 1), exit_code=1)
        report = journal.report()
    assert list(report.cases) == expected
    assert list(report.cases) == expected
    first, second = report.cases, report.cases
    assert [pair[0] == pair[1] for pair in zip(first, second, strict=True)] == [True] * 3
    assert report.info == run.info
    assert report.summary == run.summary(2, 1)
    assert report.exit_code == 1


def test_what_is_read_back_is_what_was_written(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "out.jsonl"
    with Journal(Place(path), told=refuse) as journal:
        journal.start(run.info)
        for index in (1, 0):
            journal.result(run.result(index))
        journal.finish(run.summary(2), exit_code=0)
        written = journal.report()
    reading = read_journal(path)
    assert reading.is_whole
    assert reading.problems == ()
    assert reading.report.info == written.info
    assert reading.report.summary == written.summary
    assert list(reading.report.cases) == list(written.cases)


def test_attempts_are_lines_of_their_own(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "out.jsonl"
    result = run.result(0)
    several = evolve(
        result,
        attempts=tuple(evolve(result.attempts[0], number=number) for number in (1, 2)),
        several=True,
    )
    with Journal(Place(path), told=refuse) as journal:
        journal.start(run.info)
        for attempt in several.attempts:
            assert journal.attempt(several, attempt) == attempt
        journal.result(several)
        journal.finish(run.summary(1))
        assert list(journal.report().cases) == [several]
    kinds = [(line["type"], line.get("run")) for line in lines_of(path)]
    assert kinds[1:4] == [("attempt", 1), ("attempt", 2), ("result", None)]
    assert list(read_journal(path).report.cases) == [several]


def test_a_hidden_journal_goes_and_its_report_stays(tmp_path: Path, run: Run) -> None:
    with Journal(Place(tmp_path, "hidden"), told=refuse) as journal:
        journal.start(run.info)
        journal.result(run.result(0))
        journal.finish(run.summary(1))
        report = journal.report()
        assert len(list(tmp_path.iterdir())) == 1
        assert journal.paths == ()
    assert list(tmp_path.iterdir()) == []
    assert [result.case.id for result in report.cases] == ["T000"]


def test_a_hidden_journal_stays_when_its_reports_do_not_stand(tmp_path: Path, run: Run) -> None:
    journal = Journal(Place(tmp_path, "hidden"), told=refuse)
    journal.start(run.info)
    journal.result(run.result(0))
    journal.close(keep=True)
    assert [line["type"] for line in lines_of(journal.path)] == ["start", "result"]


def test_a_hidden_journal_stays_after_a_crash_only_with_results(tmp_path: Path, run: Run) -> None:
    def crash(*, with_result: bool) -> None:
        with Journal(Place(tmp_path, "hidden"), told=refuse) as journal:
            journal.start(run.info)
            if with_result:
                journal.result(run.result(0))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crash(with_result=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ZeroDivisionError):
        crash(with_result=True)
    assert len(list(tmp_path.iterdir())) == 1


def test_the_report_survives_a_removed_file(tmp_path: Path, run: Run) -> None:
    told: list[str] = []
    path = tmp_path / "out.jsonl"
    with Journal(Place(path), told=told.append) as journal:
        journal.start(run.info)
        journal.result(run.result(0))
        journal.finish(run.summary(1))
        path.unlink()
        report = journal.report()
    assert [result.case.id for result in report.cases] == ["T000"]
    assert path.exists()
    assert len(told) == 1


def test_each_suite_gets_a_journal_of_its_own(tmp_path: Path, two_suites: Run) -> None:
    run = two_suites
    places = {
        source: Place(tmp_path / source.replace("/", "-"), "beside") for source in run.sources
    }
    with Journal(Place(tmp_path, "hidden"), suites=places, told=refuse) as journal:
        journal.start(run.info)
        for index in (3, 0, 2, 1):
            journal.result(run.result(index))
        journal.finish(run.summary(2))
        assert len(list(journal.report().cases)) == 4
    assert journal.paths == tuple(place.path for place in places.values())
    assert sorted(tmp_path.iterdir()) == sorted(journal.paths)
    for number, path in enumerate(journal.paths):
        reading = read_journal(path)
        assert reading.is_whole
        assert [suite.source for suite in reading.report.info.suites] == [run.sources[number]]
        assert reading.report.info.total_cases == 2
        assert reading.report.info.agent_id == f"agent-{number}"
        assert reading.report.summary.agent_id == f"agent-{number}"
        ids = [result.case.id for result in reading.report.cases]
        assert ids == [["T000", "T001"], ["T002", "T003"]][number]
        kinds = [line["type"] for line in lines_of(path)]
        assert kinds == ["start", "result", "result", "summary"]


def test_a_suite_without_cases_gets_no_file(tmp_path: Path, two_suites: Run) -> None:
    first, second = two_suites.info.suites
    info = evolve(two_suites.info, suites=(first, evolve(second, total_cases=0)))
    places = {suite.source: Place(tmp_path / suite.source, "beside") for suite in info.suites}
    with Journal(Place(tmp_path, "hidden"), suites=places, told=refuse) as journal:
        journal.start(info)
        journal.finish(two_suites.summary(0))
    assert journal.paths == (tmp_path / first.source,)


def test_live_lines_are_the_lines_of_the_file(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "out.jsonl"
    live = io.StringIO()
    with Journal(Place(path), live=[live], told=refuse) as journal:
        journal.start(run.info)
        journal.result(run.result(0, "with \ud800 and \x9b31m and \u2028"))
        journal.finish(run.summary(1))
    assert live.getvalue() == path.read_text(encoding="utf-8")
    assert len(live.getvalue().splitlines()) == 3


class Broken(io.StringIO):
    def write(self, text: str, /) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def test_what_stands_in_the_file_is_in_the_report_of_a_run_that_hangs(
    tmp_path: Path, run: Run
) -> None:
    writing, unread = threading.Event(), threading.Event()

    class Unread(io.StringIO):
        def write(self, text: str, /) -> int:
            if '"result"' in text:
                writing.set()
                unread.wait()
            return super().write(text)

    live = Unread()
    path = tmp_path / "out.jsonl"
    with Journal(Place(path), live=[live], told=refuse) as journal:
        journal.start(run.info)
        stuck = threading.Thread(target=journal.result, args=(run.result(0),))
        stuck.start()
        assert writing.wait(60)
        journal.mute()
        journal.finish(run.summary(1), exit_code=3)
        assert [result.index for result in journal.report().results] == [0]
        unread.set()
        stuck.join()
    assert [line["type"] for line in lines_of(path)] == ["start", "result", "summary"]
    assert '"summary"' not in live.getvalue()


def test_a_live_stream_that_breaks_is_dropped(tmp_path: Path, run: Run) -> None:
    told: list[str] = []
    good = io.StringIO()
    path = tmp_path / "out.jsonl"
    with Journal(Place(path), live=[Broken(), good], told=told.append) as journal:
        journal.start(run.info)
        journal.result(run.result(0))
    assert len(told) == 1
    assert "Broken pipe" in told[0]
    assert good.getvalue() == path.read_text(encoding="utf-8")


SECRET = "sk-0123456789abcdef"


def test_secrets_are_replaced_in_every_line_and_in_what_is_handed_back(
    tmp_path: Path, run: Run
) -> None:
    path = tmp_path / "out.jsonl"
    result = run.result(0, {"token": [f"it is {SECRET}!"], SECRET: 1})
    several = evolve(result, several=True)
    info = evolve(run.info, command=f"assay test --set transport.x.key={SECRET}")
    summary = evolve(run.summary(1), stopped=f"the server said {SECRET}")
    with Journal(Place(path), masker=Redactor([Secret(SECRET)]), told=refuse) as journal:
        handed = [
            journal.start(info),
            journal.attempt(several, several.attempts[0]),
            journal.result(several),
            journal.finish(summary),
        ]
        read = list(journal.report().cases)
    assert SECRET not in path.read_text(encoding="utf-8")
    assert len(lines_of(path)) == 4
    assert SECRET not in repr(handed)
    assert SECRET not in repr(read)
    assert read[0].attempts[0].output == {"token": ["it is ***!"], "***": 1}
    assert handed[2] == read[0]


def test_without_secrets_what_is_handed_back_is_what_was_given(tmp_path: Path, run: Run) -> None:
    result = run.result(0)
    masker = Redactor([Secret(SECRET)])
    with Journal(Place(tmp_path / "out.jsonl"), masker=masker, told=refuse) as journal:
        assert journal.result(result) is result


def test_the_hash_is_that_of_the_case_with_its_secret(tmp_path: Path, run: Run) -> None:
    def digest(name: str, masker: Redactor | None) -> str:
        path = tmp_path / name
        result = run.result(0)
        case = evolve(result.case, raw={**result.case.raw, "metadata": {"key": SECRET}})
        with Journal(Place(path), masker=masker, told=refuse) as journal:
            journal.result(evolve(result, case=case))
        found: str = lines_of(path)[0]["hash"]
        return found

    assert digest("masked.jsonl", Redactor([Secret(SECRET)])) == digest("plain.jsonl", None)


def test_a_secret_that_is_a_word_of_reports_is_told(tmp_path: Path, run: Run) -> None:
    masker = Redactor([Secret("duration_ms")])
    with (
        Journal(Place(tmp_path / "out.jsonl"), masker=masker, told=refuse) as journal,
        pytest.raises(RunError, match="a secret is a word that reports need"),
    ):
        journal.result(run.result(0))


RUN = """
import sys
import threading
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Run
from assay.journal.file import Place
from assay.journal.write import Journal
run = Run(cases_each=10**9)
journal = Journal(Place(Path(sys.argv[1]), sys.argv[3]), told=print)
print(journal.path, flush=True)
journal.start(run.info)
for index in range(10**9):
    journal.result(run.result(index, "ответ 🎉 " * (index % 500), passed=index % 3 > 0))
    if index == 40:
        print("going", flush=True)
"""


@pytest.mark.parametrize("how", ["over", "hidden"])
def test_a_killed_run_can_be_reported(tmp_path: Path, how: str) -> None:
    place = tmp_path / "out.jsonl" if how == "over" else tmp_path
    here = str(Path(__file__).parent)
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(place), here, how], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        path = Path(process.stdout.readline().strip())
        process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    reading = read_journal(path)
    assert not reading.is_whole
    results = list(reading.report.cases)
    assert len(results) > 40
    assert [result.index for result in results] == list(range(len(results)))
    counts = reading.report.summary.counts
    assert counts.total == len(results) == counts.passed + counts.failed
    assert counts.failed == len([result for result in results if result.status == "failed"])
    assert reading.report.exit_code == 1
    assert reading.report.summary.stopped == (
        f"the run broke off: {len(results)} of its 1000000000 cases have a result"
    )
