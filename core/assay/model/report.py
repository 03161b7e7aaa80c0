"""A whole run: how it was started, how it ended, its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from attrs import frozen

from assay.model.case import AgentRef, Environment
from assay.model.exchange import AgentInfo
from assay.model.result import CaseResult, Counts, SuiteSummary

_T = TypeVar("_T")


@frozen(kw_only=True)
class SuiteInfo:
    """A suite as it was when the run started."""

    source: str
    agent: AgentRef
    info: AgentInfo | None = None
    environment: Environment = Environment()
    total_cases: int = 0
    runs_per_case: int = 1
    min_pass_rate: float = 100.0
    file: str | None = None
    """The case file as a user would name it, if it is a file."""
    deselected: int = 0
    """Cases that a filter left out."""


@frozen(kw_only=True)
class RunInfo:
    """How a run was started."""

    started_at: str
    """UTC, RFC 3339, whole seconds."""
    suites: tuple[SuiteInfo, ...]
    total_cases: int
    command: str | None = None
    """The command that repeats the run, without the names of its reports."""
    version: str = ""
    deselected: int = 0
    """Cases that a filter left out; not part of ``total``."""
    filters: str = ""
    """What left them out, in the words of the command line; without ``--shard``."""
    shard: str | None = None
    """Which part of all the cases this is, such as ``2/4``; None: it is all of them."""
    verbose: bool = False
    parallel: int = 1
    is_message: bool = False
    """Whether it asks a direct message."""

    @property
    def agent_id(self) -> str | None:
        """The agent's id; None when the suites test different ones."""
        return _same([suite.agent.name for suite in self.suites])

    @property
    def agent_title(self) -> str | None:
        """The agent's name for people; None when it has none, or suites test different ones."""
        return _same([suite.agent.title for suite in self.suites])

    @property
    def connector(self) -> str | None:
        """The connector in use; None when it is unknown, or suites differ."""
        return _same([suite.agent.connector for suite in self.suites])

    @property
    def replayed(self) -> tuple[str, ...]:
        """The records from which answers are replayed, as a user would name them; mostly none."""
        found = (suite.info.replayed for suite in self.suites if suite.info is not None)
        return tuple(dict.fromkeys(name for name in found if name is not None))

    @property
    def runs_per_case(self) -> int | None:
        """How often each case runs; None when suites differ."""
        return _same([suite.runs_per_case for suite in self.suites])

    @property
    def environment(self) -> Environment:
        """The environment of the first suite: where suites differ, each carries its own."""
        return self.suites[0].environment if self.suites else Environment()


@frozen(kw_only=True)
class Summary:
    """How a run ended."""

    counts: Counts
    duration_ms: int
    agent_id: str | None = None
    connector: str | None = None
    runs_per_case: int | None = 1
    deselected: int = 0
    stopped: str | None = None
    """Why the run ended before all cases had run, if it did."""
    suites: tuple[SuiteSummary, ...] = ()
    completed_at: str = ""


@frozen(kw_only=True)
class Report:
    """A run and its results, read from the journal as often as asked for."""

    info: RunInfo
    summary: Summary
    read: Callable[[], Iterator[CaseResult]]
    """Gives all results in case order, those of skipped cases among them."""
    exit_code: int = 0

    @property
    def is_message(self) -> bool:
        """Whether the run asked a direct message."""
        return self.info.is_message

    @property
    def cases(self) -> Iterator[CaseResult]:
        """Every case in order, skipped ones included."""
        return self.read()

    @property
    def results(self) -> Iterator[CaseResult]:
        """The cases that ran, in order."""
        return (result for result in self.read() if result.status != "skipped")

    @property
    def skipped(self) -> Iterator[CaseResult]:
        """The cases that did not run, in order."""
        return (result for result in self.read() if result.status == "skipped")


def _same(values: list[_T]) -> _T | None:
    return values[0] if values and all(value == values[0] for value in values) else None
