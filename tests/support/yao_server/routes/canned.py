"""Answers that a script wrote beforehand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from yao_server.refusals import Reply

if TYPE_CHECKING:
    from yao_server.agents import Canned
    from yao_server.routes.route import Call


async def send_canned(call: Call, canned: Canned) -> None:
    """Send one.

    Raises:
        Dropped: It ends with the connection.
    """
    if isinstance(canned, Reply):
        await call.send(canned)
        return
    await call.answer.raw(canned.data)
    if canned.then == "hang":
        await asyncio.get_running_loop().create_future()
    raise call.answer.drop(reset=canned.then == "reset")
