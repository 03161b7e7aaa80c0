"""How alike the outputs of several runs are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from assay.jsonvalue import canonical
from assay.model.message import ABSENT

if TYPE_CHECKING:
    from collections.abc import Sequence


def consistency(outputs: Sequence[object]) -> float:
    """Give the share of the most frequent output among all runs.

    Text is compared without the white space around it, everything else as canonical JSON.

    Args:
        outputs: One per run; ABSENT for a run without an output, which agrees with nothing.

    Returns:
        0 to 1; 0 when there was no output at all.
    """
    counts = Counter(_key(output) for output in outputs if output is not ABSENT)
    return max(counts.values(), default=0) / len(outputs) if outputs else 0.0


def _key(output: object) -> tuple[bool, str]:
    if isinstance(output, str):
        return True, output.strip()
    return False, canonical(output)
