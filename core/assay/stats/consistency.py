"""How much the outputs of several runs agree."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from assay.absent import ABSENT
from assay.jsonvalue import canonical, loads
from assay.jsonvalue.kinds import is_container

if TYPE_CHECKING:
    from collections.abc import Iterable


def consistency(outputs: Iterable[object]) -> float:
    """Give the share of the most frequent output among all runs.

    Outputs are compared as JSON, so that key order, white space and ``1.0`` for ``1`` make no
    difference, also where the text is an object or array; other text without the white space
    around it. A run without output agrees with nothing, not even with another one without.

    Args:
        outputs: One per run: a JSON value, or ABSENT.

    Returns:
        0 to 1, not rounded; 0 when no run has an output.
    """
    runs = 0
    counts: Counter[str] = Counter()
    for output in outputs:
        runs += 1
        if output is not ABSENT:
            counts[_form(output)] += 1
    return max(counts.values(), default=0) / runs if runs else 0.0


def _form(output: object) -> str:
    """The text that outputs share when they agree."""
    if not isinstance(output, str):
        return canonical(output)
    text = output.strip()
    if text.startswith(("{", "[")):
        try:
            value = loads(text)
        except ValueError:
            return text
        if is_container(value):
            return canonical(value)
    return text
