"""The ``type`` assertion: which JSON type the output, or a part of it, has."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from attrs import field, frozen

from assay import AssertionType, Outcome, Verdict, hookimpl
from assay.jsonvalue.paths import render
from assay_plugins.assertions._paths import check_path, parse_path
from assay_plugins.assertions._shown import a_type, inside, type_name

if TYPE_CHECKING:
    from collections.abc import Sequence

TypeName = Literal["string", "number", "integer", "boolean", "array", "object", "null"]


@frozen(kw_only=True)
class Type:
    """Pass when the output is of a JSON type.

    The output is looked at as it was delivered: the answer of most agents is a string, whatever
    the text holds. With ``path`` its JSON is looked at, read from text where needed.
    """

    name: ClassVar[str] = "type"

    value: TypeName
    """``number`` takes whole numbers too; ``integer`` a number without fraction, as ``1.0``."""
    path: str | None = field(default=None, validator=check_path)
    """Where to look in the JSON; ``$`` is the whole. All matches must be of the type."""

    def check(self, outcome: Outcome) -> Verdict:
        """Compare the types."""
        if self.path is not None:
            return self._check_path(outcome, self.path)
        passed = self._is(outcome.output)
        message = f"the output is {a_type(outcome.output)}"
        found = outcome.json if isinstance(outcome.output, str) and not passed else None
        if found is not None and self._is(found.value):
            message += (
                f" that holds {a_type(found.value)}{inside(found)}; "
                'add "path": "$" to look at its JSON'
            )
        elif not passed:
            message += f", expected {self.value}"
        return self._verdict(passed, message, [outcome.output])

    def _check_path(self, outcome: Outcome, path: str) -> Verdict:
        found = outcome.json
        if found is None:
            return Verdict.unmet("the output holds no JSON", expected=self.value)
        parsed = parse_path(path)
        nodes = parsed.find(found.value)
        if not nodes:
            message = f"no match for {path}: {parsed.why_missing(found.value)}{inside(found)}"
            return Verdict.unmet(message, expected=self.value)
        others = [node for node in nodes if not self._is(node.value)]
        told = (others or nodes)[0]
        message = f"{render(told.place)} is {a_type(told.value)}"
        if others:
            message += f", expected {self.value}"
        if len(nodes) > 1:
            message += f" ({len(nodes) - len(others)} of {len(nodes)} matches are as expected)"
        return self._verdict(not others, message + inside(found), [node.value for node in nodes])

    def _is(self, value: object) -> bool:
        name = type_name(value)
        return name == self.value or (name == "integer" and self.value == "number")

    def _verdict(self, passed: bool, message: str, values: Sequence[object]) -> Verdict:
        names = [type_name(value) for value in values]
        actual = names[0] if len(names) == 1 else names
        return Verdict(passed=passed, message=message, expected=self.value, actual=actual)


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``type``."""
    return [Type]
