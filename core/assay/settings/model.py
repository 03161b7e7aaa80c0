"""The settings of a run and of a suite, as the rest of assay is handed them."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - SuiteSettings is structured at run time
from typing import TYPE_CHECKING

from attrs import field, frozen

from assay.settings.rate import Rate  # noqa: TC001 - likewise

if TYPE_CHECKING:
    import re

    from assay.settings.assignment import Assignment
    from assay.settings.shard import Shard

DEFAULT = "default"
"""The origin of a value that nobody set."""


@frozen(kw_only=True)
class RunSettings:
    """What holds for a whole run."""

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    reporter: str | None = None
    parallel: int = 1
    run_pattern: re.Pattern[str] | None = None
    """Found in the ids of the cases that run."""
    tags: tuple[str, ...] = ()
    shard: Shard | None = None
    resume: str | None = None
    """The JSON lines of the run that goes on."""
    retry_errors: str | None = None
    """The JSON lines of the run whose errors and timeouts run again."""
    fail_fast: bool = False
    dry_run: bool = False
    asserts: tuple[str, ...] = ()
    """Checks of the answer to a direct message, as written."""
    grace: float = 30.0
    """Seconds that a stage may outlive its limit."""
    executor: str = "local"
    sets: tuple[Assignment, ...] = ()
    """What ``--set`` says, for all plugins, also for those of a suite."""
    json: bool = False
    verbose: bool = False
    quiet: bool = False
    origins: Mapping[str, str] = field(factory=dict[str, str], eq=False)
    """Where each value comes from, by field, as a user would name it: ``--parallel``,
    ``ASSAY_PARALLEL``, ``assay.toml [test] parallel``, or ``default``."""


@frozen(kw_only=True)
class SuiteSettings:
    """What holds for one suite.

    Some things can be said by a case too, and rank between flags and files: of these,
    ``…_override`` is what a flag or variable says (it beats the case), and the plain field what
    a file says, else the default (the case beats it).
    """

    agent: str | None = None
    """``-n``: an id or ``TRANSPORT:TARGET``; None: the agent is found by its folder."""
    transport: str = "yao"
    """For agents that are named by an id alone, from a file or by default."""
    transport_override: str | None = None
    connector: str | None = None
    """``-c``: it beats the case's connector, which beats the agent's own."""
    user: str = "test-user"
    user_override: str | None = None
    team: str = "test-team"
    team_override: str | None = None
    locale: str = "en-us"
    runs: int = 1
    min_pass_rate: float = 100.0
    """Percent."""
    timeout: float = 300.0
    """Seconds per attempt; the case's own beats it, wherever it comes from."""
    retries: int = 2
    rate: Rate | None = None
    max_wait: float = 600.0
    """Seconds."""
    allow_files: tuple[str, ...] = ()
    """Folders, beside the application root, whose files cases may attach."""
    require_assertions: bool = False
    strict: bool = False
    origins: Mapping[str, str] = field(factory=dict[str, str], eq=False)
    """Where each value comes from, by field (an override under the plain field's name)."""
