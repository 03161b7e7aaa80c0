"""The ``merge`` command: several runs, such as the parts of ``--shard``, as one."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from assay import hookimpl


@click.command("merge")
@click.argument("results", type=click.Path(), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="Write a report to this file, in the format that its suffix names.",
)
@click.option(
    "-r",
    "--reporter",
    metavar="NAME",
    help="Write the first report, or standard output without -o, with this reporter.",
)
@click.option(
    "--set",
    "sets",
    multiple=True,
    metavar="KEY=VALUE",
    help="Set a reporter's setting, such as reporter.markdown.summary_only=true.",
)
@click.pass_context
def merge(
    ctx: click.Context,
    /,
    results: tuple[str, ...],
    outputs: tuple[str, ...],
    reporter: str | None,
    sets: tuple[str, ...],
) -> None:
    """Put RESULTS, the JSON lines of several runs, together.

    They become one report, such as those of the parts of --shard. A case that stands in several
    files counts as in the last of them. The exit code is that of one run: 0 when all cases
    passed, 1 when some did not, 3 when a part broke off or no agent could be reached.
    """
    import assay
    from assay.escape import terminal, workflow

    merged = assay.merge_results(
        results,
        output=outputs,
        reporter=reporter,
        plugins=ctx.obj.plugins,
        stdout=sys.stdout,
        sets=sets,
    )
    for warning in merged.warnings:
        click.echo(workflow(terminal(f"warning: {warning}")), err=True)
    for path in merged.paths:
        click.echo(terminal(f"report: {path}"), err=True)
    ctx.exit(merged.report.exit_code)


@hookimpl
def assay_commands() -> Sequence[click.Command]:
    """Offer ``merge``."""
    return [merge]
