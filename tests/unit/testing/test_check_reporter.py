from __future__ import annotations

import json
import threading
from typing import IO, TYPE_CHECKING, Any, ClassVar

import pytest

from assay.testing import HOSTILE_TEXTS, check_reporter, hostile_report, large_report, report_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay import Attempt, CaseResult, Report, ReportContext, RunInfo, Summary


class Page:
    """Writes an id and an output per line, as JSON."""

    name: ClassVar[str] = "page"
    suffixes: ClassVar[tuple[str, ...]] = (".page",)

    def __init__(self, settings: object) -> None:
        self.settings = settings

    def write(self, report: Report, out: IO[str]) -> None:
        for result in report.cases:
            shown = result.shown
            out.write(json.dumps([result.case.id, shown and shown.error]) + "\n")


class Stream:
    """Writes an id per line, as JSON."""

    name: ClassVar[str] = "stream"

    def __init__(self, context: ReportContext, settings: object) -> None:
        self.out = context.stderr
        self.animated = context.animated

    @classmethod
    def wanted(cls, environ: Mapping[str, str]) -> bool:
        return False

    def start(self, info: RunInfo) -> None: ...

    def attempt(self, result: CaseResult, attempt: Attempt) -> None: ...

    def result(self, result: CaseResult) -> None:
        self.out.write(f"\x1b[2K{result.index}\n" if self.animated else f"{result.index}\n")

    def finish(self, summary: Summary) -> None: ...

    def written(self, paths: Sequence[str]) -> None: ...


def variant(base: type, **members: Any) -> Any:
    return type(base.__name__, (base,), members)


class Threaded(Stream):
    """Has a thread as long as the run lasts."""

    def start(self, info: RunInfo) -> None:
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.end.wait, name="threaded")
        self.thread.start()

    def close(self) -> None:
        self.end.set()


class Cases(Page):
    """Writes single cases too."""

    def write_case(self, result: CaseResult, out: IO[str]) -> None:
        out.write(json.dumps(result.case.id))


@pytest.mark.parametrize("cls", [Page, Cases, Stream, Threaded])
def test_a_good_reporter_passes(cls: Any) -> None:
    check_reporter(cls)


def raw(self: Page, report: Report, out: IO[str]) -> None:
    for result in report.cases:
        out.write(f"{result.case.id}\n")


def counting(self: Any, report: Report, out: IO[str]) -> None:
    self.count = getattr(self, "count", 0) + 1
    out.write(f"{self.count}\n")


def anew(self: Page, report: Report, out: IO[str]) -> None:
    out.write(f"{id(self)}\n")


def closing(self: Page, report: Report, out: IO[str]) -> None:
    out.write("x")
    out.close()


def holding(self: Page, report: Report, out: IO[str]) -> None:
    out.write(f"{len(list(report.cases))}\n")


def dividing(self: Page, report: Report, out: IO[str]) -> None:
    out.write(f"{1 / report.summary.counts.total}\n")


def silent(self: Page, report: Report, out: IO[str]) -> None: ...


def raising(*_: object) -> None:
    raise ZeroDivisionError


def closing_stderr(self: Stream, summary: Summary) -> None:
    self.out.close()


def printing(self: Any, *_: object) -> None:
    print("noise")


@pytest.mark.parametrize(
    ("write", "rule"),
    [
        (silent, "writes nothing"),
        (raw, "control character"),
        (counting, "something else when it is asked again"),
        (anew, "something else when it is made again"),
        (closing, "closes the stream"),
        (holding, "results it holds"),
        (dividing, "writing a run without cases it raises ZeroDivisionError"),
        (printing, "prints to stdout"),
    ],
)
def test_a_page_that_breaks_a_rule_is_caught(write: Any, rule: str) -> None:
    kept: list[Any] = []

    def make(self: Any, settings: object) -> None:
        # Kept, so that no two have one id.
        kept.append(self)

    with pytest.raises(AssertionError, match="Page: ") as raised:
        check_reporter(variant(Page, write=write, __init__=make))
    assert rule in str(raised.value)


def raw_case(self: Page, result: CaseResult, out: IO[str]) -> None:
    out.write(f"{result.case.id}.")


def closing_case(self: Page, result: CaseResult, out: IO[str]) -> None:
    out.write("x")
    out.close()


def silent_case(self: Page, result: CaseResult, out: IO[str]) -> None: ...


