"""The ``script`` assertion: a function of the user's decides."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from assay import ABSENT, AssertionType, CannotCheck, Outcome, Script, Verdict, hookimpl
from assay.jsonvalue import is_object
from assay_plugins.assertions._shown import a_type, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import attrs


def _check_reference(_: object, __: attrs.Attribute[Any], value: str) -> None:
    if not value.strip():
        raise ValueError('empty; name a function, as in "scripts.test.Validate"')


@frozen(kw_only=True)
class ScriptCheck:
    """Pass when a function of a script says so.

    It is called with the output, the input as the case has it, and what is expected: ``value``,
    else the case's ``expected``, else null. It returns true or false, or an object with
    ``pass`` and, if it likes, ``message`` and ``score``.
    """

    name: ClassVar[str] = "script"

    script: str = field(validator=_check_reference)
    """``scripts.test.Validate``, or ``path/to/file.py:function``."""
    value: object = ABSENT
    """What the function gets as ``expected``."""

    def needs(self) -> Sequence[Script]:
        """Name the script, so that one that is missing is found when cases load."""
        return [Script(self.script)]

    async def check(self, outcome: Outcome) -> Verdict:
        """Call the function, and take its word.

        Raises:
            CannotCheck: It failed, or returned something else.
        """
        expected = outcome.case.expected if self.value is ABSENT else self.value
        arguments = [outcome.output, outcome.case.input, None if expected is ABSENT else expected]
        returned = await outcome.services.call(self.script, arguments)
        passed, message, score = self._read(returned)
        if not message:
            message = f"{self.script} said {'yes' if passed else 'no'}"
        return Verdict(
            passed=passed, message=message, expected=expected, actual=outcome.output, score=score
        )

    def _read(self, returned: object) -> tuple[bool, str, float | None]:
        if isinstance(returned, bool):
            return returned, "", None
        if not is_object(returned) or "pass" not in returned:
            raise self._wrong(returned)
        passed = returned["pass"]
        if not isinstance(passed, bool):
            raise self._wrong(returned, '"pass"', passed)
        message = returned.get("message")
        if message is not None and not isinstance(message, str):
            raise self._wrong(returned, '"message"', message)
        score = returned.get("score")
        if score is None:
            return passed, message or "", None
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not isfinite(score):
            raise self._wrong(returned, '"score"', score)
        return passed, message or "", score

    def _wrong(self, returned: object, key: str = "", held: object = None) -> CannotCheck:
        what = f"{a_type(held)} as {key}" if key else a_type(returned)
        return CannotCheck(
            f"{self.script} returned {what} ({shown(returned)}); "
            'return true, false, or {"pass": true, "message": "…", "score": 0.5}'
        )


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``script``."""
    return [ScriptCheck]
