"""Hooks that change what is tested: each answer handed to the next, each error with its plugin."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from assay.discovery.problems import describe_error
from assay.errors import AssayError, RunError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from assay.contracts import Transport
    from assay.discovery.records import Record
    from assay.model.case import AgentClue, Case

_TRANSPORT = ("__aenter__", "__aexit__", "info", "send")


@contextmanager
def blaming(record: Record, when: str) -> Generator[None]:
    """Turn what a plugin did not mean to raise into an error that names it.

    Raises:
        RunError: With the plugin, and how to do without it.
    """
    try:
        yield
    except AssayError:
        raise
    except (Exception, SystemExit) as error:
        raise _failure(record, f"failed {when}: {describe_error(error)}") from error


def clue(record: Record, answer: object) -> AgentClue:
    """See that a resolver gave a clue."""
    from assay.model.case import AgentClue

    if not isinstance(answer, AgentClue):
        raise _failure(record, f"gave {_kind(answer)} instead of an AgentClue")
    return answer


def selected(record: Record, answers: Sequence[object]) -> Iterator[Case]:
    """Read the cases that a selector gave; errors while it gives them are its own."""
    answer = _one(record, answers, "cases")
    if not isinstance(answer, Iterable):
        raise _failure(record, f"gave {_kind(answer)} instead of cases")
    return _cases(record, cast("Iterable[object]", answer))


def wrapped(record: Record, answers: Sequence[object]) -> Transport:
    """See that a wrap gave a transport."""
    answer = _one(record, answers, "transport")
    missing = [name for name in _TRANSPORT if not callable(getattr(answer, name, None))]
    if missing:
        raise _failure(record, f"gave a transport without {', '.join(missing)}")
    return cast("Transport", answer)


def _cases(record: Record, answer: Iterable[object]) -> Iterator[Case]:
    from assay.model.case import Case

    with blaming(record, "while it gave cases"):
        for case in answer:
            if not isinstance(case, Case):
                raise _failure(record, f"gave {_kind(case)} among its cases")
            yield case


def _one(record: Record, answers: Sequence[object], what: str) -> object:
    if len(answers) != 1:
        amount = "no" if not answers else "more than one"
        raise _failure(record, f"gave {amount} {what}; hand back what it got to stand aside")
    return answers[0]


def _failure(record: Record, what: str) -> RunError:
    return RunError(
        f"plugin {record.name} of {record.origin} {what}; {record.switch} does without it"
    )


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"
