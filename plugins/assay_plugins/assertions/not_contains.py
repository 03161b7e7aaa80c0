"""The ``not_contains`` assertion: a value that does not occur in the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen

from assay import AssertionType, Outcome, Verdict, hookimpl
from assay_plugins.assertions._containment import check_value, look
from assay_plugins.assertions._shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen(kw_only=True)
class NotContains:
    """Pass wherever ``contains`` with the same fields fails.

    Text that holds no JSON contains no object and no list. A list is contained when all its
    elements are: to forbid each of several values, write a check for each.
    """

    name: ClassVar[str] = "not_contains"

    value: object = field(validator=check_value)
    """A string, number, boolean, object or list."""
    ignore_case: bool = False

    def check(self, outcome: Outcome) -> Verdict:
        """Look for the value, and say where it is."""
        found = look(outcome, self.value, ignore_case=self.ignore_case)
        if found.missing:
            message = f"{shown(found.missing[0])} is not in the output{found.where}"
        else:
            message = f"found {shown(self.value)}{self._place(outcome.output)}{found.where}"
        return Verdict(
            passed=bool(found.missing),
            message=message,
            expected=self.value,
            actual=outcome.output,
        )

    def _place(self, output: object) -> str:
        if not isinstance(output, str) or not isinstance(self.value, str) or self.ignore_case:
            return ""
        at = output.find(self.value)
        line = output.count("\n", 0, at) + 1
        return f" at line {line}, column {at - output.rfind(chr(10), 0, at)}"


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``not_contains``."""
    return [NotContains]
