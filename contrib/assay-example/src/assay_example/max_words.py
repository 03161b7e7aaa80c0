"""The ``max_words`` assertion: an answer that is short enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from attrs import field, frozen, validators

from assay import AssertionType, Outcome, Verdict, hookimpl

if TYPE_CHECKING:
    from collections.abc import Sequence


@frozen(kw_only=True)
class MaxWords:
    """Pass when the text of the output has at most ``value`` words.

    Words are what white space separates.
    """

    name: ClassVar[str] = "max_words"

    value: int = field(validator=validators.ge(1))
    """The most words that pass."""

    def check(self, outcome: Outcome) -> Verdict:
        """Count the words."""
        if not isinstance(outcome.output, str):
            return Verdict.unmet("the output is not text, so it has no words", expected=self.value)
        count = len(outcome.output.split())
        return Verdict(
            passed=count <= self.value,
            message=f"{count} words, at most {self.value} are allowed",
            expected=self.value,
            actual=count,
        )


@hookimpl
def assay_assertion_types() -> Sequence[type[AssertionType]]:
    """Offer ``max_words``."""
    return [MaxWords]
