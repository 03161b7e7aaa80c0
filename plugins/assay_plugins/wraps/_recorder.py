"""The file that a run records to."""

from __future__ import annotations

import os
from array import array
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from assay import ConfigError, RunError
from assay.process import close_alone, open_alone
from assay_plugins.wraps._entries import agent_line, encoded, entry_to_line, head_line, is_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from assay import AgentInfo, Environment, Origin, WrapContext
    from assay_plugins.wraps._entries import Entry
    from assay_plugins.wraps._settings import RecordFile

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_BINARY", 0)
_LAST: Final = 1 << 63
"""Added to the place of what has no case: it comes last."""
_MOST_ATTEMPTS: Final = (1 << 24) - 1
_PART: Final = 36
"""Bits of a key that differ within 4,096 cases."""
_LONGEST_HEAD: Final = 1_000
"""Bytes of a first line that are looked at."""


class Recorder:
    """Writes a record: each line as it happens, all of them in case order at the end.

    Until then they stand beside the file, in one with ``.part`` behind its name; so a run that
    is killed loses nothing, and a record that was there before is replaced by a whole one only.
    Memory holds 24 bytes per request, and 8 more when they are put in order.

    Args:
        file: Where the record goes.
        context: Of the run.
    """

    def __init__(self, file: RecordFile, context: WrapContext) -> None:
        self._path = file.path
        self._shown = file.shown
        self._context = context
        self._users = 0
        self._tickets = 0
        self._reset()

    def _reset(self) -> None:
        self._descriptor = -1
        self._size = 0
        self._agents: dict[str, dict[str, object]] = {}
        self._has_begun = False
        self._is_sorted = True
        self._has_failed = False
        self._has_left_out = False
        self._keys = array("Q")
        self._order = array("Q")
        self._offsets = array("Q")

    @property
    def part(self) -> Path:
        """Where the lines stand until the run is over."""
        return self._path.with_name(f"{self._path.name}.part")

    def enter(self) -> None:
        """A transport that is recorded is about to be opened.

        Raises:
            ConfigError: The name is that of something else than a record.
            RunError: The file cannot be written.
        """
        if not self._users:
            self._open()
        self._users += 1

    def leave(self) -> None:
        """A transport is closed; behind the last one the record is put in its place."""
        self._users -= 1
        if not self._users:
            self._finish()
            self._reset()

    def ticket(self) -> int:
        """Give the number of a request that is about to be sent, in order."""
        self._tickets += 1
        return self._tickets

    def agent(self, name: str, info: AgentInfo | None, environment: Environment) -> None:
        """Record what is known of an agent before it is asked; see ``agent_line``."""
        line = agent_line(name, info, environment)
        if self._agents.setdefault(name, line) is line and self._has_begun:
            self._append(line)
            self._is_sorted = False

    def add(self, entry: Entry, ticket: int) -> None:
        """Record what came of a request.

        Args:
            entry: The request and its outcome.
            ticket: What ``ticket`` gave when it was sent.
        """
        if not self._has_begun:
            # Not before: until all agents stand open, not all secrets are known.
            self._has_begun = True
            for line in self._agent_lines():
                self._append(line)
        offset = self._append(entry_to_line(entry))
        if offset is not None:
            self._keys.append(_key(entry.origin))
            self._order.append(ticket)
            self._offsets.append(offset)

    def _agent_lines(self) -> Iterator[Mapping[str, object]]:
        return (self._agents[name] for name in sorted(self._agents))

    def _open(self) -> None:
        if self._path.exists() and not self._path.is_file():
            raise ConfigError(f"--record {self._shown}: it is not a file; name another one")
        try:
            if self._is_of_others():
                raise ConfigError(
                    f"--record {self._shown}: it holds something else than a record, which would"
                    " be lost; name another file"
                )
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = open_alone(self.part, _FLAGS)
        except OSError as error:
            why = error.strerror
            raise RunError(f"--record {self._shown}: it cannot be written: {why}") from error
        self._append(head_line())

    def _is_of_others(self) -> bool:
        """Whether what has the record's name now is none: cases, or a report."""
        if not self._path.exists():
            return False
        with self._path.open("rb") as file:
            first = file.readline(_LONGEST_HEAD)
        return bool(first) and not is_head(first)

    def _append(self, line: Mapping[str, object]) -> int | None:
        """Write a line by one call; gives where it begins, None when it could not be written."""
        if self._has_failed:
            return None
        try:
            data = self._encoded(line)
        except ValueError as error:
            if not self._has_left_out:
                self._has_left_out = True
                self._context.fail(f"{self._shown}: not all answers can be recorded: {error}")
            return None
        start = self._size
        try:
            while data:
                written = os.write(self._descriptor, data)
                self._size += written
                data = data[written:]
        except OSError as error:
            # A full disk takes half a line.
            with suppress(OSError):
                os.ftruncate(self._descriptor, start)
            self._fail(f"recording has stopped: {error.strerror}")
            return None
        return start

    def _encoded(self, line: Mapping[str, object]) -> bytes:
        return f"{encoded(self._context.redact(line))}\n".encode()

    def _fail(self, why: str) -> None:
        self._has_failed = True
        self._context.fail(
            f"{self._shown}: {why}; {self.part.name} holds what was recorded until then"
        )

    def _finish(self) -> None:
        try:
            if self._has_failed:
                return
            if not self._offsets:
                # A run that asked nothing has nothing to put in the place of what is there.
                self.part.unlink(missing_ok=True)
                return
            if self._context.is_stopped() and self._path.exists():
                self._context.tell(
                    f"the run was stopped: {self._shown} stays as it was, and {self.part.name}"
                    " holds what was recorded"
                )
                return
            if self._is_of_others():
                self._fail("it holds something else by now, and is left as it is")
                return
            self._put_in_place()
        except OSError as error:
            self._fail(f"the record could not be put in its place: {error.strerror}")
        finally:
            # Not before: until then, the file beside it is nobody else's.
            close_alone(self._descriptor)

    def _put_in_place(self) -> None:
        target = self._path.resolve()
        if self._is_sorted and all(place == at for at, place in enumerate(self._in_order())):
            self.part.replace(target)
            return
        fresh = target.with_name(f".{target.name}.sorted")
        try:
            with self.part.open("rb") as lines, fresh.open("wb") as out:
                out.write(self._encoded(head_line()))
                for line in self._agent_lines():
                    out.write(self._encoded(line))
                for place in self._in_order():
                    lines.seek(self._offsets[place])
                    out.write(lines.readline())
            fresh.replace(target)
        except OSError:
            with suppress(OSError):
                fresh.unlink(missing_ok=True)
            raise
        with suppress(OSError):
            self.part.unlink()

    def _in_order(self) -> Iterator[int]:
        """Give the places of requests in case order; sorting takes memory for a few cases."""
        parts: dict[int, array[int]] = {}
        for place, key in enumerate(self._keys):
            parts.setdefault(key >> _PART, array("Q")).append(place)
        for part in sorted(parts):
            yield from sorted(
                parts[part], key=lambda place: (self._keys[place], self._order[place])
            )


def _key(origin: Origin) -> int:
    if origin.purpose == "reporter":
        return _LAST
    return (origin.index << 24) + min(origin.attempt, _MOST_ATTEMPTS)
