"""The case in a result's line: as it was written, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from assay.absent import ABSENT
from assay.codec.cases import CASE_KEYS
from assay.codec.exchanges import is_same
from assay.codec.inputs import read_input
from assay.codec.narrow import (
    flag,
    integer_or_none,
    number_or_none,
    table,
    text,
    text_or,
    text_or_none,
    texts,
)
from assay.codec.wire import message_to_json, messages_from_json
from assay.model.case import Case, Where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.codec.narrow import Line
    from assay.model.message import Message

_KEYS: Final = tuple(key for key in CASE_KEYS if key != "id")
_KNOWN: Final = frozenset(CASE_KEYS)


def add_case(line: dict[str, object], case: Case) -> None:
    """Add a case as written, its fields beside those of the result.

    Fields that nobody knows are in ``extra``; ``case`` holds what cannot be read from the
    written fields again.
    """
    where = case.where
    if where.file or where.line is not None:
        line["where"] = {"file": where.file}
        if where.line is not None:
            line["where"] = {"file": where.file, "line": where.line}
    raw = case.raw
    for key in _KEYS:
        if key in raw:
            line[key] = raw[key]
    if not _KNOWN.issuperset(raw) or raw.get("id", case.id) != case.id:
        line["extra"] = {
            key: value
            for key, value in raw.items()
            if key not in _KNOWN or (key == "id" and value != case.id)
        }
    differing = _differing(case)
    if differing:
        line["case"] = differing


def _differing(case: Case) -> dict[str, object]:
    raw = case.raw
    told: dict[str, object] = {}
    if not _is_input(case.messages, raw):
        told["messages"] = [message_to_json(message) for message in case.messages]
    expected = case.expected
    if expected is not raw.get("expected", ABSENT) and expected is not ABSENT:
        told["expected"] = expected
    if case.user != raw.get("user"):
        told["user"] = case.user
    if case.team != raw.get("team"):
        told["team"] = case.team
    if (case.tags or raw.get("tags")) and list(case.tags) != raw.get("tags"):
        told["tags"] = list(case.tags)
    if not is_same(case.metadata, _raw_object(raw, "metadata")):
        told["metadata"] = case.metadata
    if not is_same(case.options, _raw_object(raw, "options")):
        told["options"] = case.options
    if case.skip != (raw.get("skip") is True):
        told["skip"] = case.skip
    if case.timeout is not None:
        told["timeout_seconds"] = case.timeout
    return told


def _is_input(messages: tuple[Message, ...], raw: Mapping[str, object]) -> bool:
    written = raw.get("input")
    if isinstance(written, str) and len(messages) == 1:
        # By far the most frequent case, told without making a message.
        message = messages[0]
        return (
            message.content == written
            and message.role == "user"
            and message.name is None
            and message.tool_call_id is None
            and message.refusal is None
            and not message.tool_calls
        )
    return messages == _input_messages(raw)


def _input_messages(raw: Mapping[str, object]) -> tuple[Message, ...]:
    return read_input(raw["input"], []) if raw.get("input") is not None else ()


def _raw_object(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    value = raw.get(key)
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def case_from_json(line: Line) -> Case:
    """Read the case of a line, without its checks.

    Raises:
        ValueError: There is none.
    """
    identity = text(line, "id")
    raw: dict[str, object] = {"id": identity}
    for key in _KEYS:
        if key in line:
            raw[key] = line[key]
    if "extra" in line:
        raw.update(table(line, "extra"))
    told = table(line, "case")
    tags = told if "tags" in told else raw
    where = table(line, "where")
    return Case(
        id=identity,
        messages=(
            messages_from_json(told, "messages") if "messages" in told else _input_messages(raw)
        ),
        expected=told.get("expected", raw.get("expected", ABSENT)),
        user=text_or_none(told if "user" in told else raw, "user"),
        team=text_or_none(told if "team" in told else raw, "team"),
        tags=texts(tags, "tags"),
        metadata=table(told, "metadata") if "metadata" in told else _raw_object(raw, "metadata"),
        options=table(told, "options") if "options" in told else _raw_object(raw, "options"),
        skip=flag(told, "skip", default=raw.get("skip") is True),
        timeout=number_or_none(told, "timeout_seconds"),
        where=Where(text_or(where, "file", ""), integer_or_none(where, "line")),
        raw=raw,
    )
