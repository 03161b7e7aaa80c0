"""A case as written to a ``Case``: every fault of it, and what is merely odd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from attrs import frozen

from assay import duration
from assay.absent import ABSENT
from assay.codec.faults import Fault, Wrong, WrongParts, join, kind_of
from assay.codec.inputs import read_input
from assay.model.case import Case, Entry, Where
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.codec.checks import CheckReader
    from assay.model.case import Check

CASE_KEYS = (
    "id",
    "input",
    "expected",
    "assert",
    "user",
    "team",
    "metadata",
    "options",
    "skip",
    "timeout",
    "tags",
)
_CASE_KEYS = frozenset(CASE_KEYS)

OPTION_KEYS = ("connector", "mode", "metadata", "skip", "search", "disable_global_prompts")

_Told = list[tuple[str, Wrong]]


@frozen(kw_only=True)
class Reading:
    """What reading a line gave."""

    case: Case | None = None
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()


@frozen
class CaseReader:
    """Reads cases; handed what reads their checks."""

    checks: CheckReader
    strict: bool = False
    """Whether an unknown field is a fault and not a warning."""

    def read(self, entry: Entry) -> Reading:
        """Make a case of an entry, or tell every fault of it."""
        where = entry.where
        if entry.problem is not None:
            return _faulty(where, [("", Wrong(entry.problem, entry.mend or ""))])
        value = entry.value
        if not isinstance(value, dict):
            mend = 'write one JSON object per line: {"id": "…", "input": "…"}'
            return _faulty(where, [("", Wrong(f"expected an object, got {kind_of(value)}", mend))])
        raw = cast("dict[str, object]", value)
        told: _Told = []
        odd: _Told = []
        case = Case(
            id=_id(raw, told),
            messages=_messages(raw, told),
            expected=raw.get("expected", ABSENT),
            checks=self._checks(raw, told) if "assert" in raw or "expected" in raw else (),
            user=_name(raw, "user", told),
            team=_name(raw, "team", told),
            tags=_tags(raw["tags"], told) if "tags" in raw else (),
            metadata=_object(raw, "metadata", "metadata", told),
            options=_options(raw["options"], told, odd) if "options" in raw else {},
            skip=_flag(raw, "skip", told),
            timeout=_timeout(raw["timeout"], told) if "timeout" in raw else None,
            where=where,
            raw=raw,
        )
        if not _CASE_KEYS.issuperset(raw):
            odd += [
                (key, Wrong("unknown field", hint(key, CASE_KEYS)))
                for key in raw
                if key not in _CASE_KEYS
            ]
        if not told and not odd:
            return Reading(case=case)
        if self.strict:
            told += odd
            odd = []
        warnings = tuple(_fault(where, path, wrong) for path, wrong in odd)
        if told:
            faults = tuple(_fault(where, path, wrong) for path, wrong in told)
            return Reading(faults=faults, warnings=warnings)
        return Reading(case=case, warnings=warnings)

    def _checks(self, raw: Mapping[str, object], told: _Told) -> tuple[Check, ...]:
        if "assert" not in raw:
            # ``expected`` alone is an ``equals``; where ``assert`` is given, it decides.
            value: object = {"type": "equals", "value": raw["expected"]}
            return self._listed([value], ["expected"], told)
        value = raw["assert"]
        if not isinstance(value, list):
            return self._listed([value], ["assert"], told)
        items = cast("list[object]", value)
        if not items:
            mend = "write at least one assertion, or leave the field out"
            told.append(("assert", Wrong("an empty list", mend)))
        return self._listed(items, [f"assert[{index}]" for index in range(len(items))], told)

    def _listed(
        self, items: Sequence[object], paths: Sequence[str], told: _Told
    ) -> tuple[Check, ...]:
        checks: list[Check] = []
        for item, path in zip(items, paths, strict=True):
            try:
                checks.append(self.checks.read(item))
            except WrongParts as error:
                told += [(join(path, below), wrong) for below, wrong in error.parts]
            except Wrong as error:
                told.append((path, error))
        return tuple(checks)


def case_of(raw: Mapping[str, object], where: Where) -> Case:
    """Make the case of a line that was read before, without its checks (of a report's line)."""
    told: _Told = []
    raw = dict(raw)
    return Case(
        id=_id(raw, told),
        messages=_messages(raw, told),
        expected=raw.get("expected", ABSENT),
        user=_name(raw, "user", told),
        team=_name(raw, "team", told),
        tags=_tags(raw["tags"], told) if "tags" in raw else (),
        metadata=_object(raw, "metadata", "metadata", told),
        options=_options(raw["options"], told, []) if "options" in raw else {},
        timeout=_timeout(raw["timeout"], told) if "timeout" in raw else None,
        where=where,
        raw=raw,
    )


def _fault(where: Where, path: str, wrong: Wrong) -> Fault:
    return Fault(where=where, field=path, what=wrong.what, mend=wrong.mend)


def _faulty(where: Where, told: Sequence[tuple[str, Wrong]]) -> Reading:
    return Reading(faults=tuple(_fault(where, path, wrong) for path, wrong in told))


def _id(raw: Mapping[str, object], told: _Told) -> str:
    value = raw.get("id")
    if isinstance(value, str):
        if not value:
            told.append(("id", Wrong("empty", "give the case an id of its own")))
        return value
    if "id" not in raw:
        told.append(("id", Wrong("missing", "give the case an id of its own")))
    else:
        told.append(("id", Wrong(f"expected a string, got {kind_of(value)}", "put it in quotes")))
    return ""


def _messages(raw: Mapping[str, object], told: _Told) -> Any:
    if raw.get("input") is None:
        told.append(("input", Wrong("missing", "write the user's message as a string")))
        return ()
    return read_input(raw["input"], told)


def _name(raw: Mapping[str, object], key: str, told: _Told) -> str | None:
    value = raw.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        what = "empty" if value == "" else f"expected a string, got {kind_of(value)}"
        told.append((key, Wrong(what)))
        return None
    return value


def _tags(value: object, told: _Told) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list) else None
    if items is None or not all(isinstance(tag, str) and tag for tag in items):
        told.append(("tags", Wrong("expected a list of strings", 'write ["slow", "smoke"]')))
        return ()
    return tuple(cast("list[str]", items))


