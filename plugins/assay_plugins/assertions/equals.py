"""The ``equals`` assertion: the output is this value, by JSON equality."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import frozen

from assay import AssertionType, Outcome, Verdict, hookimpl
from assay.jsonvalue import Difference, describe, differences, equal
from assay_plugins.assertions._shown import a_type, inside, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIFFERENCES_SHOWN = 3


@frozen(kw_only=True)
class Equals:
    """Pass when the output equals ``value``.

    A string is compared with the text of the output, exactly. Any other value is compared with
    its JSON, read from text where needed: ``1`` equals ``1.0``, ``true`` never equals ``1``,
    keys in any order, arrays in order.
    """

    name: ClassVar[str] = "equals"

    value: object

    def check(self, outcome: Outcome) -> Verdict:
        """Compare, and say where the first differences are."""
        if isinstance(self.value, str):
            return self._check_text(self.value, outcome.output)
        found = outcome.json
        if found is None:
            return self._verdict(
                False, f"the text holds no JSON, expected {shown(self.value)}", outcome.output
            )
        where = inside(found)
        if equal(self.value, found.value):
            return self._verdict(True, f"equal{where}", found.value)
        told = [
            describe(difference)
            for difference in differences(self.value, found.value, _DIFFERENCES_SHOWN + 1)
        ]
        if len(told) > _DIFFERENCES_SHOWN:
            told[_DIFFERENCES_SHOWN:] = ["…"]
        return self._verdict(False, "; ".join(told) + where, found.value)

    def _check_text(self, value: str, output: object) -> Verdict:
        if not isinstance(output, str):
            message = f"the output is {a_type(output)}, expected the text {shown(value)}"
            return self._verdict(False, message, output)
        if output == value:
            return self._verdict(True, "equal", output)
        told = describe(Difference(path="$", expected=value, actual=output)).removeprefix("$: ")
        if output.split() == value.split():
            told = f"only white space differs: {told}"
        elif output.casefold() == value.casefold():
            told = f"only upper and lower case differ: {told}"
        return self._verdict(False, told, output)

    def _verdict(self, passed: bool, message: str, actual: object) -> Verdict:
        return Verdict(passed=passed, message=message, expected=self.value, actual=actual)


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``equals``."""
    return [Equals]
