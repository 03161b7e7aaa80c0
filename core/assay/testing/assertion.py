"""The contract of an assertion type."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any, cast

import attrs

from assay.absent import ABSENT
from assay.codec.checks import OWN_KEYS, make_check_reader, needs_of
from assay.codec.converter import Structurer
from assay.codec.faults import Wrong, WrongParts
from assay.discovery.judge import judge, word_of
from assay.discovery.loading import BadPlugin
from assay.discovery.manager import make_plugins
from assay.errors import CannotCheck
from assay.jsonvalue import dumps, is_json, loads, to_json_value
from assay.model.case import Agent, Case, File, Script
from assay.model.exchange import Exchange, Request, Response
from assay.model.message import Message
from assay.model.outcome import Outcome, Verdict
from assay.running.checks import evaluate
from assay.testing.broken import broken
from assay.testing.hostile import HOSTILE_TEXTS, HOSTILE_VALUES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.codec.checks import CheckReader
    from assay.contracts import AssertionType
    from assay.model.case import Check
    from assay.model.outcome import CheckResult


def check_assertion(
    cls: type[AssertionType],
    *,
    good: Sequence[Mapping[str, object]],
    bad: Sequence[Mapping[str, object]] = (),
    outputs: Iterable[object] = (),
) -> None:
    """See that an assertion type keeps its contract.

    Args:
        cls: The type.
        good: Fields as a case file has them, without ``type``, that are right. Give every field
            at least once.
        bad: Fields that are a fault of the case file.
        outputs: Answers to judge, beside ``assay.testing.HOSTILE_TEXTS`` and ``HOSTILE_VALUES``.

    Raises:
        AssertionError: It does not; the message says which rule is broken.
    """
    try:
        word = word_of("assertion", cls)
        judge("assertion", cls)
    except BadPlugin as error:
        raise broken(cls, str(error)) from error
    reader = _reader(word, cls)
    _check_fields_are_covered(cls, good, reader, word)
    answers = [*HOSTILE_TEXTS.values(), *HOSTILE_VALUES.values(), *outputs]
    for fields in good:
        written = {"type": word, **fields}
        check = _read(cls, reader, written)
        _check_frozen(cls, check.assertion)
        _check_round_trip(cls, reader, written)
        _check_needs(cls, check)
        asyncio.run(_check_verdicts(cls, check, answers))
    for fields in bad:
        _check_fault(cls, reader, {"type": word, **fields})


def _reader(word: str, cls: type[AssertionType]) -> CheckReader:
    """Read checks of this type, and of those that are installed, which it may group."""
    plugins = make_plugins()

    def assertion(other: str) -> type[AssertionType]:
        return cls if other == word else plugins.assertion(other)

    words = tuple(sorted({word, *plugins.words("assertion")}))
    return make_check_reader(Structurer(), lambda: words, assertion)


def _read(cls: type, reader: CheckReader, written: Mapping[str, object]) -> Check:
    try:
        return reader.read(dict(written))
    except (Wrong, WrongParts) as error:
        raise broken(cls, f"it does not take {dumps(written)}: {error}") from error


def _check_fields_are_covered(
    cls: type, good: Sequence[Mapping[str, object]], reader: CheckReader, word: str
) -> None:
    if not good:
        raise broken(cls, "give at least one example of fields that are right")
    for fields in good:
        _read(cls, reader, {"type": word, **fields})
    given = {key for fields in good for key in fields}
    missing = sorted(set(reader.structurer.keys[cls]) - given)
    if missing:
        raise broken(cls, f"no example gives the field {missing[0]!r}; give every field once")
    own = sorted(given.intersection(OWN_KEYS))
    if own:
        raise broken(cls, f"{own[0]!r} is read by assay itself; leave it out of the examples")


def _check_frozen(cls: type, assertion: object) -> None:
    for field in attrs.fields(cls):
        try:
            setattr(assertion, field.name, getattr(assertion, field.name))
        except attrs.exceptions.FrozenInstanceError:
            continue
        raise broken(cls, f"the field {field.name!r} can be set; put @frozen on the class")


def _check_round_trip(cls: type, reader: CheckReader, written: Mapping[str, object]) -> None:
    for extra in ({}, {"message": "why", "negate": True}):
        wanted = _read(cls, reader, {**written, **extra})
        unstructured = reader.write(wanted)
        try:
            again = loads(dumps(to_json_value(unstructured)))
        except TypeError as error:
            raise broken(cls, f"written back it is no JSON: {error}") from error
        if _read(cls, reader, cast("dict[str, object]", again)) != wanted:
            raise broken(cls, f"{dumps(written)} is another check when it is read from its JSON")


def _check_needs(cls: type, check: Check) -> None:
    first, second = list[object](needs_of(check)), list[object](needs_of(check))
    for need in first:
        if not isinstance(need, Script | Agent | File):
            raise broken(cls, f"needs() gives {need!r}, which is no Script, Agent or File")
    if first != second:
        raise broken(cls, f"needs() gives {first}, and then {second}; it must not change")


def _check_fault(cls: type, reader: CheckReader, written: Mapping[str, object]) -> None:
    shown = dumps(to_json_value(written))
    try:
        reader.read(dict(written))
    except WrongParts as error:
        parts = error.parts
    else:
        raise broken(cls, f"it takes {shown}, which is a fault")
    for path, wrong in parts:
        if not wrong.what.strip() or wrong.what in _SAYS_NOTHING:
            raise broken(cls, f"for {shown} it does not say what is wrong, but {wrong.what!r}")
        if "\n" in f"{wrong.what}{wrong.mend}":
            raise broken(cls, f"what is wrong with {path} of {shown} is longer than one line")


_SAYS_NOTHING = ("ValueError", "TypeError", "AttributeError", "KeyError", "AssertionError")


async def _check_verdicts(cls: type, check: Check, answers: Sequence[object]) -> None:
    negated = attrs.evolve(check, negate=not check.negate)
    for answer in answers:
        outcome = _outcome(answer)
        first = await _verdict(cls, check, outcome)
        second = await _verdict(cls, check, outcome)
        if first != second:
            raise broken(cls, f"it says {first}, and then {second} of one outcome")
        plain, turned = await evaluate(check, outcome), await evaluate(negated, outcome)
        if first is None or first.is_unmet:
            if plain.passed or turned.passed:
                raise broken(cls, "what is unmet or cannot be checked never passes")
        elif plain.passed == turned.passed:
            raise broken(cls, f"negated it says the same of {_short(answer)}")


async def _verdict(cls: type, check: Check, outcome: Outcome) -> Verdict | None:
    """Ask the assertion itself; None when it says that it cannot check."""
    short = _short(outcome.output)
    try:
        given: object = check.assertion.check(outcome)
        verdict = cast("object", await given if inspect.isawaitable(given) else given)
    except CannotCheck as error:
        if not str(error).strip():
            raise broken(cls, f"it cannot check {short} and does not say why") from error
        return None
    except Exception as error:
        raise broken(
            cls,
            f"it raises {type(error).__name__} for {short}, and not CannotCheck: {error}",
        ) from error
    if not isinstance(verdict, Verdict):
        raise broken(cls, f"it gives {type(verdict).__name__} for {short} instead of a Verdict")
    if verdict.is_unmet and verdict.passed:
        raise broken(cls, f"its verdict on {short} is unmet and passed at once")
    if not verdict.passed and not verdict.message.strip():
        raise broken(cls, f"it does not say why {short} fails")
    for part in ("expected", "actual"):
        value: object = getattr(verdict, part)
        if value is not ABSENT and not is_json(value):
            raise broken(cls, f"{part!r} of its verdict on {short} is no JSON value: {value!r:.80}")
    return verdict


def _short(value: object) -> str:
    text = dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


class _NoServices:
    """Services of a run in which no script, agent or file can be had."""

    async def call(self, reference: str, arguments: Sequence[object]) -> object:
        raise CannotCheck(f"no script {reference!r} here")

    async def ask(self, reference: str, messages: Sequence[Message]) -> Response:
        raise CannotCheck(f"no agent {reference!r} here")

    def read(self, reference: str) -> bytes:
        raise CannotCheck(f"no file {reference!r} here")

    async def evaluate(self, check: Check, outcome: Outcome) -> CheckResult:
        return await evaluate(check, outcome)


def _outcome(answer: object) -> Outcome:
    raw: dict[str, Any] = {"id": "T1", "input": "question"}
    case = Case(id="T1", messages=(Message(content="question"),), raw=raw)
    text, data = (answer, ABSENT) if isinstance(answer, str) else ("", answer)
    response = Response(text=text, data=data)
    exchange = Exchange(request=Request(messages=case.messages), response=response)
    return Outcome(case=case, exchange=exchange, output=answer, services=_NoServices())
