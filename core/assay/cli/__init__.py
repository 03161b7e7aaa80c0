"""The command line."""

from __future__ import annotations

import click

from assay.cli.common import plugin_options
from assay.cli.lazy import LazyGroup

__all__ = ["main"]


@click.group(
    cls=LazyGroup,
    name="assay",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="'assay -i …' means 'assay test -i …': 'assay test --help' shows its flags.",
)
@plugin_options
def main() -> None:
    """Test AI agents: cases as JSON lines, checks, stability over many runs, reports."""
