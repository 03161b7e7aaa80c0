"""The ``extract`` command: each case of a run in a file of its own."""

from __future__ import annotations

from collections.abc import Sequence

import click

from assay import hookimpl
from assay_plugins.commands._told import warn


@click.command("extract", short_help="Write each case of a run into a file of its own.")
@click.argument("results", type=click.Path())
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    help="Write into this folder. Without it, into one beside RESULTS that has its name.",
)
@click.option(
    "--format",
    "reporter",
    metavar="NAME",
    default="markdown",
    help="Write as this reporter does: markdown, which is the default, or json.",
)
@click.pass_context
def extract(ctx: click.Context, /, results: str, folder: str | None, reporter: str) -> None:
    """Write each case of RESULTS, the JSON lines of a run, into a file of its own.

    A file has the name of its case, made safe for any disk; with several suites, each has a
    folder. Files that are there already are written again, others stay.
    """
    import assay
    from assay.escape import terminal

    written = assay.write_cases(results, folder=folder, reporter=reporter, plugins=ctx.obj.plugins)
    warn(written.warnings)
    files = "1 file" if written.count == 1 else f"{written.count} files"
    click.echo(terminal(f"{files} in {written.folder}"), err=True)


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``extract``."""
    return [extract]
