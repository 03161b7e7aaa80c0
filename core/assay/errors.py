"""What can go wrong, as a caller can decide on it.

::

    AssayError
    ├── ConfigError        the user can mend it: nothing was asked (exit 2)
    ├── RunError           the run could not be carried out or written (exit 3)
    ├── CannotCheck        an assertion cannot be carried out (status ``error``)
    └── AgentError         the agent was asked and failed (status ``error``)
        ├── TransportError     it could not be reached, or its answer broke off
        │   └── RateLimited        it asks for a pause
        └── TimedOut           it took too long when it was recorded (status ``timeout``)

A message says where, what happened and how to mend it, in this order.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class ExitCode(IntEnum):
    """What the process tells its caller."""

    PASSED = 0
    """Every case passed."""
    FAILED = 1
    """At least one case did not pass."""
    CONFIG = 2
    """A flag, a case, an agent or a plugin is wrong, or there is nothing to run."""
    RUNTIME = 3
    """The agent was never reached, a report could not be written, or a plugin crashed."""
    INTERRUPTED = 130
    """Ctrl-C."""
    TERMINATED = 143
    """SIGTERM."""


class AssayError(Exception):
    """Base of every error that assay raises on purpose."""

    exit_code: ExitCode = ExitCode.RUNTIME


class ConfigError(AssayError):
    """Something that the user can mend before any agent is asked.

    Args:
        message: One sentence, or the heading of ``details``.
        details: One line per fault, when there are several.
    """

    exit_code = ExitCode.CONFIG

    def __init__(self, message: str, details: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)

    def __str__(self) -> str:
        return "\n".join((self.message, *self.details)) if self.message else "\n".join(self.details)


class RunError(AssayError):
    """The run could not be carried out, or its reports could not be written."""


class CannotCheck(AssayError):  # noqa: N818 - reads as a statement where plugins raise it
    """An assertion cannot be carried out at all.

    The attempt gets the status ``error``, whether the assertion is negated or not.
    """


class AgentError(AssayError):
    """The agent was asked and failed.

    Args:
        message: What it said or what happened.
        partial: The text that had arrived before, if any.
    """

    replayed_ms: int | None = None
    """How long it took to fail when this was recorded; None: it failed in this run."""

    def __init__(self, message: str, *, partial: str | None = None) -> None:
        super().__init__(message)
        self.partial = partial


class TransportError(AgentError):
    """The agent could not be reached, or its answer broke off.

    Args:
        message: What happened, with the address.
        retryable: Whether asking again can help and can do no harm. Never true once an
            answer has begun: the turns of an agent are not idempotent.
        partial: The text that had arrived before, if any.
    """

    def __init__(
        self, message: str, *, retryable: bool = False, partial: str | None = None
    ) -> None:
        super().__init__(message, partial=partial)
        self.retryable = retryable


class RateLimited(TransportError):  # noqa: N818 - reads as a statement where plugins raise it
    """The agent asks for a pause.

    Args:
        message: What it said.
        retry_after: Seconds to wait, or None when it did not say.
    """

    def __init__(self, message: str = "rate limited", *, retry_after: float | None = None) -> None:
        super().__init__(message, retryable=True)
        self.retry_after = retry_after


class TimedOut(AgentError):  # noqa: N818 - reads as a statement where it is raised
    """The time of the attempt was up while the agent was asked, when this was recorded.

    The attempt gets the status ``timeout``, without a wait. Only what replays an agent raises it:
    one that is asked is cancelled when the time is up.

    Args:
        replayed_ms: How long the agent had then.
    """

    def __init__(self, replayed_ms: int) -> None:
        super().__init__("it took too long when it was recorded")
        self.replayed_ms = replayed_ms