def _object(raw: Mapping[str, object], key: str, path: str, told: _Told) -> Mapping[str, object]:
    value = raw.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        told.append((path, Wrong(f"expected an object, got {kind_of(value)}")))
        return {}
    return cast("dict[str, object]", value)


def _flag(raw: Mapping[str, object], key: str, told: _Told) -> bool:
    value = raw.get(key, False)
    if not isinstance(value, bool):
        told.append((key, Wrong(f"expected true or false, got {kind_of(value)}")))
    return value is True


def _options(value: object, told: _Told, odd: _Told) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        told.append(("options", Wrong(f"expected an object, got {kind_of(value)}")))
        return {}
    options = cast("dict[str, object]", value)
    for key in options:
        if key not in OPTION_KEYS:
            odd.append((f"options.{key}", Wrong("unknown field", hint(key, OPTION_KEYS))))
    for key in ("connector", "mode"):
        held = options.get(key)
        if held is not None and not isinstance(held, str):
            told.append((f"options.{key}", Wrong(f"expected a string, got {kind_of(held)}")))
    for key in ("metadata", "skip"):
        _object(options, key, f"options.{key}", told)
    return options


def _timeout(value: object, told: _Told) -> float | None:
    if value is None:
        return None
    mend = 'write a duration like "30s" or "1m30s"'
    if not isinstance(value, str):
        told.append(("timeout", Wrong(f"expected a string, got {kind_of(value)}", mend)))
        return None
    try:
        seconds = duration.parse(value)
    except ValueError:
        told.append(("timeout", Wrong(f"{value!r} is no duration", mend)))
        return None
    if seconds <= 0:
        told.append(("timeout", Wrong(f"{value!r} is not longer than nothing", mend)))
        return None
    return seconds
