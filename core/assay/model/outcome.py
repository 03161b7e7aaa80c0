"""What an assertion sees, and what it says."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from functools import cached_property
from typing import Protocol

from attrs import define, frozen

from assay.absent import ABSENT
from assay.extract import Extracted, extract
from assay.model.case import Case, Check
from assay.model.exchange import Exchange, Response
from assay.model.message import Message


@frozen(kw_only=True)
class Verdict:
    """What an assertion says of an outcome."""

    passed: bool
    message: str = ""
    """Why, for a person; shown whether it passed or not."""
    expected: object = ABSENT
    actual: object = ABSENT
    score: float | None = None
    is_unmet: bool = False
    """The output lacks what the assertion looks at: a failure that ``negate`` does not turn."""

    @classmethod
    def unmet(cls, message: str, *, expected: object = ABSENT, actual: object = ABSENT) -> Verdict:
        """A failure because the output lacks what is looked at."""
        return cls(passed=False, message=message, expected=expected, actual=actual, is_unmet=True)


@frozen(kw_only=True)
class CheckResult:
    """A check of a case with its verdict: an entry of ``assertions`` in reports."""

    type: str
    passed: bool
    message: str = ""
    expected: object = ABSENT
    actual: object = ABSENT
    negate: bool = False
    score: float | None = None
    error: str | None = None
    """Why it could not be carried out, when it could not."""


class Services(Protocol):
    """What an assertion can ask for; each is declared by ``needs()``."""

    def call(self, reference: str, arguments: Sequence[object]) -> Awaitable[object]:
        """Call a script's function with JSON values; gives the JSON value it returned.

        Raises:
            CannotCheck: It raised, crashed, or gave something that is not JSON.
        """
        ...

    def ask(self, reference: str, messages: Sequence[Message]) -> Awaitable[Response]:
        """Ask an agent, in a conversation of its own.

        Raises:
            CannotCheck: It could not be asked.
        """
        ...

    def read(self, reference: str) -> bytes:
        """Read a file, relative to the folder of the case file.

        Raises:
            CannotCheck: It cannot be read.
        """
        ...

    def evaluate(self, check: Check, outcome: Outcome) -> Awaitable[CheckResult]:
        """Carry a check out, ``negate`` and ``message`` included: for types that group others."""
        ...


@define(slots=False, frozen=True, kw_only=True)
class Outcome:
    """What an assertion sees of an attempt."""

    case: Case
    exchange: Exchange
    output: object
    """The answer: a JSON value; text for most agents."""
    services: Services

    @cached_property
    def json(self) -> Extracted | None:
        """The JSON that the output is or holds, and where it was; None when there is none."""
        if isinstance(self.output, str):
            return extract(self.output)
        return Extracted(value=self.output, source="")
