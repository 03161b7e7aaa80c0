"""Outcomes for assertions to look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pytest
from attrs import frozen

from assay import (
    ABSENT,
    CannotCheck,
    Case,
    Check,
    CheckResult,
    Exchange,
    Message,
    Outcome,
    Request,
    Response,
)

Function: TypeAlias = Callable[[object, object, object], object]


@frozen
class Functions:
    """Services that know scripts alone: Python functions by their references."""

    functions: Mapping[str, Function]

    async def call(self, reference: str, arguments: Sequence[object]) -> object:
        output, input_, expected = arguments
        try:
            return self.functions[reference](output, input_, expected)
        except Exception as error:
            raise CannotCheck(f"{reference}: {error}") from error

    async def ask(self, reference: str, messages: Sequence[Message]) -> Response:
        raise CannotCheck(f"no agent {reference}, asked {len(messages)} messages")

    def read(self, reference: str) -> bytes:
        raise CannotCheck(f"no file {reference}")

    async def evaluate(self, check: Check, outcome: Outcome) -> CheckResult:
        raise CannotCheck(f"no check {check.type} of {outcome.output!r}")


def make_outcome(
    output: object,
    *,
    expected: object = ABSENT,
    input: object = "question",
    functions: Mapping[str, Function] | None = None,
) -> Outcome:
    """What an assertion sees when an agent answers ``output``."""
    text, data = (output, ABSENT) if isinstance(output, str) else ("", output)
    messages = (Message(content="question"),)
    case = Case(id="T1", messages=messages, expected=expected, raw={"id": "T1", "input": input})
    response = Response(text=text, data=data)
    exchange = Exchange(request=Request(messages=messages), response=response)
    return Outcome(
        case=case,
        exchange=exchange,
        output=response.output,
        services=Functions(functions or {}),
    )


@pytest.fixture(scope="session")
def outcome_of() -> Callable[..., Outcome]:
    """Makes outcomes; of the session, so that property-based tests may use it."""
    return make_outcome


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The event loop that assay runs on."""
    return "asyncio"
