"""The ``regex`` assertion: a pattern that occurs in the output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from attrs import field, frozen

from assay import AssertionType, CannotCheck, Outcome, Verdict, hookimpl
from assay.jsonvalue import compact
from assay_plugins.assertions._patterns import linear_search
from assay_plugins.assertions._shown import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import attrs

    from assay_plugins.assertions._patterns import Search

_SECONDS = 2.0
"""What a search of the ``python`` engine may take: it is not linear, and nothing else runs."""


def _check_pattern(_: object, __: attrs.Attribute[Any], value: str) -> None:
    """Refuse what no engine takes: which one it is meant for stands in another field."""
    if not value:
        raise ValueError("an empty pattern matches everything; write one")
    try:
        linear_search(value)
    except ValueError as error:
        if not _is_for_python(value):
            raise ValueError(f"not a pattern: {error}; write one in the engine's syntax") from error


@frozen(kw_only=True)
class Regex:
    """Pass when a pattern is found in the output: anywhere, not in all of it.

    Text is searched as it is, anything else as its compact JSON text.
    """

    name: ClassVar[str] = "regex"

    value: str = field(validator=_check_pattern)
    """The pattern."""
    engine: Literal["re2", "python"] = "re2"
    """``re2`` is linear in time. ``python`` is the ``regex`` package, for look-around and back
    references, with a limit of two seconds."""

    def __attrs_post_init__(self) -> None:
        """Refuse what is a pattern of the other engine alone."""
        if self.engine == "python":
            _python_search(self.value)
        else:
            _re2_search(self.value)

    def check(self, outcome: Outcome) -> Verdict:
        """Search the output.

        Raises:
            CannotCheck: The ``python`` engine ran out of time.
        """
        output = outcome.output
        text = output if isinstance(output, str) else compact(output)
        python = self.engine == "python"
        search = _python_search(self.value) if python else _re2_search(self.value)
        span = search(text)
        if span is not None:
            start, end = span
            message = f"found {shown(text[start:end])} at character {start + 1}"
            return Verdict(
                passed=True, message=message, expected=self.value, actual=text[start:end]
            )
        message = f"nothing in the output matches {self.value}"
        if not python and _matches_in_other_case(self.value, text):
            message += '; it would if case did not count: begin the pattern with "(?i)"'
        return Verdict(passed=False, message=message, expected=self.value, actual=output)


def _matches_in_other_case(pattern: str, text: str) -> bool:
    try:
        return linear_search(f"(?i){pattern}")(text) is not None
    except ValueError:
        # Without case it can be too large, which nobody asked about.
        return False


def _re2_search(pattern: str) -> Search:
    try:
        return linear_search(pattern)
    except ValueError as error:
        raise ValueError(
            f"value is not a pattern of RE2: {error}; "
            'write it in the syntax of RE2, or add "engine": "python"'
        ) from error


def _is_for_python(pattern: str) -> bool:
    try:
        _python_search(pattern)
    except ValueError:
        return False
    return True


def _python_search(pattern: str) -> Search:
    import regex

    try:
        compiled = regex.compile(pattern)
    except (regex.error, OverflowError, RecursionError) as error:
        raise ValueError(
            f"value is not a pattern of Python's regex package: {error}; "
            'mend it, or leave "engine" away if RE2 has what it needs'
        ) from error

    def search(text: str) -> tuple[int, int] | None:
        try:
            match = compiled.search(text, timeout=_SECONDS)
        except TimeoutError as error:
            raise CannotCheck(
                f"the pattern was not done after {_SECONDS:g} s on {len(text)} characters; "
                "write one that backtracks less, or one for the re2 engine"
            ) from error
        return None if match is None else match.span()

    return search


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``regex``."""
    return [Regex]
