"""Whether the system allows as many connections as there are requests at a time."""

from __future__ import annotations

from typing import Final

from assay.errors import ConfigError
from assay.process import allow_open_files

_OTHERS: Final = 64
"""Open files beside those of requests: reports, workers of scripts, the terminal."""


def check_open_files(parallel: int, agents: int) -> None:
    """Raise the limit on open files as far as a run needs it.

    Args:
        parallel: How many requests are under way at a time.
        agents: How many agents there are: each keeps its connections a while for further requests.

    Raises:
        ConfigError: The system does not allow it.
    """
    needed = parallel + _OTHERS
    # More than is needed, for transports and scripts that use several files at a time.
    allowed = allow_open_files((8 + agents) * parallel + 4 * _OTHERS)
    if allowed is not None and allowed < needed:
        raise ConfigError(
            f"--parallel {parallel}: it needs {needed} open files at least, and the system allows"
            f" {allowed}; lower it, or raise the limit (ulimit -n)"
        )
