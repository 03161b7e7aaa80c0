"""One worker process: one call at a time, killed when a call overruns."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING, cast

from assay.errors import CannotCheck
from assay.process import LINGER, describe_end
from assay.scripts.link import open_link
from assay.scripts.printed import Printed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assay.scripts.find import Found
    from assay.scripts.link import Link

LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of JSON that a function may return; what is longer would only fill the memory."""


END_WAIT = 3 * LINGER
"""Seconds for the end of a worker that has closed its way to us."""


class ScriptWorker:
    """A worker process that runs; ``start_worker`` makes one."""

    def __init__(self, link: Link, printed: Printed) -> None:
        self._link = link
        self._printed = printed
        self._calls = 0
        self._is_spent = False

    @property
    def pid(self) -> int:
        """The process, which leads a group of its own."""
        return self._link.program.pid

    @property
    def is_usable(self) -> bool:
        """Whether it can take another call."""
        return not (self._is_spent or self._link.program.has_ended or self._link.reader.at_eof())

    async def call(self, found: Found, arguments: Sequence[object]) -> object:
        """Call a function, and give the JSON value that it returned.

        A call that is cancelled, or that ends otherwise than with an answer, kills the worker.

        Raises:
            CannotCheck: It raised, it is not there, its arguments or its result are not JSON,
                or the worker ended.
        """
        self._calls += 1
        request = _request(self._calls, found, arguments)
        self._printed.fresh()
        try:
            return _value(await self._ask(request, found), self._calls, found)
        except _Unusable as problem:
            self.kill()
            raise CannotCheck(f"{found.label}: {problem}") from problem
        except CannotCheck:
            raise
        except BaseException:
            # A call that was cancelled goes on in the worker: only its end stops it.
            self.kill()
            raise

    async def _ask(self, request: bytes, found: Found) -> bytes:
        self._link.write(request)
        try:
            return await self._link.reader.readuntil(b"\n")
        except asyncio.LimitOverrunError as error:
            most = LONGEST_ANSWER // (1024 * 1024)
            raise _Unusable(
                f"it returned more than {most} MiB of JSON; return a verdict instead"
            ) from error
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise CannotCheck(f"{found.label}: {await self._end()}") from error

    async def _end(self) -> str:
        """Say how the worker ended, once it has closed its way to us."""
        program = self._link.program
        self._is_spent = True
        try:
            async with asyncio.timeout(END_WAIT):
                code = await program.wait()
        except TimeoutError:
            what = "its process closed the way to assay"
            self.kill()
        else:
            what = f"its process {describe_end(code)}"
            if code == -signal.SIGKILL:
                what += " from outside (by the system, if memory ran out)"
        last = self._printed.last()
        return f"{what}; it last wrote:\n{last}" if last else what

    def kill(self) -> None:
        """Kill the process and its whole group at once; ``close`` then clears up."""
        self._is_spent = True
        self._link.program.kill()

    async def end(self) -> None:
        """Let it end by itself, which it does when its requests end."""
        self._is_spent = True
        self._link.end_input()
        await self._link.program.wait()

    async def close(self) -> None:
        """Kill it, and wait until it is gone."""
        self._is_spent = True
        await self._link.close()
        self._printed.finish()


class _Unusable(Exception):  # noqa: N818 - the worker is, and the sentence says why
    """The worker broke the protocol."""


async def start_worker(
    command: Sequence[str], *, cwd: Path, tell: Callable[[str], object] | None = None
) -> ScriptWorker:
    """Start a worker.

    Args:
        command: Of the worker, as its engine gives it.
        cwd: Its working directory.
        tell: Takes the lines that it prints, not escaped; None: only its last lines are kept,
            for messages.

    Raises:
        CannotCheck: It cannot be started.
    """
    printed = Printed(tell)
    try:
        link = await open_link(command, cwd=cwd, longest=LONGEST_ANSWER, prints=printed.feed)
    except OSError as error:
        raise CannotCheck(
            f"the worker {command[0]!r} cannot be started in {cwd}: {error.strerror or error}"
        ) from error
    return ScriptWorker(link, printed)


def _request(number: int, found: Found, arguments: Sequence[object]) -> bytes:
    request = {
        "id": number,
        "file": str(found.target.file),
        "function": found.target.function,
        "arguments": list(arguments),
    }
    try:
        # ASCII, so that even a lone surrogate in an agent's answer has a form.
        text = json.dumps(request, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise CannotCheck(f"{found.label}: its arguments are not JSON: {error}") from error
    return text.encode("ascii") + b"\n"


def _value(line: bytes, number: int, found: Found) -> object:
    try:
        answer: object = json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise _Unusable(f"its worker answered what is not JSON: {error}") from error
    if not isinstance(answer, dict):
        raise _Unusable("its worker answered something else than an object")
    fields = cast("dict[str, object]", answer)
    is_error = "error" in fields
    # A request that a worker could not even read has no number.
    numbers = (number, None) if is_error else (number,)
    if fields.get("id") not in numbers or is_error == ("value" in fields):
        raise _Unusable("its worker answered what it was not asked")
    if is_error:
        raise CannotCheck(f"{found.label}: {fields['error']}")
    return fields["value"]


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
