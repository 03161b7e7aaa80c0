"""A file of lines that grows: what stands is whole, whatever becomes of process and folder."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING, Final, Literal
from weakref import finalize

from attrs import frozen

from assay.errors import RunError
from assay.process import close_alone, open_alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
_CHUNK: Final = 1 << 20

_ELSEWHERE: Final = "name another place with -o"
_MOVED: Final = "move the file of the earlier run to a place with room that can be written"


@frozen
class Place:
    """Where a file of lines goes."""

    path: Path
    """The file, or for a hidden one its folder; absolute, as working directories can change."""
    how: Literal["over", "beside", "hidden", "instead"] = "over"
    """``over`` what is there; ``beside`` it, with ``-2``, ``-3`` behind the name; ``hidden``;
    ``instead`` of what is there, which stays until ``LineFile.take_place``."""


class LineFile:
    """Appends lines to a file, each by one write, so that a reader never sees half a line.

    Args:
        place: Where to make it; the folder is made where it is missing.
        lost: Told when the file had been removed and was written again.

    Raises:
        RunError: It cannot be made.
    """

    def __init__(self, place: Place, lost: Callable[[str], None]) -> None:
        self._target = place.path if place.how == "instead" else None
        self._mend = _ELSEWHERE if self._target is None else _MOVED
        self._held = None if self._target is None else _hold(self._target)
        if place.how == "over":
            self.path = place.path
            self._descriptor = _open(place.path, os.O_TRUNC)
        else:
            name = f".assay-{secrets.token_hex(6)}.journal"
            folder = {"hidden": place.path, "instead": place.path.parent}.get(place.how)
            path = place.path if folder is None else folder / name
            try:
                self.path, self._descriptor = _claim(path, self._mend)
            except RunError:
                self._let_go()
                raise
        self._lost = lost
        self._size = 0
        # A file system that counts no links cannot tell that a file was removed.
        self._has_links = os.fstat(self._descriptor).st_nlink > 0

    def append(self, text: str) -> int:
        """Append a line; it has left the process when this returns.

        Args:
            text: The line, without its end.

        Returns:
            Where in the file it begins, in bytes.

        Raises:
            RunError: It cannot be written; what was written before stands.
        """
        self.restore()
        data = text.encode() + b"\n"
        start = self._size
        try:
            _write(self._descriptor, data)
        except OSError as error:
            # A full disk takes half a line.
            with suppress(OSError):
                os.ftruncate(self._descriptor, start)
            what = "a line could not be written"
            raise _failed(self.path, what, error, self._mend) from error
        self._size = start + len(data)
        return start

    @property
    def is_waiting(self) -> bool:
        """Whether it has not yet taken the place of another file."""
        return self._target is not None

    def take_place(self) -> None:
        """Take the place of the file that it is written ``instead`` of.

        Raises:
            RunError: It cannot; both files stand.
        """
        if self._target is None:
            return
        self.restore()
        try:
            # Some file systems would keep the new name, and lose the lines, when the power goes.
            os.fsync(self._descriptor)
            with suppress(OSError):
                self.path.chmod(stat.S_IMODE(self._target.stat().st_mode))
            self.path.replace(self._target)
        except OSError as error:
            raise _failed(self._target, "it could not be replaced", error, self._mend) from error
        self.path, self._target = self._target, None
        self._let_go()

    def restore(self) -> None:
        """Write the file again, with its folder, if somebody removed it.

        Raises:
            RunError: It cannot be done.
        """
        if not self._has_links or os.fstat(self._descriptor).st_nlink > 0:
            return
        path, descriptor = _claim(self.path, self._mend)
        try:
            _copy(self._descriptor, descriptor)
        except OSError as error:
            os.close(descriptor)
            what = "it was removed and could not be written again"
            raise _failed(path, what, error, self._mend) from error
        close_alone(self._descriptor)
        self._lost(f"{self.path} was removed during the run; {path} holds all of it again")
        self.path = path
        self._descriptor = descriptor

    def close(self) -> None:
        """Close the file."""
        close_alone(self._descriptor)
        self._let_go()

    def _let_go(self) -> None:
        """Let other runs go on in the file whose place this one was to take."""
        if self._held is not None:
            close_alone(self._held)
            self._held = None


class Lines:
    """Reads lines of a file by their offsets; also of one that is removed while it is open.

    Several iterators, and threads, may read at the same time.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        file = path.open("rb", buffering=1 << 16)
        self._file = file
        self._lock = Lock()
        # Reports outlive the run that made them, and nobody closes a report.
        finalize(self, file.close)

    def at(self, offset: int) -> bytes:
        """Read the line that begins at an offset."""
        with self._lock:
            self._file.seek(offset)
            return self._file.readline()


def _hold(path: Path) -> int | None:
    """Keep other runs from going on in a file as long as this one does."""
    try:
        return open_alone(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as error:
        what = "a run cannot go on in it"
        raise _failed(path, what, error, "wait until that run is over, or stop it") from error


def _open(path: Path, flags: int, mend: str = _ELSEWHERE) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _failed(path, "its folder could not be made", error, mend) from error
    try:
        return open_alone(path, _FLAGS | flags)
    except FileExistsError:
        raise
    except OSError as error:
        raise _failed(path, "it could not be made", error, mend) from error


def _claim(path: Path, mend: str) -> tuple[Path, int]:
    """Make the first file that is not there yet, so that no two runs get the same."""
    claimed = path
    number = 1
    while True:
        with suppress(FileExistsError):
            return claimed, _open(claimed, os.O_EXCL, mend)
        number += 1
        claimed = path.with_name(f"{path.stem}-{number}{path.suffix}")


def _write(descriptor: int, data: bytes) -> None:
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def _copy(source: int, target: int) -> None:
    os.lseek(source, 0, os.SEEK_SET)
    while data := os.read(source, _CHUNK):
        _write(target, data)


def _failed(path: Path, what: str, error: OSError, mend: str) -> RunError:
    return RunError(f"{path}: {what}: {error.strerror or error}; {mend}")
