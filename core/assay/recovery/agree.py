"""Whether a run is the one that an earlier one was: flags that change what a run is must agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.model.report import RunInfo, SuiteInfo


def check_agreement(earlier: RunInfo, now: RunInfo, label: str) -> None:
    """See that this run can go on with an earlier one.

    Args:
        earlier: How the earlier run was started.
        now: How this one is.
        label: How the user named the earlier one, for the message.

    Raises:
        ConfigError: With everything that differs.
    """
    lines = [f"{what}: {was} then, {this} now" for what, was, this in _differences(earlier, now)]
    if lines:
        raise ConfigError(f"{label}: it is of a run that was started otherwise", lines)


def check_parts(one: RunInfo, other: RunInfo, names: tuple[str, str]) -> None:
    """See that results of both can stand in one report, be they different parts of the cases.

    Args:
        one: How a run was started.
        other: How another one was.
        names: How the user named their files, for the message.

    Raises:
        ConfigError: With everything that differs.
    """
    differences = _differences(one, other, other_shards=True)
    lines = [f"{what}: {this}, but {that} in {names[0]}" for what, that, this in differences]
    if lines:
        raise ConfigError(
            f"{names[1]}: it is of a run that was started otherwise than that of {names[0]}", lines
        )


def _differences(
    earlier: RunInfo, now: RunInfo, *, other_shards: bool = False
) -> Iterator[tuple[str, str, str]]:
    if earlier.filters != now.filters:
        yield "filters (--run, --tag)", earlier.filters or "none", now.filters or "none"
    if not other_shards and earlier.shard != now.shard:
        yield "part (--shard)", earlier.shard or "all", now.shard or "all"
    if earlier.replayed != now.replayed:
        was, this = (", ".join(run.replayed) or "asked for" for run in (earlier, now))
        yield "answers (--replay)", was, this
    before = {suite.source: suite for suite in earlier.suites}
    several = len(now.suites) > 1
    for suite in now.suites:
        if suite.source not in before:
            continue
        place = f"{suite.source}: " if several else ""
        pairs = zip(_identity(before[suite.source]), _identity(suite), strict=True)
        for (what, was), (_, this) in pairs:
            if was != this:
                yield place + what, was, this


def _identity(suite: SuiteInfo) -> Iterator[tuple[str, str]]:
    """Give what makes the results of a suite what they are, each in a user's words."""
    agent, environment = suite.agent, suite.environment
    yield "agent (-n)", f"{agent.name} over {agent.transport}"
    yield "target of the agent (-n)", agent.target or "none"
    yield "connector (-c)", agent.connector or "none"
    yield "user (-u)", environment.user_id
    yield "team (-t)", environment.team_id
    yield "locale (--locale)", environment.locale
    yield "runs (--runs)", str(suite.runs_per_case)
    yield "minimum pass rate (--min-pass-rate)", f"{suite.min_pass_rate:g}"
