"""``python -m assay``: the command line."""

from __future__ import annotations

from assay.cli import main

main(prog_name="assay")
