"""Writes what holds of an earlier run into the journal of the one that goes on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from attrs import evolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.model.result import Attempt, CaseResult
    from assay.recovery.resumed import Resumed

_AT_ONCE: Final = 64
"""So many cases are written before the event loop has its turn, and signals are heard."""


async def carry_over(
    resumed: Resumed,
    on_attempt: Callable[[CaseResult, Attempt], None],
    on_result: Callable[[CaseResult], None],
) -> None:
    """Give what holds to those who are told of attempts and results, as if it happened now.

    Args:
        resumed: What holds.
        on_attempt: Told of each attempt of a case with several runs.
        on_result: Told of each case that has its result.
    """
    for number, (known, attempts, is_done) in enumerate(resumed.kept(), 1):
        if known.several:
            for count, attempt in enumerate(attempts, 1):
                so_far = evolve(
                    known, attempts=attempts[:count], status=attempt.status, stability=None
                )
                on_attempt(so_far, attempt)
        if is_done:
            on_result(known)
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)
