"""The terminal that a stream leads to. The calls that only POSIX has are here."""

from __future__ import annotations

import os
import sys
from typing import IO


def keep_output(stream: IO[str], keep: bool) -> bool:
    """Say whether a terminal shows what was written to it before Ctrl-C was typed.

    By itself it throws away what it has not shown yet, which on a busy one can be a good deal.

    Args:
        stream: May be anything; where it leads to no terminal of this process, nothing is done,
            nor is it in the background, where changing a terminal stops the process.
        keep: Whether it is shown.

    Returns:
        Whether that was changed: if so, it is to be changed back.
    """
    if sys.platform == "win32":
        return False
    import termios

    try:
        terminal = stream.fileno()
        if os.tcgetpgrp(terminal) != os.getpgrp():
            return False
        attributes = termios.tcgetattr(terminal)
        if bool(attributes[3] & termios.NOFLSH) == keep:
            return False
        attributes[3] ^= termios.NOFLSH
        termios.tcsetattr(terminal, termios.TCSANOW, attributes)
    except (OSError, ValueError, AttributeError, termios.error):
        return False
    return True
