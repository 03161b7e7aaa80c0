"""The contract of a reporter."""

from __future__ import annotations

import io
import threading
import weakref
from contextlib import contextmanager, redirect_stdout
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

import attrs

from assay.contracts import CaseReporter, Closing, ReportContext
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.testing.broken import broken
from assay.testing.given import settings_of
from assay.testing.hostile import CONTROL
from assay.testing.runs import hostile_report, large_report, report_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from assay.contracts import PageReporter, StreamReporter
    from assay.model.report import Report
    from assay.model.result import CaseResult

_LARGE = 4_000
_HELD = 1_000
"""Results that a page may hold at once, of many more."""

_BEGINNING = 5
"""Cases that are done when a run breaks off."""

_ENDS = 5.0
"""Seconds that a thread of a reporter may take to end, once the run is over."""

_OWNED = ("\x07", "\x9b", "\x1b]0;owned", "\x1b[2J\x1b[H\x1b[31mred", "\x1b]8;;http://evil")
"""What agents of the hostile run say, and what must never reach a terminal."""


_PLAIN: Final = frozenset[str]()
_LOOKS: Final = (
    _PLAIN,
    frozenset({"verbose"}),
    frozenset({"quiet"}),
    frozenset({"animated", "color"}),
    frozenset({"animated", "color", "verbose"}),
)


