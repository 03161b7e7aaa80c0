"""Reporters that show a run: one that raises does not disturb the others."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from assay.contracts import ReportContext
from assay.errors import ConfigError
from assay.model.report import Report
from assay.model.result import CaseResult
from assay.reports.feed import Feed, wanted
from assay.reports.installed import InstalledReporter


def tell_everything(feed: Feed, report: Report, result: CaseResult) -> None:
    feed.start(report.info)
    for attempt in result.attempts:
        feed.attempt(result, attempt)
    feed.result(result)
    feed.finish(report.summary)
    feed.written(["a.json", "b.md"])
    feed.close()


@pytest.fixture
def tell(
    report: Callable[..., Report],
    result: Callable[..., CaseResult],
    install: Callable[..., InstalledReporter],
) -> Callable[..., list[str]]:
    """Runs classes of reporters through a run, and gives what was told of them."""

    def run(*classes: Any) -> list[str]:
        told: list[str] = []
        several = result(0, runs=2)
        whole = report(several)
        context = ReportContext(info=whole.info, stderr=io.StringIO())
        feed = Feed(
            [install(one, "assay-shows") for one in classes],
            context,
            lambda one: f"settings of {one.word}",
            told.append,
        )
        tell_everything(feed, whole, several)
        return told

    return run


def keeping(base: Any, made: list[tuple[Any, object]]) -> Any:
    """A class of reporters that are kept, with their settings, when they are made."""

    def make(self: Any, context: object, settings: object) -> None:
        base.__init__(self, context, settings)
        made.append((self, settings))

    return type("Kept", (base,), {"__init__": make})


EVERYTHING = [
    "start",
    "attempt 1",
    "attempt 2",
    "result T000",
    "finish",
    "written a.json, b.md",
]


def test_a_reporter_is_told_everything_in_order(
    reporters: dict[str, Any], tell: Callable[..., list[str]]
) -> None:
    made: list[tuple[Any, object]] = []
    assert tell(keeping(reporters["shows"], made)) == []
    [(kept, settings)] = made
    assert kept.told == EVERYTHING
    assert settings == "settings of shows"


@pytest.mark.parametrize("method", ["__init__", "start", "attempt", "result", "finish", "written"])
@pytest.mark.parametrize("error", [ValueError("two\nlines"), SystemExit(3)])
def test_one_that_raises_is_named_once_and_the_others_go_on(
    reporters: dict[str, Any], tell: Callable[..., list[str]], method: str, error: BaseException
) -> None:
    made: list[tuple[Any, object]] = []
    good = keeping(reporters["shows"], made)

    def fail(*_: object) -> None:
        raise error

    bad = type("Bad", (reporters["shows"],), {"name": "bad", method: fail})
    told = tell(good, bad, good)
    kind = "ValueError: two lines" if isinstance(error, ValueError) else "SystemExit: 3"
    assert told == [f"reporter bad of assay-shows 1.0 failed: {kind}"]
    assert [kept.told for kept, _ in made] == [EVERYTHING, EVERYTHING]


class Held:
    """What a reporter has that must be let go of; mixed into one that is told of a run."""

    told: list[str]

    def close(self) -> None:
        self.told.append("close")


def test_one_that_holds_something_is_closed_last_and_once(
    reporters: dict[str, Any], tell: Callable[..., list[str]]
) -> None:
    made: list[tuple[Any, object]] = []
    held = type("Held", (Held, reporters["shows"]), {})
    assert tell(keeping(held, made)) == []
    assert made[0][0].told == [*EVERYTHING, "close"]


def test_one_that_raises_is_closed_before_that_is_told(
    reporters: dict[str, Any], tell: Callable[..., list[str]]
) -> None:
    made: list[tuple[Any, object]] = []

    def fail(self: Any, *_: object) -> None:
        self.told.append("fail")
        raise ValueError

    bad = type("Bad", (Held, reporters["shows"]), {"name": "bad", "result": fail})
    assert tell(keeping(bad, made)) == ["reporter bad of assay-shows 1.0 failed: ValueError"]
    assert made[0][0].told == ["start", "attempt 1", "attempt 2", "fail", "close"]


def test_one_that_cannot_be_closed_is_named_and_the_others_are_closed(
    reporters: dict[str, Any], tell: Callable[..., list[str]]
) -> None:
    made: list[tuple[Any, object]] = []

    def fail(self: Any) -> None:
        raise OSError("stuck")

    bad = type("Bad", (Held, reporters["shows"]), {"name": "bad", "close": fail})
    good = type("Good", (Held, reporters["shows"]), {})
    told = tell(bad, keeping(good, made))
    assert told == ["reporter bad of assay-shows 1.0 failed: OSError: stuck"]
    assert made[0][0].told[-1] == "close"


def test_none_is_made_when_the_settings_of_another_are_wrong(
    reporters: dict[str, Any],
    report: Callable[..., Report],
    install: Callable[..., InstalledReporter],
) -> None:
    made: list[tuple[Any, object]] = []
    good = install(keeping(reporters["shows"], made))
    bad = install(type("Bad", (reporters["shows"],), {"name": "bad"}))

    def settings(one: InstalledReporter) -> None:
        if one.word == "bad":
            raise ConfigError("[reporter.bad] size: expected a number")

    context = ReportContext(info=report().info, stderr=io.StringIO())
    with pytest.raises(ConfigError, match="expected a number"):
        Feed([good, bad], context, settings, list[str]().append)
    assert made == []


def test_ctrl_c_in_a_reporter_is_not_swallowed(
    reporters: dict[str, Any], tell: Callable[..., list[str]]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    bad = type("Bad", (reporters["shows"],), {"result": interrupt})
    with pytest.raises(KeyboardInterrupt):
        tell(bad)


def test_reporters_that_are_on_by_themselves(
    reporters: dict[str, Any], install: Callable[..., InstalledReporter]
) -> None:
    def fail(_: object) -> bool:
        raise OSError("no terminal")

    bad = type("Bad", (reporters["shows"],), {"name": "bad", "wanted": staticmethod(fail)})
    told: list[str] = []
    everything = [install(one) for one in (*reporters.values(), bad)]
    assert [one.word for one in wanted(everything, {"SHOW": "1"}, told.append)] == ["shows"]
    assert told == ["reporter bad of assay 1.0 failed: OSError: no terminal"]
    assert wanted(everything[:-1], {}, told.append) == ()
