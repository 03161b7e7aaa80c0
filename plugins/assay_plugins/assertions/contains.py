"""The ``contains`` assertion: a value that occurs in the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from assay import AssertionType, Outcome, Verdict, hookimpl
from assay_plugins.assertions._containment import check_value, look, nearest
from assay_plugins.assertions._shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen(kw_only=True)
class Contains:
    """Pass when the output contains ``value``.

    Text: a string is sought as a substring, a number or boolean by its JSON text; an object or
    a list is sought in the JSON that the text holds. Structures: a string is sought in the
    compact JSON text and in each string, a number or boolean as an equal value anywhere, an
    object as a sub-structure anywhere. Of a list, each element must be there.
    """

    name: ClassVar[str] = "contains"

    value: object = field(validator=check_value)
    """A string, number, boolean, object or list."""
    ignore_case: bool = False

    def check(self, outcome: Outcome) -> Verdict:
        """Look for the value, and say which parts are missing."""
        found = look(outcome, self.value, ignore_case=self.ignore_case)
        if not found.missing:
            message = f"found {shown(self.value)}{found.where}"
        else:
            part = found.missing[0]
            message = f"{shown(part)} is not in the output{found.where}"
            if found.no_json:
                message = f"the text holds no JSON to look for {shown(part)} in"
            elif near := nearest(outcome, part, ignore_case=self.ignore_case):
                message += f"; {near}"
            if len(found.parts) > 1:
                message += f" ({len(found.missing)} of {len(found.parts)} are missing)"
        return Verdict(
            passed=not found.missing, message=message, expected=self.value, actual=outcome.output
        )


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``contains``."""
    return [Contains]