@pytest.mark.parametrize(
    ("write", "rule"),
    [
        (raw_case, "control character"),
        (closing_case, "closes the stream"),
        (silent_case, "writes nothing for a single case"),
        (raising, "writing a single case it raises ZeroDivisionError"),
        (printing, "prints to stdout"),
    ],
)
def test_a_page_of_a_single_case_that_breaks_a_rule_is_caught(write: Any, rule: str) -> None:
    with pytest.raises(AssertionError, match="Page: ") as raised:
        check_reporter(variant(Page, write_case=write))
    assert rule in str(raised.value)


def show_error(self: Stream, result: CaseResult) -> None:
    if result.shown is not None:
        self.out.write(f"{result.shown.error}\n")


def leave_a_thread(self: Any, paths: Sequence[str]) -> None:
    self.end = threading.Event()
    LEFT.append(self.end)
    threading.Thread(target=self.end.wait, name="left").start()


LEFT: list[threading.Event] = []


def show_error_when_animated(self: Stream, result: CaseResult) -> None:
    if self.animated:
        show_error(self, result)


@pytest.mark.parametrize(
    ("members", "rule"),
    [
        ({"result": show_error}, "of an answer as it is (plain)"),
        ({"result": show_error_when_animated}, "of an answer as it is (animated, color)"),
        ({"result": printing}, "prints to stdout"),
        ({"finish": None}, "no method 'finish'"),
        ({"attempt": raising}, "showing a hostile run it raises ZeroDivisionError"),
        ({"finish": closing_stderr}, "closes the stream"),
        ({"wanted": raising}, "asked whether it is wanted, it raises ZeroDivisionError"),
    ],
)
def test_a_stream_that_breaks_a_rule_is_caught(members: dict[str, Any], rule: str) -> None:
    with pytest.raises(AssertionError, match="Stream: ") as raised:
        check_reporter(variant(Stream, **members))
    assert rule in str(raised.value)


def test_a_stream_that_leaves_a_thread_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.testing.reporter._ENDS", 0.01)
    try:
        with pytest.raises(AssertionError, match="leaves the thread 'left' running"):
            check_reporter(variant(Stream, written=leave_a_thread))
    finally:
        for end in LEFT:
            end.set()


def test_a_stream_that_ends_its_thread_only_with_the_run_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[threading.Event] = []

    def start(self: Any, info: RunInfo) -> None:
        Threaded.start(self, info)
        started.append(self.end)

    def finish(self: Any, summary: Summary) -> None:
        self.end.set()

    ends = variant(Stream, start=start, finish=finish)
    monkeypatch.setattr("assay.testing.reporter._ENDS", 0.01)
    try:
        with pytest.raises(AssertionError, match="a run that breaks off it leaves the thread"):
            check_reporter(ends)
    finally:
        for end in started:
            end.set()


@pytest.mark.parametrize("fails", [ValueError("stuck"), SystemExit(1)])
def test_a_stream_that_cannot_be_closed_is_caught(fails: BaseException) -> None:
    def close(self: Any) -> None:
        raise fails

    with pytest.raises(AssertionError, match="it raises"):
        check_reporter(variant(Stream, close=close))


def test_the_hostile_run_has_all_that_a_run_can_have() -> None:
    report = hostile_report()
    results = list(report.cases)
    assert {result.status for result in results} == {
        "passed",
        "failed",
        "error",
        "timeout",
        "skipped",
    }
    assert [result.index for result in results] == list(range(len(results)))
    assert len({result.case.id for result in results}) == len(results)
    counts = report.summary.counts
    assert counts.total == len(results) == counts.passed + counts.failed + counts.skipped
    assert sum(suite.counts.total for suite in report.summary.suites) == counts.total
    assert any(result.several and len(result.attempts) == 3 for result in results)
    outputs = [attempt.output for result in results for attempt in result.attempts]
    assert all(text in outputs for text in HOSTILE_TEXTS.values())


def test_a_large_run_is_made_as_it_is_read() -> None:
    report = large_report(10)
    assert report.summary.counts.total == 10
    assert [result.case.id for result in report.cases][-1] == "T000009"
    assert next(report.cases) is not next(report.cases)


def test_a_run_without_cases_has_nothing_failed() -> None:
    report = report_of(())
    assert (report.summary.counts.total, report.exit_code) == (0, 0)
