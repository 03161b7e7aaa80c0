"""Reads the bytes of a turn to their end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assay import TransportError
from assay_plugins.transports._http import chunks
from assay_plugins.transports._sse import Event, Item, SseParser
from assay_plugins.transports.yao.ending import first_object
from assay_plugins.transports.yao.patience import patiently

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx

    from assay_plugins.transports.yao.turn import TurnReader

LINGERING: Final = 2.0
"""Seconds that a stream is read on behind its end mark: an error may follow it."""


async def listen(answer: httpx.Response, reader: TurnReader) -> None:
    """Give a reader all events of a stream; how it ended is noted in ``reader.ending``."""
    parser = SseParser()
    stream = chunks(answer)
    # The turn itself may take its time; once it is over, the rest may not.
    with suppress(TimeoutError):
        try:
            while True:
                coming = _next(stream)
                is_over = reader.ending.is_marked
                chunk = await (patiently(coming, LINGERING) if is_over else coming)
                if chunk is None:
                    break
                for item in parser.feed(chunk):
                    take(item, reader)
        except TransportError as error:
            reader.ending.cut = str(error)
    for item in parser.close():
        take(item, reader)


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    return await anext(stream, None)


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