def check_reporter(
    cls: type[PageReporter] | type[StreamReporter], *, settings: object = None
) -> None:
    """See that a reporter keeps its contract, with hostile answers, no cases and many.

    Args:
        cls: A class with ``write`` (a page) or with ``result`` (a stream).
        settings: What it is made with.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    try:
        word_of("reporter", cls)
        judge("reporter", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    settings = settings_of(cls, settings)
    if hasattr(cls, "write"):
        _check_page(cast("type[PageReporter]", cls), settings)
    else:
        _check_stream(cast("Any", cls), settings)


def _check_page(cls: type[PageReporter], settings: object) -> None:
    make = cast("Callable[[object], PageReporter]", cls)
    hostile = hostile_report()
    reporter = make(settings)
    first = _written(cls, reporter, hostile, "a hostile run")
    if not first.strip():
        raise broken(cls, "it writes nothing for a run with cases")
    if _written(cls, reporter, hostile, "the same run again") != first:
        raise broken(cls, "it writes something else when it is asked again")
    if _written(cls, make(settings), hostile, "the same run anew") != first:
        raise broken(cls, "it writes something else when it is made again")
    _check_characters(cls, first)
    _written(cls, make(settings), report_of(()), "a run without cases")
    skipped = tuple(result for result in hostile.skipped)
    _written(cls, make(settings), report_of(skipped), "a run whose cases were all skipped")
    large, most = _watched(large_report(_LARGE))
    _written(cls, make(settings), large, f"a run with {_LARGE} cases")
    if isinstance(reporter, CaseReporter):
        _check_cases(cls, reporter, hostile)
    if most[0] > _HELD:
        raise broken(
            cls,
            f"of {_LARGE} results it holds {most[0]} at once; read report.cases one by one and "
            "keep only what is needed",
        )


def _check_cases(cls: type, reporter: CaseReporter, report: Report) -> None:
    """See that it writes cases one by one, each more than nothing."""
    for result in report.cases:
        out = io.StringIO(newline="")
        with _watching(cls, "writing a single case"):
            reporter.write_case(result, out)
        if out.closed:
            raise broken(cls, "it closes the stream that it writes to; assay does that")
        if not out.getvalue().strip():
            raise broken(cls, "it writes nothing for a single case")
        _check_characters(cls, out.getvalue())


def _check_characters(cls: type, text: str) -> None:
    raw = sorted(set(text) & (set(CONTROL) - {"\n", "\r", "\t", "\x7f"}))
    if raw:
        raise broken(cls, f"it writes the control character {raw[0]!r} of an answer as it is")


def _written(cls: type, reporter: PageReporter, report: Report, what: str) -> str:
    out = io.StringIO(newline="")
    with _watching(cls, f"writing {what}"):
        reporter.write(report, out)
    if out.closed:
        raise broken(cls, "it closes the stream that it writes to; assay does that")
    return out.getvalue()


def _watched(report: Report) -> tuple[Report, list[int]]:
    """Count how many results of a report are alive at once, and keep the most."""
    most = [0]

    def read() -> Iterator[CaseResult]:
        gone: list[object] = []
        references: list[weakref.ref[CaseResult]] = []
        for result in report.read():
            references.append(weakref.ref(result, gone.append))
            yield result
            most[0] = max(most[0], len(references) - len(gone))

    return attrs.evolve(report, read=read), most


def _check_stream(cls: type[StreamReporter], settings: object) -> None:
    with _watching(cls, "asked whether it is wanted,"):
        cls.wanted({})
    hostile = hostile_report()
    for look in _LOOKS:
        shown = _shown(cls, settings, hostile, "a hostile run", look)
        looks = ", ".join(sorted(look)) or "plain"
        if "animated" in look:
            owned = [sequence for sequence in _OWNED if sequence in shown]
        else:
            owned = sorted(set(shown) & (set(CONTROL) - {"\n", "\t"}))
        if owned:
            raise broken(cls, f"it shows {owned[0]!r} of an answer as it is ({looks})")
    _shown(cls, settings, report_of(()), "a run without cases")
    _shown(cls, settings, large_report(_LARGE), f"a run with {_LARGE} cases")
    stopped = attrs.evolve(hostile.summary, stopped="interrupted")
    _shown(cls, settings, attrs.evolve(hostile, summary=stopped), "a run that was stopped")
    for look in _LOOKS:
        _broken_off(cls, settings, hostile, look)


def _shown(
    cls: type[StreamReporter],
    settings: object,
    report: Report,
    what: str,
    look: frozenset[str] = _PLAIN,
) -> str:
    """Show a run as it happens, cases in an order of their own, as they are when parallel."""
    stderr = io.StringIO(newline="")
    report = _with_look(report, look)
    with _watching(cls, f"showing {what}"):
        reporter = _made(cls, settings, report, stderr, look)
        reporter.start(report.info)
        for result in _as_they_end(report):
            _show(reporter, result)
        reporter.finish(report.summary)
        reporter.written(("report.json", "tests/output-<b>`x`.jsonl"))
        if isinstance(reporter, Closing):
            reporter.close()
    if stderr.closed:
        raise broken(cls, "it closes the stream that it writes to; assay does that")
    return stderr.getvalue()


def _broken_off(
    cls: type[StreamReporter], settings: object, report: Report, look: frozenset[str]
) -> None:
    """Show the beginning of a run that has no end."""
    stderr = io.StringIO(newline="")
    report = _with_look(report, look)
    with _watching(cls, "showing a run that breaks off"):
        reporter = _made(cls, settings, report, stderr, look)
        reporter.start(report.info)
        for result in islice(report.cases, _BEGINNING):
            _show(reporter, result)
        if isinstance(reporter, Closing):
            reporter.close()


def _with_look(report: Report, look: frozenset[str]) -> Report:
    return attrs.evolve(report, info=attrs.evolve(report.info, verbose="verbose" in look))


def _made(
    cls: type[StreamReporter],
    settings: object,
    report: Report,
    stderr: io.StringIO,
    look: frozenset[str],
) -> StreamReporter:
    context = ReportContext(
        info=report.info,
        stderr=stderr,
        verbose="verbose" in look,
        quiet="quiet" in look,
        animated="animated" in look,
        color="color" in look,
    )
    make = cast("Callable[[ReportContext, object], StreamReporter]", cls)
    return make(context, settings)


def _show(reporter: StreamReporter, result: CaseResult) -> None:
    for number, attempt in enumerate(result.attempts, 1) if result.several else ():
        reporter.attempt(attrs.evolve(result, attempts=result.attempts[:number]), attempt)
    reporter.result(result)


def _as_they_end(report: Report) -> Iterator[CaseResult]:
    """Give each two results the later first."""
    waiting: CaseResult | None = None
    for result in report.cases:
        if waiting is None:
            waiting = result
        else:
            yield result
            yield waiting
            waiting = None
    if waiting is not None:
        yield waiting


@contextmanager
def _watching(cls: type, what: str) -> Generator[None]:
    """See that nothing is raised, printed or left running."""
    before = set(threading.enumerate())
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            yield
    except (Exception, SystemExit) as error:
        raise broken(cls, f"{what} it raises {type(error).__name__}: {error}") from error
    if printed.getvalue():
        raise broken(cls, f"{what} it prints to stdout, which is for results alone")
    for thread in threading.enumerate():
        if thread not in before:
            thread.join(_ENDS)
            if thread.is_alive():
                raise broken(
                    cls,
                    f"{what} it leaves the thread {thread.name!r} running; give it a method "
                    "'close', which is called whatever becomes of the run",
                )
