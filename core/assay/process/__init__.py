"""Programs of others, each in a process group of its own that ends as a whole.

Every call of the project that only POSIX has is in ``files``, ``group``, ``lock`` or ``terminal``.
On Windows, as far as it goes, a program is ended with its children by ``taskkill``, and there are
no private descriptors and no locks.

On Linux the kernel itself kills a program's group as soon as this process is gone, however it
went, and whatever the program does at the time.
"""

from __future__ import annotations

from assay.process.channel import Channel
from assay.process.files import allow_open_files
from assay.process.group import HAS_PRIVATE_DESCRIPTORS, describe_end, kill_group
from assay.process.lock import close_alone, is_taken, open_alone
from assay.process.program import LINGER, Finished, Program, Sink, run, start
from assay.process.tail import Tail
from assay.process.terminal import keep_output

__all__ = [
    "HAS_PRIVATE_DESCRIPTORS",
    "LINGER",
    "Channel",
    "Finished",
    "Program",
    "Sink",
    "Tail",
    "allow_open_files",
    "close_alone",
    "describe_end",
    "is_taken",
    "keep_output",
    "kill_group",
    "open_alone",
    "run",
    "start",
]
