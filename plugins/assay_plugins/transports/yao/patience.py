"""Waiting for a time that counts only while the event loop has time itself."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

_T = TypeVar("_T")

TICK: Final = 0.25


async def patiently(work: Coroutine[object, object, _T], seconds: float) -> _T:
    """Wait for something, as long as the loop has time to wait.

    A plain deadline runs out while a loop is busy with a thousand other turns, though what it
    waits for arrived long ago. Each tick needs a round of the loop, in which that is seen.

    Raises:
        TimeoutError: It did not come.
    """
    task = asyncio.ensure_future(work)
    try:
        for _ in range(round(seconds / TICK)):
            done, _ = await asyncio.wait([task], timeout=TICK)
            if done:
                return task.result()
        raise TimeoutError
    finally:
        task.cancel()
