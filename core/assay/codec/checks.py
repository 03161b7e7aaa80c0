"""An entry of ``assert`` to a check and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import attrs
from attrs import frozen

from assay.codec.faults import Wrong, WrongParts, kind_of, wrongs
from assay.errors import ConfigError
from assay.jsonvalue import is_object
from assay.model.case import Check
from assay.suggest import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cattrs import Converter

    from assay.codec.converter import Structurer
    from assay.model.case import Need

OWN_KEYS = ("type", "message", "negate")
"""The keys of an assertion that core reads itself; no assertion type may have them as fields."""


def _unknown(_: str) -> None:
    """Know of no type."""


@frozen
class CheckReader:
    """Reads and writes checks of the assertion types that it is handed."""

    structurer: Structurer
    words: Callable[[], Sequence[str]]
    """The installed assertion types."""
    assertion: Callable[[str], type]
    """Gives the class of a type.

    Raises:
        ConfigError: It is not installed, or broken.
    """
    why_missing: Callable[[str], str | None] = _unknown
    """Why a type that is installed cannot be used; None when none has that name."""

    def read(self, value: object) -> Check:
        """Make a check of an assertion object.

        Raises:
            Wrong: It is no object.
            WrongParts: What is wrong in it.
        """
        if not is_object(value):
            raise Wrong(
                f"expected an object, got {kind_of(value)}",
                'write it as {"type": "contains", "value": "…"}',
            )
        told: list[tuple[str, Wrong]] = []
        message = _message(value.get("message"), told)
        negate = value.get("negate", False)
        if not isinstance(negate, bool):
            told.append(("negate", Wrong(f"expected true or false, got {kind_of(negate)}")))
        word, cls = self._type(value, told)
        if cls is None:
            raise WrongParts(told)
        fields = {key: held for key, held in value.items() if key not in OWN_KEYS}
        try:
            assertion = self.structurer.structure(fields, cls)
        except Exception as error:
            told += wrongs(error, "", self._keys())
            raise WrongParts(told) from error
        if told:
            raise WrongParts(told)
        return Check(type=word, assertion=assertion, message=message, negate=negate is True)

    def write(self, check: Check) -> dict[str, object]:
        """Make the assertion object again from which ``read`` gives an equal check."""
        written: dict[str, object] = {"type": check.type}
        written.update(self.structurer.fields(check.assertion))
        if check.message is not None:
            written["message"] = check.message
        if check.negate:
            written["negate"] = True
        return written

    def _type(
        self, value: dict[str, object], told: list[tuple[str, Wrong]]
    ) -> tuple[str, type | None]:
        word = value.get("type")
        if "type" not in value:
            told.append(("type", Wrong("missing", f"one of {', '.join(self.words())}")))
        elif not isinstance(word, str):
            told.append(("type", Wrong(f"expected a string, got {kind_of(word)}")))
        else:
            try:
                return word, self.assertion(word)
            except ConfigError as error:
                words = self.words()
                why = self.why_missing(word)
                if word in words:
                    told.append(("type", Wrong(str(error))))
                elif why is not None:
                    told.append(("type", Wrong(f"no assertion type {word!r}: {why}")))
                else:
                    told.append(("type", Wrong(f"no assertion type {word!r}", hint(word, words))))
        return "", None

    def _keys(self) -> dict[type, Sequence[str]]:
        return {cls: (*keys, *OWN_KEYS) for cls, keys in self.structurer.keys.items()}


def make_check_reader(
    structurer: Structurer,
    words: Callable[[], Sequence[str]],
    assertion: Callable[[str], type],
    why_missing: Callable[[str], str | None] = _unknown,
) -> CheckReader:
    """Make a reader, and teach its converter checks within checks."""
    reader = CheckReader(structurer, words, assertion, why_missing)

    def lesson(converter: Converter) -> None:
        # By predicates: a hook for the class itself would resolve its annotations, and the
        # contract of assertion types is known to type checkers alone.
        converter.register_structure_hook_func(_is_check, lambda value, _: reader.read(value))
        converter.register_unstructure_hook_func(_is_check, reader.write)

    structurer.teach(lesson)
    return reader


def _message(value: object, told: list[tuple[str, Wrong]]) -> str | None:
    if value is None or isinstance(value, str):
        return value
    told.append(("message", Wrong(f"expected a string, got {kind_of(value)}")))
    return None


def _is_check(cls: object) -> bool:
    return cls is Check


def needs_of(check: Check) -> Iterator[Need]:
    """Give what an assertion needs, and what the checks within it need."""
    needs: Any = getattr(check.assertion, "needs", None)
    if needs is not None:
        yield from needs()
    for inner in inner_checks(check.assertion):
        yield from needs_of(inner)


def inner_checks(assertion: object) -> Iterator[Check]:
    """Give the checks that an assertion holds in its fields, alone or in a tuple."""
    cls: Any = type(assertion)
    for field in attrs.fields(cls):
        held = getattr(assertion, field.name)
        if isinstance(held, Check):
            yield held
        elif isinstance(held, tuple):
            yield from (
                item for item in cast("tuple[object, ...]", held) if isinstance(item, Check)
            )
