"""Files that one process at a time writes."""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_TRIES: Final = 8
"""So often a file is opened again that was replaced meanwhile."""


def open_alone(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open a file like ``os.open``, for this descriptor alone until ``close_alone``.

    The end of the process closes it, too, however it comes. Where the file system knows no locks,
    and on Windows, it is opened like any other file.

    Args:
        path: The file.
        flags: As for ``os.open``. With ``O_TRUNC``, it is emptied once it is this one's alone.
        mode: As for ``os.open``.

    Raises:
        BlockingIOError: Another descriptor was opened so, in this process or another one.
        OSError: It cannot be opened.
    """
    for _ in range(_TRIES):
        descriptor = os.open(path, flags & ~os.O_TRUNC, mode)
        try:
            if not _lock(descriptor):
                raise BlockingIOError(errno.EWOULDBLOCK, "another run is writing it")
            if not _is_at(path, descriptor):
                # Whoever had it before has put another file in its place.
                os.close(descriptor)
                continue
            if flags & os.O_TRUNC and stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.ftruncate(descriptor, 0)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
    raise BlockingIOError(errno.EWOULDBLOCK, "other runs are writing it")


def close_alone(descriptor: int) -> None:
    """Close what ``open_alone`` opened.

    ``os.close`` alone would leave it to processes that an agent has forked meanwhile.
    """
    _unlock(descriptor)
    os.close(descriptor)


def is_taken(path: Path) -> bool:
    """Say whether a file is open by ``open_alone``, now.

    Raises:
        OSError: It cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        return not _lock(descriptor, is_shared=True)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, *, is_shared: bool = False) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    kind = fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # The file system knows no locks.
        return True
    return True


def _unlock(descriptor: int) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
