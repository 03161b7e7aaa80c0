"""Process groups: how they are ended, and tied to the life of this process.

The calls that only POSIX has are here.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HAS_PRIVATE_DESCRIPTORS = sys.platform != "win32"
"""Whether a program can be given descriptors beside its standard streams."""


def kill_group(pid: int) -> None:
    """Kill a process group at once; one that is gone already is no error.

    Args:
        pid: The process that leads the group, as every program of ``start`` does.
    """
    if pid <= 1:
        raise ValueError(f"{pid} is no process group of a program")
    if sys.platform == "win32":
        kill = ["taskkill", "/F", "/T", "/PID", str(pid)]
        subprocess.run(kill, capture_output=True, check=False)
    else:
        # PermissionError is how macOS says that only dead processes are left in the group.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def describe_end(returncode: int) -> str:
    """Say how a program ended: "ended with exit code 3", "was killed by SIGKILL"."""
    if returncode >= 0:
        return f"ended with exit code {returncode}"
    try:
        return f"was killed by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"was killed by signal {-returncode}"


def is_over(child: int) -> bool:
    """Whether a child of this process has ended; False where the system cannot tell."""
    if sys.platform in ("win32", "darwin"):
        return False
    try:
        # WNOWAIT leaves the child to be reaped by asyncio.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, child, flags) is not None
    except ChildProcessError:
        return True


class Lifeline:
    """A pipe whose end here nobody else holds: when it closes, the kernel kills the group."""

    def __init__(self) -> None:
        self._theirs, self._ours = os.pipe() if sys.platform == "linux" else (-1, -1)

    @property
    def inherited(self) -> tuple[int, ...]:
        """What the program has to inherit."""
        return () if self._theirs < 0 else (self._theirs,)

    def tie(self, pid: int) -> None:
        """Tie the group to this process, and leave the other end to it alone."""
        if sys.platform == "linux":
            import fcntl

            # A pipe that hangs up signals its owner, here a group (hence the minus), with the
            # signal of our choice. No thread of the program has a part in it, so that one
            # which holds an interpreter or ignores its input ends all the same.
            # Best effort: some sandboxes refuse it.
            with suppress(OSError):
                fcntl.fcntl(self._theirs, fcntl.F_SETOWN, -pid)
                fcntl.fcntl(self._theirs, fcntl.F_SETSIG, signal.SIGKILL)
                flags = fcntl.fcntl(self._theirs, fcntl.F_GETFL)
                fcntl.fcntl(self._theirs, fcntl.F_SETFL, flags | os.O_ASYNC)
            os.close(self._theirs)
            self._theirs = -1

    def cut(self) -> None:
        """Close what is still open here."""
        for number in (self._theirs, self._ours):
            if number >= 0:
                os.close(number)
        self._theirs = self._ours = -1


def own_group(inherited: Sequence[int]) -> Mapping[str, Any]:
    """Give the arguments of ``Popen`` for a program that leads a group, and what it inherits."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True, "pass_fds": tuple(inherited)}
