"""Benchmarks of assay: figures and ratios, all of one command line within one run.

``python tests/benchmarks/run.py`` runs all but ``memory`` and ``instructions``, which take minutes;
names (``startup echo waiting html http installation memory instructions``) run some.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import echo
import html_page
import installation
import instructions
import memory
import over_http
import startup
import waiting

BENCHMARKS = {
    "startup": startup.run,
    "echo": echo.run,
    "waiting": waiting.run,
    "html": html_page.run,
    "http": over_http.run,
    "installation": installation.run,
    "memory": memory.run,
    "instructions": instructions.run,
}
ONLY_WHEN_NAMED = {"memory", "instructions"}


def main(names: list[str]) -> None:
    """Run the named benchmarks, or all of them."""
    for name in names or (name for name in BENCHMARKS if name not in ONLY_WHEN_NAMED):
        with tempfile.TemporaryDirectory(prefix="assay-benchmark-") as folder:
            print(f"\n== {name}", flush=True)
            BENCHMARKS[name](Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
