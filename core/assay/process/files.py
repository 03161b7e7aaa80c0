"""How many files this process may have open; each connection is one."""

from __future__ import annotations

import sys

_MACOS_MOST = 10240
"""What macOS allows where it says that there is no limit."""


def allow_open_files(wanted: int) -> int | None:
    """Raise the limit on open files, as far as the system lets a user.

    Args:
        wanted: How many should be allowed.

    Returns:
        How many are allowed now; None where there is no such limit.
    """
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    for limit in (wanted, min(wanted, _MACOS_MOST)):
        most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        if most <= soft:
            break
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        except (ValueError, OSError):
            continue
        return most
    return soft
