"""Reads the bytes of a turn to their end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assay import TransportError
from assay_plugins.transports._http import chunks
from assay_plugins.transports._sse import Event, Item, SseParser
from assay_plugins.transports.yao.ending import first_object

if TYPE_CHECKING:
    import httpx

    from assay_plugins.transports.yao.turn import TurnReader

LINGERING: Final = 2.0
"""Seconds that a stream is read on behind its end mark: an error may follow it."""


async def listen(answer: httpx.Response, reader: TurnReader) -> None:
    """Give a reader all events of a stream; how it ended is noted in ``reader.ending``."""
    parser = SseParser()
    loop = asyncio.get_running_loop()
    # The time is limited once the turn is over, and never before.
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as limit:
            try:
                async for chunk in chunks(answer):
                    for item in parser.feed(chunk):
                        take(item, reader)
                    if reader.ending.is_marked and limit.when() is None:
                        limit.reschedule(loop.time() + LINGERING)
            except TransportError as error:
                reader.ending.cut = str(error)
    for item in parser.close():
        take(item, reader)


def read_after_error(body: bytes, reader: TurnReader) -> bytes:
    """Read the events behind the error of a failed request, and give the error alone.

    A failure that comes early may find the status not yet sent, while the thread that sends
    events is at work already: then both are in one answer (Yao ``agent/output/safe_writer.go``).
    """
    text = body.decode("utf-8", "replace").lstrip()
    found = first_object(text)
    if found is None:
        return body
    parser = SseParser()
    for item in (*parser.feed(text[found[1] :].encode()), *parser.close()):
        take(item, reader)
    return text[: found[1]].encode()


def take(item: Item, reader: TurnReader) -> None:
    """Give a reader one item of a stream."""
    if isinstance(item, Event):
        reader.event(item.data)
        return
    rest = reader.ending.line(item.text)
    while rest is not None:
        if rest.startswith("data:"):
            reader.event(rest.removeprefix("data:").removeprefix(" "))
            return
        rest = reader.ending.line(rest)
